"""Decides how records get from their home to other partitions, each exactly once. Pure.

A home is a log with one leader: it keeps the records and, as entries between them, what becomes of them. A pair is a
home and one target partition. For each batch:

    intent   target, producer id, epoch, sequences, which records: written to the home
    append   once the intent is replicated, at the target's leader, under that id, epoch and sequences
    done     once the append is replicated: told by the next intent, or by an entry of its own

What always holds
- Nothing is sent that is no replicated intent. So a leader of the home that was replaced, and does not know, sends what
  its successor sends as well.
- An open intent is sent again with the same id, epoch and sequences. The target's leader knows a batch that it has,
  acknowledges it when it is replicated, and refuses one that is not the next. Batches of a pair go out one at a time,
  in order, and no more than INTENTS_OPEN_MAX are open: as many as a partition remembers of a producer.
- A target may have forgotten the producer: it was silent for a day, or crowded out, or the leader's log was made when
  older records were deleted. Its leader would take any sequence then, and so a double. So every batch says from which
  offset on the target holds what is open. A leader that does not know the producer looks there first; and for a batch
  that seems out of order as well, since what it looked for before may have been less. A log that ends before that
  offset has lost records: it takes none of ours until the home has seen that and begins a new epoch.

What is refused for good by a target (it may have been given a lower max.message.bytes since) is tried again until it
is taken: a home asks for nothing that its target would refuse when the intent is made.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Final

import msgspec

from penstock.delivery.relay.bugs import NO_BUGS, RelayBugs
from penstock.delivery.relay.entries import NO_ID, Done, Entry, Intent, Restarted, Returned, Target

INTENTS_OPEN_MAX: Final = 5
EPOCH_MAX: Final = 0x7FFF
SEQUENCE_MASK: Final = 0x7FFFFFFF
PAUSE_MS_FIRST: Final = 20
PAUSE_MS_MAX: Final = 1_000
DONE_AFTER_MS: Final = 500
"""An intent that is done, and followed by no other, is written down after so long."""
RENEW_AFTER_MS: Final = 3_600_000
"""A pair that moved nothing for so long asks where the target ends before it moves more: a look from there is short."""
RESTART_AFTER_MS: Final = 10_000
"""How long a target must insist on other sequences than ours until it is believed to have lost records."""


class Answer(Enum):
    """What came of a batch that was sent."""

    TAKEN = "taken"
    OUT_OF_ORDER = "out of order"
    GONE = "gone"
    """There is no such topic any more."""
    LATER = "later"


class OpenIntent(msgspec.Struct):
    number: int
    sequence: int
    count: int
    refs: bytes
    position: int


# What is to be done --------------------------------------------------------------------------------------------------


class Write(msgspec.Struct, frozen=True):
    """Append this to the home, and apply it."""

    entry: Entry


class Start(msgspec.Struct, frozen=True):
    """Bring the target's end, and a producer id where there is none."""

    target: Target
    wants_id: bool


class Send(msgspec.Struct, frozen=True):
    target: Target
    producer_id: int
    epoch: int
    sequence: int
    number: int
    count: int
    refs: bytes
    from_offset: int


Step = Write | Start | Send


class Change(msgspec.Struct, frozen=True):
    """What an entry says to the home of the records that it names."""

    opened: bytes | None = None
    finished: tuple[bytes, ...] = ()
    returned: tuple[bytes, ...] = ()


class _Pair:
    def __init__(self, target: Target) -> None:
        self.target = target
        self.producer_id = NO_ID
        self.epoch = 0
        self.from_offset = 0
        self.next_sequence = 0
        self.next_number = 0
        self.done_through = -1
        self.done_written = -1
        self.position = 0
        """Of the entry that gave the open ones their sequences."""
        self.open: deque[OpenIntent] = deque()
        # What no log keeps.
        self.is_started = False
        self.is_busy = False
        self.is_gone = False
        self.sent_through = -1
        self.moved_at = 0
        self.not_before = 0
        self.pause_ms = PAUSE_MS_FIRST
        self.out_of_order_since: int | None = None
        self.restarts = False


