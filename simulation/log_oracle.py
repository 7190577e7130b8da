"""What a log has promised, and whether one that was opened again after a crash has kept it.

A log is what it was at some moment: its batches are a prefix of what it held then, all of those among them that were
flushed and not cut since. Its leader epochs, its producers, its aborted transactions and what it finds by offset and by
time are those of its batches.
"""

from typing import NamedTuple

from penstock.errors import CorruptMessage
from penstock.log import PartitionLog
from penstock.log.producers.producers import ProducerStates
from penstock.wire.batch import HEADER_SIZE, BatchHeader
from penstock.wire.records import Record, iterate
from simulation.oracle import Violation


class Batch(NamedTuple):
    header: BatchHeader
    data: bytes


class Version:
    """A log between two cuts: batches are only added."""

    def __init__(self, batches: list[Batch], start: int, lowest_start: int) -> None:
        self.batches = batches
        self.start = start
        self.lowest_start = lowest_start
        """That the disk may still know of."""

    @property
    def end(self) -> int:
        return self.batches[-1].header.next_offset if self.batches else self.start


class Expected:
    def __init__(self) -> None:
        self.versions = [Version([], 0, 0)]
        self.durable = 0
        """Below it the last version is on disk."""
        self.written = 0
        """Below it the last version is written."""

    @property
    def now(self) -> Version:
        return self.versions[-1]

    def appends(self, batches: list[tuple[BatchHeader, bytes]]) -> None:
        self.now.batches += [Batch(header, data) for header, data in batches]

    def appended(self) -> None:
        self.written = self.now.end

    def flushed(self, upto: int) -> None:
        self.durable = max(self.durable, upto)

    def start_rises(self, start: int) -> None:
        self.now.start = max(self.now.start, start)

    def start_noted(self, start: int) -> None:
        self.now.lowest_start = max(self.now.lowest_start, start)

    def cut(self, to: int) -> None:
        """About to be, to `to` or to the beginning of the batch that holds it."""
        former = self.now
        kept = [batch for batch in former.batches if batch.header.next_offset <= to]
        self.versions.append(Version(kept, former.start, former.lowest_start))
        end = kept[-1].header.next_offset if kept else 0
        self.durable, self.written = min(self.durable, end), min(self.written, end)

    def was_cut(self, end: int) -> None:
        if not self.now.batches:
            self.now.start = self.now.lowest_start = end

    def begins_anew(self, offset: int) -> None:
        self.versions.append(Version([], offset, offset))
        self.durable = self.written = 0

    def failed(self, former: Version, end: int) -> None:
        """What was about to be done with that version was not done, or not whole: the log ends there."""
        kept = [batch for batch in former.batches if batch.header.next_offset <= end]
        self.versions.append(Version(kept, former.start, former.lowest_start))

    def goes_on(self, log: PartitionLog, number: int, *, has_lost_power: bool) -> None:
        """It was found to be that version. After a loss of power, what could be read is on disk; else it may yet be
        lost."""
        version = self.versions[number]
        kept = [batch for batch in version.batches if batch.header.next_offset <= log.end_offset]
        found = Version(kept, log.start_offset, log.start_offset if has_lost_power else version.lowest_start)
        self.versions = [found] if has_lost_power else [*self.versions, found]
        self.written = log.end_offset
        self.durable = log.end_offset if has_lost_power else min(self.durable, log.end_offset)

    def must_be_empty(self) -> None:
        if any(batch.header.next_offset <= self.durable for batch in self.now.batches):
            raise Violation("a log is gone although it was flushed")


def judge(log: PartitionLog, expected: Expected, *, has_lost_power: bool) -> int:
    """Which version it is, and hold that."""
    if log.trouble is not None:
        raise Violation(f"{log.partition}: {log.health.offline_reason}")
    batches = read_batches(log)
    reasons = [_differs(log, batches, version) for version in expected.versions]
    if None not in reasons:
        raise Violation(f"{log} is not what it ever was: {reasons[::-1]}")
    number = max(number for number, reason in enumerate(reasons) if reason is None)
    _check_there(log, batches, expected, expected.durable if has_lost_power else expected.written)
    _check_epochs(log, batches)
    _check_producers(log, expected.versions[number])
    _check_lookups(log, batches)
    return number


def read_batches(log: PartitionLog) -> list[Batch]:
    found, offset = [], log.start_offset
    while offset < log.end_offset:
        try:
            data, position = log.read(offset, 5_000), 0
        except CorruptMessage as damage:
            raise Violation(f"{log}: {damage}") from damage
        if not data:
            if log.may_have_gaps:
                break
            raise Violation(f"{log}: nothing at {offset}")
        while position < len(data):
            header = BatchHeader.peek(data, position)
            found.append(Batch(header, data[position : position + header.size]))
            position += header.size
        offset = found[-1].header.next_offset
    return found


