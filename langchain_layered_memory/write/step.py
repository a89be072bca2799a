"""The write step: turns first, durably; then what follows from them, once each.

`write_turns` stores turns with their jobs in one transaction. `work_off` takes due jobs, extracts,
verifies, reconciles, and stores the result together with the end of the job. So a crash leaves
work to do, never a hole, and a turn that is written again (a retry, a replay, a fork) is known.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, tzinfo

from langchain_layered_memory.errors import ConflictError
from langchain_layered_memory.policy import MemoryPolicy
from langchain_layered_memory.records import Episode, Memory, Operation, Scope
from langchain_layered_memory.requests import (
    AppendTurns,
    Change,
    ClaimJobs,
    FailJob,
    FinishJob,
    GetMemory,
    Job,
    LiveMemories,
    LoadHistories,
    MissingMessages,
    NewTurn,
    PrecedingTurn,
    SearchTerms,
)
from langchain_layered_memory.steps import Clock, NewId, Steps, ask
from langchain_layered_memory.terms import analyze
from langchain_layered_memory.write.extract.answer import operations_of_answer
from langchain_layered_memory.write.reconcile import Met, Reconciler, same_value, similarity
from langchain_layered_memory.write.trigger import is_small_talk
from langchain_layered_memory.write.verify import verify

_log = logging.getLogger("langchain_layered_memory")
Extract = Callable[[Episode], Steps[tuple[Operation, ...]]]
_JOBS_AT_ONCE = 64
_ALIKE_CANDIDATES = 5
_END_OF_TIME = datetime(9999, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Failure:
    """A turn whose extraction failed; it is stored, and will be tried again if `retried`."""

    message_id: str
    error: str
    retried: bool


@dataclass
class WriteResult:
    """What a write did.

    Attributes:
        turns: The turns that were new.
        changes: What changed in the memories, in order.
        failures: Turns that wait, or were set aside; none of them is lost.
    """

    turns: list[Episode] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)

    @property
    def memories(self) -> list[Memory]:
        """The memories that were added or changed, as they are now."""
        return [change.after.record for change in self.changes if not change.historic]


@dataclass(frozen=True)
class Writer:
    """The write step with what it needs: an extractor, the policy, the time and ids."""

    extract: Extract
    extractor: str
    policy: MemoryPolicy
    clock: Clock
    new_id: NewId
    zone: tzinfo = UTC

    def write(self, turns: Sequence[NewTurn], scope: Scope) -> Steps[WriteResult]:
        """Store turns and work off their jobs; turns that are stored already are left out."""
        result = WriteResult()
        missing = yield from self._missing(turns, scope)
        result.turns = list(
            (yield from ask(AppendTurns(tuple(missing), self.extractor))) if missing else ()
        )
        yield from self.work_off(result, scope)
        return result

    def _missing(self, turns: Sequence[NewTurn], scope: Scope) -> Steps[list[NewTurn]]:
        """A graph hands over the whole conversation each time; most of it is stored."""
        if not turns:
            return []
        ids = tuple(turn.episode.message_id for turn in turns)
        missing = yield from ask(MissingMessages(scope, ids))
        return [turn for turn in turns if turn.episode.message_id in missing]

    def work_off(
        self, result: WriteResult, scope: Scope | None = None, *, leased_too: bool = False
    ) -> Steps[None]:
        """Take due jobs, of one owner or of all, until there is none.

        Args:
            result: Where what was done is noted.
            scope: Whose jobs; None for everybody's.
            leased_too: Also take those that another worker holds and may have died with. A job is
                ended once whoever works on it, so this costs work at most, never correctness.
        """
        lease = timedelta(seconds=self.policy.job_lease_seconds)
        while True:
            now = self.clock()
            due = _END_OF_TIME if leased_too else now
            jobs = yield from ask(ClaimJobs(_JOBS_AT_ONCE, due, now + lease, scope))
            for job in jobs:
                yield from self._work(job, result)
            if len(jobs) < _JOBS_AT_ONCE:
                return

    def _work(self, job: Job, result: WriteResult) -> Steps[None]:
        try:
            operations = yield from self.operations(job.episode, job.work)
        except Exception as error:  # noqa: BLE001 - whatever a model raises, the turn is kept
            yield from self._fail(job, error, result)
            return
        for _ in range(self.policy.conflict_retries + 1):
            changes = yield from self._reconcile(operations, job.episode)
            try:
                finished = yield from ask(FinishJob(job.id, tuple(changes)))
            except ConflictError as conflict:
                _log.info("CONFLICT_RESOLVED job=%d: %s", job.id, conflict)
                continue
            result.changes += changes if finished else []
            return
        lost = ConflictError(f"other writers won {self.policy.conflict_retries + 1} times")
        yield from self._fail(job, lost, result)

    def operations(self, episode: Episode, work: str = "") -> Steps[tuple[Operation, ...]]:
        """Return the verified operations of a turn, storing nothing.

        Args:
            episode: The turn.
            work: Commands that came with the turn; "" to extract from its own words.
        """
        if work:
            return (yield from self._commanded(episode, work))
        if is_small_talk(episode.text):
            return ()
        # "Yesterday" is counted where the user lives.
        here = replace(episode, said_at=episode.said_at.astimezone(self.zone))
        found = yield from self.extract(here)
        return tuple(verify(each, here) for each in found)

    def _commanded(self, reply: Episode, commands: str) -> Steps[tuple[Operation, ...]]:
        """Commands that came with a reply rest on what the user said before it, or on nothing."""
        said = yield from ask(PrecedingTurn(reply))
        if said is None:
            return ()
        return tuple(verify(each, said) for each in operations_of_answer(commands, said))

    def _fail(self, job: Job, error: Exception, result: WriteResult) -> Steps[None]:
        retried = job.attempts < self.policy.job_attempts
        wait = timedelta(seconds=self.policy.job_backoff_seconds * 2 ** (job.attempts - 1))
        what = f"{type(error).__name__}: {error}"
        yield from ask(FailJob(job.id, what, self.clock() + wait if retried else None))
        result.failures.append(Failure(job.episode.message_id, what, retried))
        _log.warning(
            "extraction failed, the turn is kept: job=%d retried=%s %s", job.id, retried, what
        )

    # ------------------------------------------------------------ reconcile

    def _reconcile(self, operations: Sequence[Operation], episode: Episode) -> Steps[list[Change]]:
        reconciler = Reconciler(episode.scope, self.policy, self.clock(), self.new_id)
        changes: dict[tuple[str, str], Change] = {}
        for operation in operations:
            place = (operation.subject, operation.slot)
            if place in changes and operation.confidence < self.policy.verify_below:
                continue  # an afterthought that is doubtful unsays nothing
            met = yield from self._met(operation, episode.scope)
            change = reconciler.change(operation, met)
            if change is not None:
                # Within one turn the last word on a slot counts: "I like it. No, I don't."
                changes[place] = change
        return _one_change_each(changes.values())

    def _met(self, operation: Operation, scope: Scope) -> Steps[Met]:
        """Return what an operation meets: the value in its slot, or one that says the same."""
        if operation.target is not None:
            target = yield from ask(GetMemory(operation.target))
            if target is not None and target.scope.owner == scope.owner:
                return Met(target)
            _log.warning("an invented target was ignored: %.80r", operation.target)
        found = yield from ask(LiveMemories(scope, ((operation.subject, operation.slot),)))
        live = next((m for m in found if m.status != "pending_verification"), None)
        waiting = tuple(m for m in found if m.status == "pending_verification")
        if live is not None:
            return Met(live, waiting=waiting)
        return Met((yield from self._alike(operation, scope)), alike=True, waiting=waiting)

    def _alike(self, operation: Operation, scope: Scope) -> Steps[Memory | None]:
        terms = analyze(operation.content)
        hits = yield from ask(SearchTerms(scope, terms, ("memories",), _ALIKE_CANDIDATES))
        ids = tuple(hit.record_id for hit in hits)
        if not ids:
            return None
        histories = yield from ask(LoadHistories(scope, ids))
        found = (histories[each][-1].memory for each in ids if each in histories)
        return next((each for each in found if self._says_the_same(operation, each)), None)

    def _says_the_same(self, operation: Operation, memory: Memory) -> bool:
        """Alike in words and equal in value: "likes tea" and "likes green tea" are two."""
        return (
            memory.subject == operation.subject
            and same_value(memory.value, operation.value)
            and similarity(memory.content, operation.content) > self.policy.merge_similarity
        )


def _one_change_each(changes: Iterable[Change]) -> list[Change]:
    """Two statements of one turn may meet the same memory; the first decides."""
    by_memory: dict[str, Change] = {}
    for change in changes:
        by_memory.setdefault(change.after.record.id, change)
    return list(by_memory.values())
