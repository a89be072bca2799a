"""A conversation as LangChain's `BaseChatMessageHistory`, over the ledger of turns.

It goes where a chat history goes: into `RunnableWithMessageHistory`, or under a
`ConversationBufferMemory` as its `chat_memory`. What is added is remembered as by `write`; what is
read is the newest turns alone, so a prompt no longer grows without end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from langchain_layered_memory.errors import ScopeError
from langchain_layered_memory.records import Episode, Scope
from langchain_layered_memory.requests import EraseSession, ListEpisodes
from langchain_layered_memory.steps import Steps, ask

if TYPE_CHECKING:
    from langchain_layered_memory.memory import LayeredMemory

DEFAULT_MESSAGES = 20


class LayeredChatMessageHistory(BaseChatMessageHistory):
    """The newest messages of one conversation; safe to share between requests.

    Args:
        memory: The memory whose ledger keeps the messages.
        scope: Whose conversation; its session says which.
        max_messages: How many are read at most; older ones are recalled, not repeated.

    Raises:
        ScopeError: If the scope names no session.
    """

    def __init__(
        self, memory: LayeredMemory, scope: Scope, *, max_messages: int = DEFAULT_MESSAGES
    ) -> None:
        if scope.session_id is None:
            raise ScopeError("a chat history is of one conversation: give the scope a session_id")
        self._memory = memory
        self._scope = scope
        self._max_messages = max_messages

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]
        """The newest messages, oldest of them first."""
        return self._memory.driver.run(self._read())

    async def aget_messages(self) -> list[BaseMessage]:
        """Return the newest messages, oldest of them first."""
        return await self._memory.driver.arun(self._read())

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Store messages and remember what follows from them."""
        self._memory.write(fresh(messages, self._memory), self._scope)

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Store messages and remember what follows from them."""
        await self._memory.awrite(fresh(messages, self._memory), self._scope)

    def clear(self) -> None:
        """Delete the conversation's turns; memories that were drawn from them stay."""
        self._memory.driver.run(ask(EraseSession(self._scope)))

    async def aclear(self) -> None:
        """Delete the conversation's turns; memories that were drawn from them stay."""
        await self._memory.driver.arun(ask(EraseSession(self._scope)))

    def _read(self) -> Steps[list[BaseMessage]]:
        turns = yield from ask(ListEpisodes(self._scope, self._max_messages))
        return [message_of(turn) for turn in turns if turn.role != "tool"]


def fresh(messages: Sequence[BaseMessage], memory: LayeredMemory) -> list[BaseMessage]:
    """Return messages that each have an id: what a history is given is always said anew."""
    return [m if m.id else m.model_copy(update={"id": memory.new_id()}) for m in messages]


def message_of(turn: Episode) -> BaseMessage:
    """Return a turn as a message."""
    kind = HumanMessage if turn.role == "user" else AIMessage
    return kind(content=turn.text, id=turn.message_id)