def _differs(log: PartitionLog, batches: list[Batch], version: Version) -> str | None:
    is_lost = log.start_offset == log.end_offset < version.lowest_start  # all that it had was deleted, or not flushed
    if not version.lowest_start <= log.start_offset <= version.start and not is_lost:
        return f"begins at {log.start_offset}, not within {version.lowest_start} and {version.start}"
    if log.end_offset > version.end:
        return f"ends at {log.end_offset}, after {version.end}"
    held = [
        batch
        for batch in version.batches
        if batch.header.next_offset > log.start_offset and batch.header.base_offset < log.end_offset
    ]
    if log.may_have_gaps:
        return _differs_compacted(batches, held)
    if [batch.data for batch in batches] != [batch.data for batch in held]:
        at = next((a.header.base_offset for a, b in zip(batches, held, strict=False) if a.data != b.data), -1)
        return f"has other batches from {at} on: {len(batches)} rather than {len(held)}"
    return None


def _differs_compacted(batches: list[Batch], held: list[Batch]) -> str | None:
    original = {record.offset: record for record in _records(held)}
    kept = _records(batches)
    if any(_content(original.get(record.offset)) != _content(record) for record in kept):
        return "has a record that was never written there"
    if {r.key: r.value for r in kept} != {r.key: r.value for r in original.values()}:
        return "lost the newest record of a key"
    return None


def _content(record: Record | None) -> tuple[object, ...] | None:
    return None if record is None else (record.offset, record.key, record.value, record.timestamp)


def _records(batches: list[Batch]) -> list[Record]:
    return [record for batch in batches if not batch.header.is_control for record in iterate(batch.data)]


def _check_there(log: PartitionLog, batches: list[Batch], expected: Expected, upto: int) -> None:
    wanted = [
        batch
        for batch in expected.now.batches
        if log.start_offset <= batch.header.base_offset and batch.header.next_offset <= upto
    ]
    if wanted and wanted[-1].header.next_offset > log.end_offset:
        raise Violation(f"{log} ends before {upto}, up to which it should be there")
    if not log.may_have_gaps:
        held = {batch.data for batch in batches}
        if missing := [batch.header.base_offset for batch in wanted if batch.data not in held]:
            raise Violation(f"{log} misses what should be there: {missing}")


def _check_epochs(log: PartitionLog, batches: list[Batch]) -> None:
    for batch in batches:
        known = log.epochs.epoch_at(max(batch.header.base_offset, log.start_offset))
        if known != batch.header.leader_epoch:
            raise Violation(f"{log}: epoch {known} at {batch.header.base_offset}, not {batch.header.leader_epoch}")
    if batches and log.epochs.latest != batches[-1].header.leader_epoch:
        raise Violation(f"{log}: latest epoch {log.epochs.latest}, not {batches[-1].header.leader_epoch}")


def _check_producers(log: PartitionLog, version: Version) -> None:
    """Of those who have batches left; whoever has none may be known from a snapshot, or not."""
    states, aborted, writers = ProducerStates(log.folder, log.config), {}, {}
    for batch in version.batches:
        header = batch.header
        if header.producer_id < 0 or header.base_offset >= log.end_offset:
            continue
        ended = states.update(header, batch.data)
        if ended is not None and ended.is_aborted:
            aborted[ended.producer_id, ended.last_offset] = ended.first_offset
        if header.base_offset >= log.start_offset:
            writers[header.producer_id] = header.base_offset
    known, wanted = log.producers.last_batches(), states.last_batches()
    for producer in writers:
        if known.get(producer) != wanted[producer] and wanted[producer][1] >= log.start_offset:
            raise Violation(f"{log}: of producer {producer} it knows {known.get(producer)}, not {wanted[producer]}")
    if log.may_have_gaps:
        return
    entries = log.aborts.between(log.start_offset, log.end_offset)
    found = {(entry.producer_id, entry.last_offset): entry.first_offset for entry in entries}
    for ending in aborted.keys() | found.keys():
        first = aborted.get(ending, -1)
        if first != found.get(ending) and not 0 <= first < log.start_offset:
            raise Violation(f"{log}: the transaction that {ending} ended began at {first}, not {found.get(ending)}")


def _check_lookups(log: PartitionLog, batches: list[Batch]) -> None:
    for batch in batches[:: max(1, len(batches) // 5)]:
        if len(batch.data) == HEADER_SIZE:
            continue  # compaction has emptied it: a reader is given what comes after
        offset = max(batch.header.base_offset, log.start_offset)
        if not log.read(offset, 1).startswith(batch.data[:61]):
            raise Violation(f"{log}: something else is found at {offset}")
    records = [each for batch in batches for each in iterate(batch.data) if each.offset >= log.start_offset]
    for record in records[:: max(1, len(records) // 5)]:
        found = log.times.find(record.timestamp)
        first = next(each for each in records if each.timestamp >= record.timestamp)
        if found is None or found.offset != first.offset:
            raise Violation(f"{log}: by time {record.timestamp} found {found}, not {first.offset}")
