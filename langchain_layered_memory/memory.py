"""`LayeredMemory`: the one object a user builds. It wires backend, models and policy together.

The cycle stands in four folders, `write/`, `index/`, `recall/` and `forget/`; here their steps are
only put together, and each is given a blocking and an awaitable face.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from functools import partial
from typing import Any, Self

from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, MessageLikeRepresentation, convert_to_messages
from langchain_core.runnables import Runnable

from langchain_layered_memory.adapters.history import DEFAULT_MESSAGES, LayeredChatMessageHistory
from langchain_layered_memory.adapters.store import LayeredStore
from langchain_layered_memory.backends.base import open_backend
from langchain_layered_memory.errors import InvalidInputError
from langchain_layered_memory.faces import awaitable, blocking
from langchain_layered_memory.forget.node import make_forget_node
from langchain_layered_memory.forget.step import ForgetResult, forget
from langchain_layered_memory.index.node import make_index_node
from langchain_layered_memory.index.step import IndexResult, Progress, index_pending
from langchain_layered_memory.nodes import ScopeSource, scope_from_run
from langchain_layered_memory.policy import MemoryPolicy
from langchain_layered_memory.recall.node import make_recall_node
from langchain_layered_memory.recall.result import Recall
from langchain_layered_memory.recall.step import Question, recall
from langchain_layered_memory.records import (
    Episode,
    Id,
    Memory,
    Operation,
    Scope,
    Status,
    Version,
    aware,
)
from langchain_layered_memory.requests import (
    EraseOwner,
    ListMemories,
    MemoryHistory,
    NewTurn,
    Statistics,
)
from langchain_layered_memory.resources import Resources, model_name
from langchain_layered_memory.steps import Clock, Driver, NewId, Steps, ask, new_id, utc_now
from langchain_layered_memory.write import revise
from langchain_layered_memory.write.extract import RULES_VERSION, extract_by_rules
from langchain_layered_memory.write.extract.model import MODEL_VERSION, extract_by_model
from langchain_layered_memory.write.importing import import_turns, shadow
from langchain_layered_memory.write.node import make_write_node
from langchain_layered_memory.write.step import Extract, Writer, WriteResult
from langchain_layered_memory.write.turns import turns_of_dicts, turns_of_messages

Turn = Mapping[str, Any]


class LayeredMemory:
    """Memory that is written, indexed, recalled and forgotten, over one database.

    Build it with `open`. Every method has an awaitable twin whose name begins with `a`.

    Attributes:
        store: The database as LangGraph's `BaseStore`, for `graph.compile(store=…)`.
        policy: The figures that it follows.

    Example:
        >>> memory = LayeredMemory.open("sqlite:///:memory:")
        >>> ann = Scope(user_id="ann")
        >>> result = memory.write([("user", "I prefer green tea.")], ann)
        >>> memory.recall("What tea should I order?", ann).items[0].record.content
        'The user prefers green tea'
    """

    def __init__(
        self,
        url: str,
        *,
        model: BaseChatModel | None = None,
        embeddings: Embeddings | None = None,
        policy: MemoryPolicy | None = None,
        clock: Clock = utc_now,
        new_id: NewId = new_id,
        zone: tzinfo = UTC,
    ) -> None:
        self.policy = policy or MemoryPolicy()
        self.new_id = new_id
        self._clock, self._zone = clock, zone
        self._embedding_model = None if embeddings is None else model_name(embeddings)
        self._backend = open_backend(url)
        self._resources = Resources(self._backend, embeddings, model)
        self.store = LayeredStore(backend=self._backend, clock=clock)
        extract, version = _extractor(model)
        self._writer = Writer(extract, version, self.policy, clock, new_id, zone)
        if model is None:
            self._finish_what_was_left()

    @classmethod
    def open(
        cls,
        url: str,
        *,
        session_url: str | None = None,
        model: BaseChatModel | None = None,
        embeddings: Embeddings | None = None,
        reranker: object | None = None,
        policy: MemoryPolicy | None = None,
        cold_path: str | None = None,
        clock: Clock = utc_now,
        new_id: NewId = new_id,
        zone: tzinfo = UTC,
    ) -> Self:
        """Open the memory in a database; use it as it is, or in a `with` or `async with` block.

        Turns whose extraction a crash cut off are worked off: at once by rules, and with a chat
        model at the next write or index.

        Args:
            url: `sqlite:///file.db`, or `sqlite:///:memory:` for a test.
            session_url: Reserved for a Redis that keeps sessions; not served yet.
            model: A chat model that extracts; without it rules do.
            embeddings: An embedding model; without it text search alone recalls.
            reranker: Reserved for a cross-encoder; not served yet.
            policy: The figures to follow.
            cold_path: Reserved for an archive of files; not served yet.
            clock: Gives the time of day, aware.
            new_id: Gives ids.
            zone: The time zone that times without one are in.

        Raises:
            BackendError: If the database cannot be opened.
            InvalidInputError: If an argument is given that this version does not serve.
        """
        unserved = {"session_url": session_url, "reranker": reranker, "cold_path": cold_path}
        for name, value in unserved.items():
            if value is not None:
                raise InvalidInputError(f"{name}={value!r} is not served by this version; leave it")
        return cls(
            url,
            model=model,
            embeddings=embeddings,
            policy=policy,
            clock=clock,
            new_id=new_id,
            zone=zone,
        )

    def _finish_what_was_left(self) -> None:
        if self.stats().get("jobs waiting"):
            self.driver.run(self._writer.work_off(WriteResult(), leased_too=True))

    @property
    def driver(self) -> Driver:
        """What runs the steps."""
        return self._resources

    # ---------------------------------------------------------------- life

    def close(self) -> None:
        """Close the database."""
        self.store.close()
        self._backend.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self.close)

    # ---------------------------------------------------------------- write

    def _write(
        self,
        messages: Sequence[MessageLikeRepresentation],
        scope: Scope,
        *,
        at: datetime | None = None,
    ) -> Steps[WriteResult]:
        """Store what was said, then extract what follows from it; each message counts once.

        Args:
            messages: LangChain messages, or what converts to them, as `("user", "…")`.
            scope: Whose memory; its session is the conversation the messages belong to.
            at: When they were said; now by default.

        Returns:
            What was new, what changed, and what failed and waits. No turn is ever lost to a
            failing model.
        """
        turns = turns_of_messages(
            convert_to_messages(messages),
            scope,
            said_at=self._at(at),
            now=self._clock(),
            new_id=self.new_id,
            index_chars=self.policy.index_chars,
        )
        return (yield from self._writer.write(turns, scope))

    def _import_history(
        self,
        turns: Iterable[Turn],
        scope: Scope,
        *,
        extract: bool = True,
        progress: Progress | None = None,
    ) -> Steps[WriteResult]:
        """Store past conversations; run again after a break, it goes on where it stopped.

        Args:
            turns: Dicts with `session_id`, `message_id`, `role` or `speaker`, `ts` (ISO 8601;
                without a zone it is in the memory's), and `text`.
            scope: Whose memory; its session is that of turns that name none.
            extract: Whether memories are extracted too.
            progress: Told after each chunk how many turns were done in it.

        Raises:
            InvalidInputError: If a turn lacks its text or has a time that cannot be read; what
                stood before its chunk is stored.
        """
        read = partial(self._turns, scope=scope, seen=Counter())
        return (yield from import_turns(self._writer, turns, read, extract, progress))

    def _shadow(
        self, turns: Iterable[Turn], scope: Scope
    ) -> Steps[list[tuple[Episode, tuple[Operation, ...]]]]:
        """Return what an import would extract from each turn; nothing is stored.

        Args:
            turns: As for `import_history`.
            scope: Whose memory it would be.
        """
        return (yield from shadow(self._writer, self._turns(list(turns), scope)))

    def _turns(
        self, rows: Sequence[Turn], scope: Scope, seen: Counter[str] | None = None
    ) -> list[NewTurn]:
        return turns_of_dicts(
            rows,
            scope,
            now=self._clock(),
            new_id=self.new_id,
            index_chars=self.policy.index_chars,
            zone=self._zone,
            seen=seen,
        )

    # ---------------------------------------------------------------- index, recall, forget

    def _index(self, *, progress: Progress | None = None) -> Steps[IndexResult]:
        """Finish waiting extraction, then embed all that the embedding model has not embedded.

        Args:
            progress: Told after each batch how many records were done in it.
        """
        yield from self._writer.work_off(WriteResult())
        if self._embedding_model is None:
            return IndexResult()
        report = progress or (lambda _: None)
        return (yield from index_pending(self._embedding_model, self.policy, report))

    def _recall(
        self,
        query: str,
        scope: Scope,
        *,
        k: int = 10,
        at: datetime | None = None,
        as_of: datetime | None = None,
        explain: bool = False,
    ) -> Steps[Recall]:
        """Return what is known that has to do with a question, as a block and as records.

        Args:
            query: What is asked, in any language.
            scope: Whose memory.
            k: At most so many records.
            at: When it is asked; now by default.
            as_of: Answer from what was known then.
            explain: Also say what was found and left out, and why.

        Returns:
            An empty block if nothing relevant is known; its notes say so, or that the scope has
            no records at all.
        """
        if k < 1:
            raise InvalidInputError(f"k is how many records to recall, at least 1; got {k!r}")
        question = Question(
            text=query,
            scope=scope,
            now=self._at(at),
            k=k,
            model=self._embedding_model,
            as_of=None if as_of is None else aware(as_of, self._zone),
            explain=explain,
        )
        return (yield from recall(question, self.policy))

    def _forget(self, *, dry_run: bool = False, at: datetime | None = None) -> Steps[ForgetResult]:
        """Set idle memories aside, archive expired ones, purge old archives.

        Args:
            dry_run: List what would be done, and why, and change nothing.
            at: As if it were then; now by default.
        """
        return (yield from forget(self.policy, self._at(at), dry_run=dry_run))

    # ---------------------------------------------------------------- one memory, one user

    def _memories(
        self,
        scope: Scope,
        *,
        statuses: Sequence[Status] = ("active",),
        limit: int = 1000,
        offset: int = 0,
    ) -> Steps[tuple[Memory, ...]]:
        """Return a page of a user's memories, oldest first."""
        return (yield from ask(ListMemories(scope, tuple(statuses), limit, offset)))

    def _history(self, memory_id: str) -> Steps[tuple[Version, ...]]:
        """Return every value that a memory ever had, oldest first, the present one last.

        Raises:
            NotFoundError: If there is no such memory.
        """
        yield from revise.known(memory_id)
        return (yield from ask(MemoryHistory(memory_id)))

    def _correct(self, memory_id: str, content: str, *, value: str | None = None) -> Steps[Memory]:
        """Give a memory another content; the old one stays in its history.

        Raises:
            NotFoundError: If there is no such memory.
        """
        return (yield from revise.correct(memory_id, content, value, self._clock()))

    def _retract(self, memory_id: str) -> Steps[Memory]:
        """Take a memory offline at once: "this is wrong".

        Raises:
            NotFoundError: If there is no such memory.
        """
        return (yield from revise.set_status(memory_id, "retracted", "retracted", self._clock()))

    def _restore(self, memory_id: str) -> Steps[Memory]:
        """Bring a memory back that was set aside, archived, retracted or waits for verification.

        Raises:
            NotFoundError: If there is no such memory.
            ConflictError: If another value took its place meanwhile.
        """
        return (yield from revise.set_status(memory_id, "active", "restored", self._clock()))

    def _erase(self, user_id: Id, *, tenant_id: Id = "default") -> Steps[Mapping[str, int]]:
        """Delete all that a user has, for good; return the rows deleted by table."""
        return (yield from ask(EraseOwner(Scope(user_id, tenant_id))))

    def _stats(self, scope: Scope | None = None) -> Steps[Mapping[str, int]]:
        """Return counts by name, over all users or for one."""
        return (yield from ask(Statistics(scope)))

    # ---------------------------------------------------------------- faces

    write, awrite = blocking(_write), awaitable(_write)
    import_history, aimport_history = blocking(_import_history), awaitable(_import_history)
    shadow, ashadow = blocking(_shadow), awaitable(_shadow)
    index, aindex = blocking(_index), awaitable(_index)
    recall, arecall = blocking(_recall), awaitable(_recall)
    forget, aforget = blocking(_forget), awaitable(_forget)
    memories, amemories = blocking(_memories), awaitable(_memories)
    history, ahistory = blocking(_history), awaitable(_history)
    correct, acorrect = blocking(_correct), awaitable(_correct)
    retract, aretract = blocking(_retract), awaitable(_retract)
    restore, arestore = blocking(_restore), awaitable(_restore)
    erase, aerase = blocking(_erase), awaitable(_erase)
    stats, astats = blocking(_stats), awaitable(_stats)

    # ---------------------------------------------------------------- adapters

    def chat_history(
        self, scope: Scope, *, max_messages: int = DEFAULT_MESSAGES
    ) -> LayeredChatMessageHistory:
        """Return a conversation as LangChain's chat history, bounded to its newest messages."""
        return LayeredChatMessageHistory(self, scope, max_messages=max_messages)

    # ---------------------------------------------------------------- nodes

    def recall_node(
        self,
        *,
        scope: ScopeSource = scope_from_run,
        k: int = 10,
        messages_key: str = "messages",
        context_key: str = "memory_context",
        recalled_key: str = "recalled",
    ) -> Runnable[Any, dict[str, Any]]:
        """Return a node that recalls what the last user message is about.

        It writes the block and its items into the state, never into the messages. If memory
        fails, the turn goes on with an empty block.
        """
        return make_recall_node(
            self.driver,
            lambda text, whose: self._recall(text, whose, k=k),
            scope=scope,
            messages_key=messages_key,
            context_key=context_key,
            recalled_key=recalled_key,
        )

    def write_node(
        self, *, scope: ScopeSource = scope_from_run, messages_key: str = "messages"
    ) -> Runnable[Any, dict[str, Any]]:
        """Return a node that stores the state's new messages and extracts from them."""
        return make_write_node(
            self.driver, self._write_messages, scope=scope, messages_key=messages_key
        )

    def index_node(self) -> Runnable[Any, dict[str, Any]]:
        """Return a node that embeds what was stored; without an embedding model it does nothing."""
        return make_index_node(self.driver, self._index)

    def forget_node(self, *, dry_run: bool = False) -> Runnable[Any, dict[str, Any]]:
        """Return a node that forgets, for a graph on a schedule."""
        return make_forget_node(self.driver, lambda: self._forget(dry_run=dry_run))

    def remember_node(
        self, *, scope: ScopeSource = scope_from_run, messages_key: str = "messages"
    ) -> Runnable[Any, dict[str, Any]]:
        """Return a node that writes, then indexes."""

        def remember(messages: Sequence[BaseMessage], whose: Scope) -> Steps[WriteResult]:
            result = yield from self._write_messages(messages, whose)
            yield from self._index()
            return result

        return make_write_node(
            self.driver, remember, scope=scope, messages_key=messages_key, name="remember"
        )

    def _write_messages(self, messages: Sequence[BaseMessage], scope: Scope) -> Steps[WriteResult]:
        return (yield from self._write(messages, scope))

    def _at(self, given: datetime | None) -> datetime:
        return self._clock() if given is None else aware(given, self._zone)


def _extractor(model: BaseChatModel | None) -> tuple[Extract, str]:
    return (_by_rules, RULES_VERSION) if model is None else (extract_by_model, MODEL_VERSION)


def _by_rules(episode: Episode) -> Steps[tuple[Operation, ...]]:
    yield from ()  # a step that asks for nothing is still a step
    return extract_by_rules(episode)
