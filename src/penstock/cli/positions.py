"""Where reading begins and ends, a partition each."""

from dataclasses import dataclass

from penstock.cli.client import Cluster
from penstock.cli.output import note
from penstock.cli.places import Place
from penstock.cli.topic.offsets import offsets_at_time, offsets_unknown, partition_ranges


@dataclass(frozen=True)
class Beginning:
    pass


@dataclass(frozen=True)
class AtOffset:
    offset: int


@dataclass(frozen=True)
class AtTime:
    timestamp_ms: int


@dataclass(frozen=True)
class Last:
    count: int


Start = Beginning | AtOffset | AtTime | Last


@dataclass(frozen=True)
class Span:
    """Read from start; end is where the partition ended when reading began."""

    begin: int
    start: int
    end: int


def find_spans(
    cluster: Cluster,
    *,
    topic: str,
    partitions: list[int],
    start: Start,
    read_committed: bool,
) -> dict[int, Span]:
    """Failure, with the partitions named, where one does not tell its offsets: half a topic looks like a whole one."""
    places = [(topic, index) for index in partitions]
    ranges = partition_ranges(cluster, places, read_committed=read_committed, patiently=True)
    times: dict[Place, int | None] = {}
    if isinstance(start, AtTime):
        times = offsets_at_time(cluster, places, start.timestamp_ms, read_committed=read_committed)
    if unknown := {place: ranges[place].problem for place in places if ranges[place].count is None}:
        problem = offsets_unknown(unknown, cluster)
        problem.hint = f"{problem.hint}\n--partition reads other partitions."
        raise problem
    spans = {}
    for index in partitions:
        begin, end = ranges[topic, index].begin, ranges[topic, index].end
        assert begin is not None and end is not None  # looked at above
        match start:
            case Beginning():
                wanted = begin
            case AtOffset(offset):
                wanted = offset
            case AtTime():
                at_time = times[topic, index]
                wanted = end if at_time is None else at_time
            case Last(count):
                wanted = max(begin, end - count)
        spans[index] = Span(begin, _within(wanted, begin=begin, end=end, where=f"{topic}-{index}"), end)
    return spans


def _within(wanted: int, *, begin: int, end: int, where: str) -> int:
    if wanted < begin:
        note(f"{where} begins at {begin}; nothing is left at {wanted}")
        return begin
    if wanted > end:
        note(f"{where} ends at {end}; nothing is at {wanted} yet")
        return end
    return wanted
