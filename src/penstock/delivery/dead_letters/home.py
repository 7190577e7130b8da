"""The dead letters of one share partition, at its leader.

The share partition is the home of a relay (docs/adr/0075). Its state is not a log of its own but what the share
coordinator keeps of it: with every write goes all that is open of the relay, and the newest counts. Records are
ARCHIVING from the write that gives them up; an intent names some of them; when the letters are at their topic, one
write archives the records and says that the intent is done. So at any moment what is kept names each of them once.

What was changed here and could not be written is written again, never undone, and all of it together: an intent may be
sent as soon as one write has taken it along, and a leader that has lost its share partition sends nothing more.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Coroutine, Sequence
from typing import Any, Final, NamedTuple

import structlog

from penstock.delivery.dead_letters.carrier import Carrier
from penstock.delivery.dead_letters.letters import Letter, Origin, choose, letter, letters
from penstock.delivery.dead_letters.metrics import DeadLetterMetrics
from penstock.delivery.dead_letters.records import all_records_at, records_at
from penstock.delivery.dead_letters.refs import decode_refs, decode_relay, encode_refs, encode_relay
from penstock.delivery.dead_letters.topics import DeadLetterTopics, Place, Problem
from penstock.delivery.relay.bugs import NO_BUGS, RelayBugs
from penstock.delivery.relay.entries import Entry
from penstock.delivery.relay.machine import Answer, RelayMachine, Send, Start, Write
from penstock.delivery.relay.metrics import RelayMetrics
from penstock.delivery.relay.sender import RelaySender
from penstock.delivery.shares.archiving import Given, archived, intended, reason_of, waiting
from penstock.delivery.shares.ranges import Row, Step
from penstock.delivery.shares.settling import commit
from penstock.delivery.shares.share_partition import SharePartition
from penstock.errors import OffsetOutOfRange, Refusal
from penstock.model import Clock
from penstock.wire.records import Record

LOOKED_AT: Final = 1_000
"""Records of which one intent is chosen."""
ATTEMPTS_MAX: Final = 5
"""Then a group that drops gives up."""
RETRY_S: Final = 1.0
WRITE_AGAIN_S: Final = 0.5

_log = structlog.get_logger(__name__)


class DeadLetterHome:
    def __init__(
        self,
        share: SharePartition,
        relay: bytes,
        *,
        topics: DeadLetterTopics,
        sender: RelaySender,
        next_producer_id: Callable[[], Awaitable[int]],
        clock: Clock,
        spawn: Callable[[Coroutine[Any, Any, None]], object],
        metrics: DeadLetterMetrics,
        relay_metrics: RelayMetrics,
        bugs: RelayBugs = NO_BUGS,
    ) -> None:
        assert share.machine is not None
        self.machine = RelayMachine(bugs)
        self._share = share
        self._window = share.machine.window
        self._origin = Origin(share.key.group_id, share.partition.topic, share.key.partition)
        self._topics = topics
        self._clock = clock
        self._spawn = spawn
        self._metrics = metrics
        self._relay_metrics = relay_metrics
        self._carrier = Carrier(
            str(share.key),
            self.machine,
            sender=sender,
            next_producer_id=next_producer_id,
            records_of=self._records_of,
            clock=clock,
            spawn=spawn,
            is_over=lambda: share.is_gone,
            on_answer=self._answered,
        )
        self._wake = asyncio.Event()
        self._is_running = False
        self._changes = 0
        """Of what is kept. A change's number is also the position of the entry that it is made of."""
        self._stamp = 0
        self._taken_along = 0
        """Of them, those that the write under way has."""
        self._kept = 0
        """Of them, those that are surely kept."""
        self._unkept: list[_Change] = []
        self._attempts = 0
        self._attempted_at = 0
        self._held_to = -1
        self._gives_up = False
        """What its target returns is dropped."""
        self._letters: dict[bytes, list[Letter]] = {}
        self._load(relay)

    def _load(self, relay: bytes) -> None:
        try:
            self._stamp, entries = decode_relay(relay)
        except ValueError as error:
            # Nothing is sent then: what a later release intended, it is to send.
            raise RuntimeError(f"the relay of {self._share.key} is not understood: {error}") from None
        done: list[Given] = []
        for entry in entries:
            self._changes += 1
            change = self.machine.apply(entry, self._changes)
            intended(self._window, [] if change.opened is None else decode_refs(change.opened))
            done += [row for refs in change.finished for row in decode_refs(refs)]
        self.machine.loaded(self._clock.now())
        self._taken_along = self._kept = self._changes
        self.machine.replicated_to(self._kept)
        if done:
            self._changes += 1
            self._keep(archived(self._window, done))

    # What the share partition asks --------------------------------------------------------------------------------

    @property
    def is_busy(self) -> bool:
        return self._is_running

    def wake(self) -> None:
        self._wake.set()
        if not self._is_running and not self._share.is_gone:
            self._is_running = True
            self._spawn(self._run())

    def state(self) -> tuple[bytes, list[Row]]:
        """To be kept with the next write, together: what is open of the relay, and what it says of records."""
        if self._changes == self._kept:
            return b"", []
        self._taken_along = self._changes
        # Two incarnations of one leader may write: the later one's clock is ahead.
        self._stamp = max(self._stamp + 1, self._clock.now())
        return encode_relay(self._stamp, self.machine.entries()), [row for each in self._unkept for row in each.rows]

    def written(self) -> None:
        """What was asked for last is kept."""
        self._kept = self._taken_along
        kept = [each for each in self._unkept if each.number <= self._kept]
        self._unkept = [each for each in self._unkept if each.number > self._kept]
        for change in kept:
            commit(self._window, change.step)
        self.machine.replicated_to(self._kept)
        self._share.tell()
        self._wake.set()

    # Turns --------------------------------------------------------------------------------------------------------

    async def _run(self) -> None:
        try:
            while not self._share.is_gone:
                try:
                    rest_s = await self._turn()
                except Refusal as refusal:
                    _log.info("dead letters stand still", share_partition=str(self._share.key), reason=refusal.message)
                    rest_s = RETRY_S
                except Exception as bug:
                    _log.error("dead letters failed", share_partition=str(self._share.key), exc_info=bug)
                    rest_s = RETRY_S
                if rest_s is None:
                    return
                await self._rest(rest_s)
        finally:
            self._is_running = False
            self._share.archived()

    async def _rest(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(max(seconds, 0.001)):
                await self._wake.wait()
        except TimeoutError:
            pass
        self._wake.clear()

    async def _turn(self) -> float | None:
        """Seconds to rest, if nothing happens before; None where there is nothing to do any more."""
        await self._intend()
        if self._share.is_gone:
            return None
        now = self._clock.now()
        before = self.machine.resent
        for step in self.machine.steps(now):
            if isinstance(step, Write):
                self._apply(step.entry)
            else:
                self._carrier.carry(step)
        self._relay_metrics.resent += self.machine.resent - before
        is_idle = not self._window.archiving and not any(self.machine.open_refs()) and not self._unkept
        if is_idle:
            return None
        wake_at = self.machine.wake_at
        return RETRY_S if wake_at is None else min(RETRY_S, (wake_at - now) / 1000)

    async def _intend(self) -> None:
        rows = waiting(self._window, LOOKED_AT)
        if not rows:
            return
        place = self._topics.find(self._share.rules, self._origin)
        if isinstance(place, Problem):
            self._no_place(place, rows)
            return
        if not self.machine.has_room(place.target, self._clock.now()):
            return
        try:
            found, upto = await records_at(self._share.partition, rows)
        except OffsetOutOfRange:
            return  # the log's start has moved, and the window with it at the next look
        looked_at = {offset for first, last, _, _ in rows for offset in range(first, min(last + 1, upto))}
        rows = waiting(self._window, LOOKED_AT)  # some may be gone from the log, some may be new
        if rows and not self._share.is_gone and self.machine.has_room(place.target, self._clock.now()):
            self._choose(place, rows, found, looked_at)

    def _choose(
        self, place: Place, rows: Sequence[Given], found: dict[int, Record], looked_at: Collection[int]
    ) -> None:
        made = {
            offset: letter(
                self._origin,
                offset,
                reason_of(state),
                count,
                found[offset],
                copies=place.copies,
                size_max=place.batch_bytes_max,
            )
            for first, last, state, count in rows
            for offset in range(first, last + 1)
            if offset in found
        }
        sizes = {offset: each.size for offset, each in made.items()}
        chosen, nothing = choose(rows, looked_at, sizes, place.batch_bytes_max)
        if nothing:
            self._changes += 1
            self._keep(archived(self._window, nothing))
        if not chosen:
            return
        refs = encode_refs(chosen)
        self._letters[refs] = [made[offset] for first, last, _, _ in chosen for offset in range(first, last + 1)]
        self._apply(self.machine.intent(place.target, refs, len(self._letters[refs])))

    def _no_place(self, problem: Problem, rows: Sequence[Given]) -> None:
        self._count_held()
        if problem.is_final or (self._share.rules.drops_dead_letters and self._has_tried()):
            self._drop(rows, problem.reason)
            return
        self._topics.create_soon(problem)

    def _has_tried(self) -> bool:
        """Whether that was the last attempt; those that come too soon after another are none."""
        now = self._clock.now()
        if now - self._attempted_at >= RETRY_S * 1000:
            self._attempted_at = now
            self._attempts += 1
        if self._attempts < ATTEMPTS_MAX:
            return False
        self._attempts = 0
        return True

    def _drop(self, rows: Sequence[Given], reason: str) -> None:
        self._changes += 1
        step = archived(self._window, rows)
        count = sum(each.size for each in step.ranges)
        self._metrics.failed += count
        _log.warning(
            "records given up without a dead letter", share_partition=str(self._share.key), records=count, reason=reason
        )
        self._keep(step)

    def _count_held(self) -> None:
        """Each record once: those that are beyond all that were counted."""
        rows = waiting(self._window, LOOKED_AT)
        self._metrics.held += sum(max(0, last - max(first, self._held_to + 1) + 1) for first, last, _, _ in rows)
        self._held_to = max([self._held_to, *(row[1] for row in rows)])

    # The relay ----------------------------------------------------------------------------------------------------

    def _apply(self, entry: Entry) -> None:
        self._changes += 1
        change = self.machine.apply(entry, self._changes)
        step = Step()
        # That they were given up may not be written yet, where a lock had ended.
        rows = [] if change.opened is None else decode_refs(change.opened)
        intended(self._window, rows)
        for refs in change.finished:
            self._letters.pop(refs, None)
            step = _both(step, archived(self._window, decode_refs(refs)))
        for refs in change.returned:
            self._letters.pop(refs, None)
            intended(self._window, decode_refs(refs), is_intended=False)
            if self._share.rules.drops_dead_letters and self._gives_up:
                self._drop(decode_refs(refs), "its topic does not take it")
        if change.returned:
            self._gives_up = False
        self._keep(step, rows)

    async def _records_of(self, send: Send) -> list[Record]:
        made = self._letters.get(send.refs)
        if made is None:
            # Of a former leader: as many as it intended, whatever has become of the records.
            rows = decode_refs(send.refs)
            found = await all_records_at(self._share.partition, rows)
            copies = self._share.rules.copies_dead_letters
            size_max = self._topics.batch_bytes_max(send.target)
            made = letters(self._origin, rows, found, copies=copies, size_max=size_max)
            self._letters[send.refs] = made
        return [each.record for each in made]

    def _answered(self, step: Start | Send, answer: Answer) -> None:
        if answer is Answer.TAKEN and isinstance(step, Send):
            self._attempts = 0
            made = self._letters.get(step.refs, [])
            self._metrics.written += step.count
            self._metrics.pointer += sum(each.is_pointer for each in made)
        elif answer is Answer.LATER:
            self._not_taken(step)
        self._wake.set()

    def _not_taken(self, step: Start | Send) -> None:
        if isinstance(step, Send):
            last = max(row[1] for row in decode_refs(step.refs))
            if last > self._held_to:
                self._metrics.held += step.count
                self._held_to = last
        else:
            self._count_held()
        if not self._share.rules.drops_dead_letters or not self._has_tried():
            return
        if isinstance(step, Send):
            self._gives_up = True
            self.machine.give_up(step.target)
        else:
            self._drop(waiting(self._window, LOOKED_AT), "its topic is away")

    # Keeping ------------------------------------------------------------------------------------------------------

    def _keep(self, step: Step, rows: Sequence[Given] = ()) -> None:
        self._unkept.append(_Change(self._changes, step, [*((*row, 0.0) for row in rows), *step.rows]))
        self._spawn(self._write_until_kept(self._changes))

    async def _write_until_kept(self, change: int) -> None:
        while not self._share.is_gone and self._kept < change:
            try:
                await self._share.keep()
            except Refusal:
                await asyncio.sleep(WRITE_AGAIN_S)


class _Change(NamedTuple):
    """What is not surely kept yet. No part of it may be kept without the rest."""

    number: int
    step: Step
    rows: list[Row]


def _both(one: Step, other: Step) -> Step:
    for each in other.ranges:
        each.step = one
    one.ranges += other.ranges
    for row in other.rows:
        one.row(*row)
    return one
