"""Idempotence and open transactions of one partition: what may come next, what came already, what is undecided.

The rules are in `checks`. A producer without state here (expired, its records deleted) is accepted at any
sequence.

Live use, restart, replication and truncation all go through `update`, so that they cannot disagree. Earlier states are
kept in `history`.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from penstock.log.producers.checks import Duplicate, check_batch, check_epoch, check_marker, find_duplicate
from penstock.log.producers.history import ProducerHistory
from penstock.log.producers.producer import NO_OFFSET, Batch, ProducerState
from penstock.model import Millis
from penstock.settings.broker import PENSTOCK_PRODUCERS_PER_PARTITION_MAX, PRODUCER_ID_EXPIRATION_MS
from penstock.wire.batch import CONTROL, TRANSACTIONAL, BatchHeader
from penstock.wire.markers import MarkerType, read_marker

if TYPE_CHECKING:
    from penstock.settings import Config, TopicConfig

LOOKED_AT: Final = 64
"""Producers among which one is chosen to be forgotten."""

_KIND: Final = TRANSACTIONAL | CONTROL


class CompletedTransaction(msgspec.Struct, frozen=True, gc=False):
    """A marker ended a transaction that has records here."""

    producer_id: int
    first_offset: int
    last_offset: int  # the marker's
    is_aborted: bool
    last_stable_offset: int  # once the marker is replicated; the transaction index keeps it


class ActiveProducer(msgspec.Struct, frozen=True, gc=False):
    """One row of DescribeProducers."""

    producer_id: int
    epoch: int
    last_sequence: int
    last_timestamp: int
    coordinator_epoch: int
    transaction_first_offset: int


class ProducerStates:
    def __init__(self, folder: Path, config: "Config | TopicConfig") -> None:
        self._config = config
        self._states: dict[int, ProducerState] = {}
        # Producer ids by first offset of their open transaction, ascending: transactions begin at the log's end.
        self._open: dict[int, int] = {}
        self.ended: dict[int, int] = {}
        """First offset -> marker's offset of ended transactions, in the order of the markers, kept until the high
        watermark passes the marker."""
        # Who was found silent at the last look, and what it had written last by then.
        self._silent: dict[int, tuple[int, int]] = {}
        self._updated_to = 0  # from this offset on there is nothing in here but a producer's last batches
        self.history = ProducerHistory(self, folder)

    def __len__(self) -> int:
        return len(self._states)

    def __iter__(self) -> Iterator[ProducerState]:
        return iter(self._states.values())

    def knows(self, producer_id: int) -> bool:
        return producer_id in self._states

    def recall(self, header: BatchHeader) -> None:
        """A batch that is in the log, of a producer that was forgotten; those of one producer come in order."""
        state = self._states.get(header.producer_id)
        if state is None:
            state = self._begin(header.producer_id, header.producer_epoch)
        state.move_to(header.producer_epoch)
        state.last_timestamp = header.max_timestamp
        state.remember(Batch(header.base_sequence, header.base_offset, header.last_offset_delta, header.max_timestamp))

    def highest_below(self, producer_id: int) -> int:
        """The highest id below this one of a producer that is known here; -1 where there is none."""
        return max((known for known in self._states if known < producer_id), default=-1)

    # -- before an append ------------------------------------------------------------------------------------------

    def expects(self, header: BatchHeader) -> ProducerState | None:
        """The producer whose next batch this is, if it is what nearly all are: data of its epoch, with the sequence
        that is to come, within a transaction just if one is open. None: `check` says what it is, or `update`.
        """
        state = self._states.get(header.producer_id)
        if state is None or header.base_sequence != state.next_sequence or header.producer_epoch != state.epoch:
            return None
        attributes = header.attributes
        if 0 <= attributes < TRANSACTIONAL:  # and so no CONTROL, which is higher
            return state if state.transaction_first_offset < 0 else None
        is_next = attributes & _KIND == TRANSACTIONAL and state.transaction_first_offset >= 0
        return state if is_next else None

    def check(self, header: BatchHeader) -> Duplicate | None:
        """May a client's batch be appended? None: yes. Duplicate: it has been already. Else it is refused."""
        state = self._states.get(header.producer_id)
        return None if state is None else check_batch(state, header)

    def find_duplicate(self, header: BatchHeader) -> Duplicate | None:
        state = self._states.get(header.producer_id)
        return None if state is None else find_duplicate(state, header)

    def check_epoch(self, producer_id: int, producer_epoch: int) -> None:
        """Refuse an epoch that is not in use any more: all that is asked of a batch that counts no sequences."""
        state = self._states.get(producer_id)
        if state is not None:
            check_epoch(state, producer_epoch)

    def check_marker(
        self, *, producer_id: int, producer_epoch: int, coordinator_epoch: int, transaction_version: int = 0
    ) -> None:
        """May a coordinator end this producer's transaction?"""
        state = self._states.get(producer_id)
        if state is not None:
            check_marker(
                state,
                producer_epoch=producer_epoch,
                coordinator_epoch=coordinator_epoch,
                transaction_version=transaction_version,
            )

    # -- after an append, by replication, by replay ------------------------------------------------------------------

    def update(self, header: BatchHeader, batch: "bytes | bytearray | memoryview") -> CompletedTransaction | None:
        """Take in a batch that is in the log; the caller writes an aborted transaction to the transaction index."""
        producer_id = header.producer_id
        if producer_id < 0:
            return None
        expected = self.expects(header)
        if expected is not None:
            expected.took(header)
            return None
        base_offset, attributes = header.base_offset, header.attributes
        self._updated_to = base_offset + header.last_offset_delta + 1
        if attributes & CONTROL:
            return self._end_transaction(header, batch)
        state = self._states.get(producer_id)
        if state is None:
            state = self._begin(producer_id, header.producer_epoch)
        elif header.producer_epoch != state.epoch:
            state.move_to(header.producer_epoch)
        timestamp = state.last_timestamp = header.max_timestamp
        state.remember(Batch(header.base_sequence, base_offset, header.last_offset_delta, timestamp))
        if attributes & TRANSACTIONAL and state.transaction_first_offset < 0:
            state.transaction_first_offset = base_offset
            self._open[base_offset] = producer_id
        return None

    def _begin(self, producer_id: int, epoch: int) -> ProducerState:
        if len(self._states) >= self._config[PENSTOCK_PRODUCERS_PER_PARTITION_MAX]:
            self._make_room()
        state = self._states[producer_id] = ProducerState(producer_id, epoch)
        return state

    def _make_room(self) -> None:
        """Forget the one that is silent for longest among those looked at longest ago: near enough, and a new producer
        costs the same however many there are. Nobody with an open transaction goes: what is in the log is undecided.
        """
        looked_at = [self._states.pop(producer_id) for producer_id in list(islice(self._states, LOOKED_AT))]
        idle = [state for state in looked_at if state.transaction_first_offset < 0]
        gone = min(idle, key=lambda state: state.last_timestamp, default=None)
        self._states.update((state.producer_id, state) for state in looked_at if state is not gone)

    def _end_transaction(
        self, header: BatchHeader, batch: "bytes | bytearray | memoryview"
    ) -> CompletedTransaction | None:
        marker = read_marker(batch)
        if marker is None:  # a marker that compaction emptied: all of its transaction is gone
            return None
        state = self._states.get(header.producer_id)
        if state is None:
            state = self._begin(header.producer_id, header.producer_epoch)
        state.move_to(header.producer_epoch)
        state.coordinator_epoch = marker.coordinator_epoch
        state.last_timestamp = header.max_timestamp
        first_offset, state.transaction_first_offset = state.transaction_first_offset, NO_OFFSET
        if first_offset < 0:
            return None
        self._open.pop(first_offset, None)
        self.ended[first_offset] = header.base_offset
        return CompletedTransaction(
            producer_id=header.producer_id,
            first_offset=first_offset,
            last_offset=header.base_offset,
            is_aborted=marker.type is MarkerType.ABORT,
            last_stable_offset=next(iter(self._open), header.base_offset + 1),
        )

    # -- questions -------------------------------------------------------------------------------------------------

    def is_in_transaction(self, producer_id: int, producer_epoch: int) -> bool:
        """Whether the producer has a transaction open here, in this epoch."""
        state = self._states.get(producer_id)
        return state is not None and state.transaction_first_offset >= 0 and state.epoch == producer_epoch

    def coordinator_epoch_of(self, producer_id: int) -> int:
        """Of the coordinator whose marker came last for this producer; -1 if none has come."""
        state = self._states.get(producer_id)
        return -1 if state is None else state.coordinator_epoch

    def has_batches(self, producer_id: int) -> bool:
        """Whether any batch of the producer's epoch is remembered."""
        state = self._states.get(producer_id)
        return state is not None and bool(state.batches)

    def replicated_to(self, high_watermark: int) -> None:
        """Told as the high watermark rises, whether or not anybody reads: transactions whose markers it has passed hold
        nothing up any more, and would pile up where nobody reads.
        """
        ended = self.ended
        while ended:
            first_offset, marker = next(iter(ended.items()))
            if marker >= high_watermark:
                return
            del ended[first_offset]

    def last_stable_offset(self, high_watermark: int) -> int:
        """Below it every transaction is decided, and replicated so: what a read_committed consumer may see."""
        if not self._open and not self.ended:
            return high_watermark
        self.replicated_to(high_watermark)
        return min(high_watermark, next(iter(self._open), high_watermark), min(self.ended, default=high_watermark))

    def describe(self) -> list[ActiveProducer]:
        return [
            ActiveProducer(
                producer_id=state.producer_id,
                epoch=state.epoch,
                last_sequence=state.last_sequence,
                last_timestamp=state.last_timestamp,
                coordinator_epoch=state.coordinator_epoch,
                transaction_first_offset=state.transaction_first_offset,
            )
            for state in self._states.values()
        ]

    def last_batches(self) -> dict[int, tuple[int, int]]:
        """Epoch and last data offset (-1: only a marker is left) of each producer: compaction keeps those batches."""
        return {state.producer_id: (state.epoch, state.last_offset) for state in self._states.values()}

    def expire(self, now: Millis) -> int:
        """Forget producers that have been silent for producer.id.expiration.ms, except within a transaction.

        How long they are silent is told by their records' timestamps, which may be old ones, and by a clock, which may
        be set: so whoever has written anything since the last look stays. What is sent again by a producer that was
        forgotten would be taken twice.
        """
        silent = {
            state.producer_id: (state.epoch, state.last_offset)
            for state in self._states.values()
            if self._is_expired(state, now)
        }
        gone = [producer_id for producer_id, last in silent.items() if self._silent.get(producer_id) == last]
        for producer_id in gone:
            del self._states[producer_id], silent[producer_id]
        self._silent = silent
        return len(gone)

    def _is_expired(self, state: ProducerState, now: int) -> bool:
        silent_ms = now - state.last_timestamp
        return state.transaction_first_offset < 0 and silent_ms >= self._config[PRODUCER_ID_EXPIRATION_MS]

    # -- other states at once ----------------------------------------------------------------------------------------

    def load(self, states: Iterable[ProducerState], *, at_offset: int, ended: dict[int, int] | None = None) -> None:
        """Know this instead, which was so at an offset."""
        self._states = {state.producer_id: state for state in states}
        undecided = [state for state in self._states.values() if state.transaction_first_offset >= 0]
        undecided.sort(key=lambda state: state.transaction_first_offset)
        self._open = {state.transaction_first_offset: state.producer_id for state in undecided}
        self.ended = dict(ended or {})
        self._silent.clear()
        self._updated_to = at_offset

    def is_all_below(self, offset: int) -> bool:
        """Whether nothing here is of a batch at or after an offset."""
        return self._updated_to <= offset and all(state.last_offset < offset for state in self._states.values())

    def known_at(self, offset: int, first_offset: int) -> tuple["ProducerStates", int]:
        """What was known at an offset or before it, as a copy, and the offset from which batches are to be replayed on
        it; changes nothing. For a thread.
        """
        replay_from, states = self.history.find(offset, first_offset)
        known = ProducerStates(self.history.files.folder, self._config)
        known.load(states, at_offset=replay_from)
        return known, replay_from

    def take_over(self, other: "ProducerStates") -> None:
        """Know what is known of the producers of a log with the same records, those included whose records are gone."""
        self._states, self._open, self.ended = dict(other._states), dict(other._open), dict(other.ended)
        self._updated_to = other._updated_to
        self.history.forget()

    def reset(self) -> None:
        """The log starts anew elsewhere: nothing known here holds any more."""
        self.load((), at_offset=0)
        self.history.delete()
