"""What a batch reads: pure decisions over offsets, made on the driver.

An offset range is an upper bound of the records in it: compaction and transactions leave gaps. So a limit in records
may give fewer, never more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from penstock.model import TopicPartition
from penstock.pipelines.source.positions import Offsets, Position


@dataclass(frozen=True, order=True)
class Range:
    """Offsets of one partition that one task reads: from start, and up to but not including end."""

    partition: TopicPartition
    start: int
    end: int

    @property
    def records(self) -> int:
        return self.end - self.start


@dataclass(frozen=True)
class Log:
    """What a partition holds now: first offset, and the one that the next record will get (as far as readers see)."""

    start: int
    end: int


@dataclass(frozen=True)
class Loss:
    """Records that were to be read and are not there any more."""

    partition: TopicPartition
    what: str

    def __str__(self) -> str:
        return f"{self.partition}: {self.what}"


def limited(current: Offsets, logs: Mapping[TopicPartition, Log], records_max: int | None) -> dict[TopicPartition, int]:
    """How far the next batch goes: to the ends, or each partition by its share of what waits.

    Every partition with something waiting moves by one at least, so that a large one cannot starve a small one; hence
    the limit may be passed by one record a partition. A partition never moves back, and keeps its place if it is gone.
    """
    waiting = {each: max(0, log.end - max(current.get(each, 0), log.start)) for each, log in logs.items()}
    total = sum(waiting.values())
    ends = dict(current)
    for each, log in logs.items():
        here = max(current.get(each, 0), log.start)
        if records_max is None or total <= records_max:
            ends[each] = max(log.end, here) if each in current else log.end
        elif waiting[each]:
            ends[each] = here + max(1, records_max * waiting[each] // total)
        else:
            ends[each] = current.get(each, 0)
    return ends


def settled(
    current: Position, logs: Mapping[TopicPartition, Log], ids: Mapping[str, str]
) -> tuple[dict[TopicPartition, int], list[Loss]]:
    """Where a stream stands on what is there now: a topic that was made anew is read from its start, a log that was cut
    below from its end, and a partition that is gone keeps its place."""
    offsets: dict[TopicPartition, int] = {}
    lost: list[Loss] = []
    for each, offset in current.offsets.items():
        before = current.ids.get(each.topic)
        if each not in logs:
            lost.append(Loss(each, f"it was deleted, and with it what came after {offset}"))
            offsets[each] = offset
        elif before is not None and ids.get(each.topic, before) != before:
            lost.append(Loss(each, f"its topic was made anew; of the former one, what came after {offset} is gone"))
            offsets[each] = 0
        elif logs[each].end < offset:
            lost.append(Loss(each, f"it ends at {logs[each].end}, and was read up to {offset} already"))
            offsets[each] = logs[each].end
        else:
            offsets[each] = offset
    return offsets, lost


def capped(logs: Mapping[TopicPartition, Log], stop: Offsets | None) -> dict[TopicPartition, Log]:
    """The same logs as if they ended where a bounded run is to stop; partitions that it does not name stay out."""
    if stop is None:
        return dict(logs)
    return {each: Log(log.start, min(log.end, stop[each])) for each, log in logs.items() if each in stop}


def ranges(
    start: Position, end: Position, logs: Mapping[TopicPartition, Log], ids: Mapping[str, str]
) -> tuple[list[Range], list[Loss]]:
    """What lies between two positions and can still be read, and what cannot.

    A partition that only the end names was added meanwhile: it is read from its first record.
    """
    found: list[Range] = []
    lost: list[Loss] = []
    for each, upto in sorted(end.offsets.items()):
        since = start.offsets.get(each, 0)
        log = logs.get(each)
        before, then = start.ids.get(each.topic), end.ids.get(each.topic)
        if before is not None and then is not None and before != then:
            lost.append(Loss(each, f"its topic was made anew; of the former one, what came after {since} is gone"))
            since = 0
        if upto <= since:
            continue
        if log is None:
            lost.append(Loss(each, f"it is gone, and with it the offsets {since} to {upto - 1}"))
            continue
        if then is not None and ids.get(each.topic, then) != then:
            lost.append(
                Loss(each, f"its topic was made anew; the offsets {since} to {upto - 1} of the former are gone")
            )
            continue
        if log.start > since:
            lost.append(Loss(each, f"the offsets {since} to {min(log.start, upto) - 1} were deleted"))
            since = log.start
        if log.end < upto:
            lost.append(Loss(each, f"it ends at {log.end}, and offsets up to {upto - 1} were to be read"))
            upto = log.end
        if since < upto:
            found.append(Range(each, since, upto))
    return found, lost


def split(
    parts: Sequence[Range],
    *,
    record_bytes: Mapping[TopicPartition, float],
    bytes_max: int,
    records_max: int | None = None,
    partitions_min: int | None = None,
) -> list[Range]:
    """Cut ranges so that no task gets more than the limits, and there are about as many tasks as asked for."""
    total = sum(part.records for part in parts)
    cut: list[Range] = []
    for part in parts:
        most = part.records
        if records_max is not None:
            most = min(most, records_max)
        size = record_bytes.get(part.partition, 0.0)
        if size * most > bytes_max:
            most = max(1, int(bytes_max / size))
        pieces = -(-part.records // most) if most else 1
        if partitions_min is not None and total:
            pieces = max(pieces, min(part.records, round(partitions_min * part.records / total)))
        cut.extend(_even(part, pieces))
    return cut


def _even(part: Range, pieces: int) -> Iterable[Range]:
    """Pieces whose sizes differ by one at most."""
    each, more = divmod(part.records, pieces)
    at = part.start
    for index in range(pieces):
        until = at + each + (1 if index < more else 0)
        yield Range(part.partition, at, until)
        at = until


def records_for(
    bytes_max: int, current: Offsets, logs: Mapping[TopicPartition, Log], sizes: Mapping[TopicPartition, float]
) -> int:
    """A limit in bytes as one in records, by the mean size of what waits (of the partitions that gave a sample)."""
    waiting = {each: max(0, log.end - max(current.get(each, 0), log.start)) for each, log in logs.items()}
    known = {each: sizes[each] for each in waiting if sizes.get(each, 0) > 0}
    weight = sum(waiting[each] for each in known)
    if not weight:
        return max(1, bytes_max)
    mean = sum(known[each] * waiting[each] for each in known) / weight
    return max(1, int(bytes_max / mean))
