"""What describe and list say about topics, asked of the cluster in as few requests as it takes."""

from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass

from penstock.cli.client import Cluster, error_text
from penstock.cli.kafka_names import (
    AdminClient,
    ConfigResource,
    ConfigSource,
    IsolationLevel,
    KafkaException,
    ListOffsetsResultInfo,
    OffsetSpec,
    ResourceType,
    TopicPartition,
)


@dataclass(frozen=True)
class PartitionRange:
    """Offsets of a partition: records are at [begin, end). None where its leader did not answer."""

    begin: int | None
    end: int | None
    problem: str | None = None
    """Why an offset is not known."""

    @property
    def count(self) -> int | None:
        """An upper bound: compaction and transaction markers leave gaps."""
        return None if self.begin is None or self.end is None else self.end - self.begin


@dataclass(frozen=True)
class SettingFact:
    name: str
    value: str | None
    source: str
    is_default: bool


def partition_ranges(
    admin: AdminClient, cluster: Cluster, partitions: Iterable[tuple[str, int]], *, read_committed: bool = False
) -> dict[tuple[str, int], PartitionRange]:
    wanted = list(partitions)
    if not wanted:
        return {}
    level = IsolationLevel.READ_COMMITTED if read_committed else IsolationLevel.READ_UNCOMMITTED
    begin = _ask(admin, cluster, wanted, OffsetSpec.earliest(), level)  # type: ignore[no-untyped-call]
    end = _ask(admin, cluster, wanted, OffsetSpec.latest(), level)  # type: ignore[no-untyped-call]
    return {key: _range(begin[key], end[key]) for key in wanted}


def offsets_at_time(
    admin: AdminClient, cluster: Cluster, partitions: Iterable[tuple[str, int]], timestamp_ms: int
) -> dict[tuple[str, int], int | None]:
    """The first offset at or after a time; None where all records are older."""
    spec = OffsetSpec.for_timestamp(timestamp_ms)
    found = {}
    for place, future in _ask(admin, cluster, list(partitions), spec, IsolationLevel.READ_UNCOMMITTED).items():
        offset = cluster.wait(future, doing=f"find an offset of {place[0]}-{place[1]} by time").offset
        found[place] = offset if offset >= 0 else None
    return found


def _ask(
    admin: AdminClient, cluster: Cluster, partitions: list[tuple[str, int]], spec: OffsetSpec, level: IsolationLevel
) -> Mapping[tuple[str, int], "Future[ListOffsetsResultInfo]"]:
    futures = admin.list_offsets(
        {TopicPartition(topic, partition): spec for topic, partition in partitions},
        isolation_level=level,
        request_timeout=cluster.timeout_s,
    )
    return {(where.topic, where.partition): future for where, future in futures.items()}


def _range(begin: "Future[ListOffsetsResultInfo]", end: "Future[ListOffsetsResultInfo]") -> PartitionRange:
    # One partition without a leader must not hide what is known of the others.
    offsets: list[int | None] = []
    problem = None
    for future in (begin, end):
        try:
            offsets.append(future.result().offset)
        except KafkaException as error:
            offsets.append(None)
            problem = error_text(error.args[0])
    return PartitionRange(offsets[0], offsets[1], problem)


_SOURCES = {
    ConfigSource.DYNAMIC_TOPIC_CONFIG: "topic",
    ConfigSource.DYNAMIC_BROKER_CONFIG: "broker, dynamic",
    ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG: "cluster default",
    ConfigSource.STATIC_BROKER_CONFIG: "broker's file",
    ConfigSource.DEFAULT_CONFIG: "default",
}


def topic_settings(admin: AdminClient, cluster: Cluster, topics: list[str]) -> dict[str, list[SettingFact]]:
    resources = [ConfigResource(ResourceType.TOPIC, name) for name in topics]
    futures = admin.describe_configs(resources, request_timeout=cluster.timeout_s)
    found = {}
    for resource, future in futures.items():
        entries = cluster.wait(future, doing=f"read the settings of {resource.name}")
        found[resource.name] = sorted(
            (_fact(entry.name, entry.value, entry.source, entry.is_default) for entry in entries.values()),
            key=lambda fact: fact.name,
        )
    return found


def _fact(name: str, value: str | None, source: object, is_default: bool) -> SettingFact:
    code = ConfigSource(source) if isinstance(source, int) else source
    known = _SOURCES.get(code, str(code)) if isinstance(code, ConfigSource) else str(code)
    return SettingFact(name, value, known, is_default)