class RelayMachine:
    def __init__(self, bugs: RelayBugs = NO_BUGS) -> None:
        self._bugs = bugs
        self._pairs: dict[Target, _Pair] = {}
        self._committed = 0
        self.resent = 0
        self.wake_at: int | None = None
        """When to ask for steps again, if nothing happens before."""

    def __len__(self) -> int:
        """Intents that are open."""
        return sum(_open_count(pair) for pair in self._pairs.values())

    def open_refs(self) -> Iterator[bytes]:
        for pair in self._pairs.values():
            for intent in pair.open:
                yield intent.refs

    # The home's log -----------------------------------------------------------------------------------------------

    def apply(self, entry: Entry, position: int) -> Change:
        """An entry is in the home's log, which ends at `position` with it. Replaying and writing are one path."""
        pair = self._pairs.get(entry.target)
        if pair is None:
            if not isinstance(entry, Intent):  # the log's start has passed what came before: nothing is open
                return Change()
            pair = self._pairs[entry.target] = _Pair(entry.target)
        match entry:
            case Intent():
                return self._intended(pair, entry, position)
            case Done():
                pair.from_offset = entry.from_offset
                return Change(finished=self._done(pair, entry.done_through))
            case Restarted():
                return self._restarted(pair, entry, position)
            case Returned():
                finished = self._done(pair, entry.done_through)
                del self._pairs[entry.target]
                return Change(finished=finished, returned=tuple(intent.refs for intent in pair.open))

    def _intended(self, pair: _Pair, entry: Intent, position: int) -> Change:
        finished: tuple[bytes, ...] = ()
        if pair.producer_id not in (entry.producer_id, NO_ID):
            # Of a leader that began with entries in which nothing was open, and so counts from 0 again.
            finished = self._done(pair, pair.next_number - 1)
            pair.done_through = pair.done_written = -1
        pair.producer_id, pair.epoch = entry.producer_id, entry.epoch
        pair.from_offset = entry.from_offset
        finished += self._done(pair, entry.done_through)
        pair.open.append(OpenIntent(entry.number, entry.sequence, entry.count, entry.refs, position))
        pair.next_number = entry.number + 1
        pair.next_sequence = (entry.sequence + entry.count) & SEQUENCE_MASK
        return Change(opened=entry.refs, finished=finished)

    def _done(self, pair: _Pair, through: int) -> tuple[bytes, ...]:
        finished = []
        while pair.open and pair.open[0].number <= through:
            finished.append(pair.open.popleft().refs)
        pair.done_written = max(pair.done_written, through)
        pair.done_through = max(pair.done_through, through)
        pair.next_number = max(pair.next_number, through + 1)
        return tuple(finished)

    def _restarted(self, pair: _Pair, entry: Restarted, position: int) -> Change:
        pair.epoch, pair.from_offset, pair.position = entry.epoch, entry.from_offset, position
        finished = self._done(pair, entry.done_through)
        pair.next_sequence = 0
        _sequence_anew(pair)
        return Change(finished=finished)

    def replicated_to(self, position: int) -> None:
        self._committed = max(self._committed, position)

    def loaded(self, now: int) -> None:
        """The home's log has been replayed by a new leader of it."""
        for pair in self._pairs.values():
            pair.moved_at = now
            # With nothing open it asks where the target ends: nobody says how long the pair was silent.
            pair.is_started = bool(pair.open)
            if pair.open:
                pair.sent_through = pair.open[-1].number  # the former leader may have
            if self._bugs.forgets_an_intent and pair.open:
                pair.done_through = pair.open[0].number
            if self._bugs.new_sequence_after_failover:
                _sequence_anew(pair)

    # Snapshots ----------------------------------------------------------------------------------------------------

    def entries(self) -> Iterator[Entry]:
        """What is open, as entries: applied to a machine of a later leader, they make it know as much. Of pairs that
        have nothing open, nothing is needed.
        """
        for pair in self._pairs.values():
            for intent in pair.open:
                yield Intent(
                    target=pair.target,
                    producer_id=pair.producer_id,
                    epoch=pair.epoch,
                    sequence=intent.sequence,
                    number=intent.number,
                    count=intent.count,
                    refs=intent.refs,
                    done_through=pair.done_written,
                    from_offset=pair.from_offset,
                )
            if pair.open:
                yield Done(pair.target, pair.done_through, pair.from_offset)

    def restore(self, entries: Iterable[Entry], position: int) -> list[bytes]:
        """The refs of intents that are done."""
        return [refs for entry in entries for refs in self.apply(entry, position).finished]

    # New intents --------------------------------------------------------------------------------------------------

    def has_room(self, target: Target, now: int) -> bool:
        """Whether another batch may be on its way. The first question about a target has it begin."""
        pair = self._pairs.get(target)
        if pair is None:
            pair = self._pairs[target] = _Pair(target)
        is_idle = pair.done_through + 1 == pair.next_number
        if pair.is_started and is_idle and now - pair.moved_at > RENEW_AFTER_MS:
            pair.is_started = False
        return pair.is_started and not pair.is_gone and _open_count(pair) < INTENTS_OPEN_MAX

    def is_failing(self, target: Target) -> bool:
        """What was sent there came to nothing several times on end."""
        pair = self._pairs.get(target)
        return pair is not None and pair.pause_ms >= PAUSE_MS_MAX

    def intent(self, target: Target, refs: bytes, count: int) -> Intent:
        """The next one, where there is room. It is written, and applied, by the home."""
        pair = self._pairs[target]
        return Intent(
            target=target,
            producer_id=pair.producer_id,
            epoch=pair.epoch,
            sequence=pair.next_sequence,
            number=pair.next_number,
            count=count,
            refs=refs,
            done_through=pair.done_through,
            from_offset=pair.from_offset,
        )

    # Steps --------------------------------------------------------------------------------------------------------

    def steps(self, now: int) -> list[Step]:
        """What is to be done now, at most one step a pair. Whatever is no `Write` is answered later."""
        self.wake_at = None
        steps: list[Step] = []
        for pair in list(self._pairs.values()):
            if pair.is_busy:
                continue
            if now < pair.not_before:
                self._wake_by(pair.not_before)
                continue
            step = self._step(pair, now)
            if step is not None:
                steps.append(step)
                pair.is_busy = not isinstance(step, Write)
        return steps

    def _wake_by(self, at: int) -> None:
        self.wake_at = at if self.wake_at is None else min(self.wake_at, at)

    def _step(self, pair: _Pair, now: int) -> Step | None:
        if pair.is_gone:
            return Write(Returned(pair.target, pair.done_through))
        if not pair.is_started:
            return Start(pair.target, wants_id=pair.producer_id == NO_ID)
        first = next((intent for intent in pair.open if intent.number > pair.done_through), None)
        if first is not None:
            position = max(first.position, pair.position)
            if position > self._committed and not self._bugs.sends_before_replicated:
                return None
            if pair.restarts:
                return self._restart(pair)
            return self._send(pair, first)
        if pair.done_through > pair.done_written:
            if now >= pair.moved_at + DONE_AFTER_MS:
                return Write(Done(pair.target, pair.done_through, pair.from_offset))
            self._wake_by(pair.moved_at + DONE_AFTER_MS)
        return None

    def _restart(self, pair: _Pair) -> Write:
        pair.out_of_order_since, pair.restarts = None, False
        return Write(Restarted(pair.target, pair.epoch + 1, pair.done_through, pair.from_offset))

    def _send(self, pair: _Pair, intent: OpenIntent) -> Send:
        self.resent += intent.number <= pair.sent_through
        pair.sent_through = max(pair.sent_through, intent.number)
        if self._bugs.done_before_append:
            pair.done_through = intent.number
        offset = pair.from_offset + 10 if self._bugs.looks_too_late else pair.from_offset
        return Send(
            pair.target,
            pair.producer_id,
            pair.epoch,
            intent.sequence,
            intent.number,
            intent.count,
            intent.refs,
            offset,
        )

    # Answers ------------------------------------------------------------------------------------------------------

    def started(self, step: Start, *, producer_id: int, from_offset: int, now: int) -> None:
        """`producer_id`: where one was asked for."""
        pair = self._answered(step.target)
        if pair is not None:
            if step.wants_id:
                pair.producer_id = producer_id
            # What is open may lie where it was looked for until now.
            pair.from_offset = min(pair.from_offset, from_offset) if pair.open else from_offset
            pair.is_started, pair.moved_at = True, now
            self._went_well(pair)

    def answered(self, step: Start | Send, answer: Answer, now: int, *, offset: int = -1) -> None:
        """`offset`: behind the batch at the target, where it was taken."""
        pair = self._answered(step.target)
        if pair is None:
            return
        match answer:
            case Answer.TAKEN:
                assert isinstance(step, Send)
                if step.epoch == pair.epoch and step.number > pair.done_through:
                    pair.done_through = step.number
                    pair.from_offset = max(pair.from_offset, offset)
                pair.moved_at = now
                self._went_well(pair)
            case Answer.OUT_OF_ORDER:
                if pair.out_of_order_since is None:
                    pair.out_of_order_since = now
                elif now - pair.out_of_order_since >= RESTART_AFTER_MS and pair.epoch < EPOCH_MAX:
                    pair.restarts, pair.is_started = True, False
                self._pause(pair, now)
            case Answer.GONE:
                pair.is_gone = True
                self._went_well(pair)
            case Answer.LATER:
                pair.out_of_order_since = None
                self._pause(pair, now)

    def _answered(self, target: Target) -> _Pair | None:
        pair = self._pairs.get(target)
        if pair is not None:
            pair.is_busy = False
        return pair

    def _pause(self, pair: _Pair, now: int) -> None:
        pair.not_before = now + pair.pause_ms
        pair.pause_ms = min(2 * pair.pause_ms, PAUSE_MS_MAX)

    def _went_well(self, pair: _Pair) -> None:
        pair.pause_ms = PAUSE_MS_FIRST
        pair.not_before = 0
        pair.out_of_order_since = None

    def give_up(self, target: Target) -> None:
        """What is open goes back to the home, which will not send it again. What was sent may still come there."""
        pair = self._pairs.get(target)
        if pair is not None and not pair.is_busy:
            pair.is_gone = True
            pair.not_before = 0

    def write_failed(self, target: Target, now: int) -> None:
        """The home takes no entry now."""
        pair = self._pairs.get(target)
        if pair is not None:
            self._pause(pair, now)


def _open_count(pair: _Pair) -> int:
    return sum(intent.number > pair.done_through for intent in pair.open)


def _sequence_anew(pair: _Pair) -> None:
    for intent in pair.open:
        intent.sequence = pair.next_sequence
        pair.next_sequence += intent.count
