"""Where reading begins and ends, a partition each."""

from dataclasses import dataclass

from penstock.cli.client import Cluster, failure
from penstock.cli.exits import Failure
from penstock.cli.kafka_names import AdminClient, Consumer, KafkaException, TopicPartition
from penstock.cli.output import note
from penstock.cli.topic.facts import PartitionRange, partition_ranges


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
    admin: AdminClient,
    consumer: Consumer,
    cluster: Cluster,
    *,
    topic: str,
    partitions: list[int],
    start: Start,
    read_committed: bool,
) -> dict[int, Span]:
    ranges = partition_ranges(admin, cluster, [(topic, index) for index in partitions], read_committed=read_committed)
    times = _offsets_at(consumer, cluster, topic, partitions, start) if isinstance(start, AtTime) else {}
    spans = {}
    for index in partitions:
        begin, end = _known(topic, index, ranges[topic, index])
        match start:
            case Beginning():
                wanted = begin
            case AtOffset(offset):
                wanted = offset
            case AtTime():
                # No record that young: librdkafka answers -1, and reading begins at the end.
                wanted = times[index] if times[index] >= 0 else end
            case Last(count):
                wanted = max(begin, end - count)
        spans[index] = Span(begin, _within(wanted, begin=begin, end=end, where=f"{topic}-{index}"), end)
    return spans


def _known(topic: str, index: int, offsets: PartitionRange) -> tuple[int, int]:
    if offsets.begin is None or offsets.end is None:
        raise Failure(
            f"partition {index} of {topic} does not tell its offsets: {offsets.problem}",
            hint="Its leader's log tells why, and so does the /health page of a Penstock broker;\n"
            "--partition reads other partitions.",
        )
    return offsets.begin, offsets.end


def _within(wanted: int, *, begin: int, end: int, where: str) -> int:
    if wanted < begin:
        note(f"{where} begins at {begin}; nothing is left at {wanted}")
        return begin
    if wanted > end:
        note(f"{where} ends at {end}; nothing is at {wanted} yet")
        return end
    return wanted


def _offsets_at(
    consumer: Consumer, cluster: Cluster, topic: str, partitions: list[int], start: AtTime
) -> dict[int, int]:
    asked = [TopicPartition(topic, index, start.timestamp_ms) for index in partitions]
    try:
        answered = consumer.offsets_for_times(asked, timeout=cluster.timeout_s)
    except KafkaException as error:
        raise failure(error.args[0], cluster, doing="find offsets by time") from error
    return {where.partition: where.offset for where in answered}
