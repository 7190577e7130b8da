"""How far consumer groups are behind, for dashboards: the names and labels of the exporter that most of them are
made for.

Groups are asked one after another, with the loop free in between, and not when somebody scrapes: a scrape must not take
longer because there are many offsets. While nobody scrapes, nobody is asked.

A broker tells of the groups that it coordinates. Where their partitions are led by others these are asked for the end;
how late a group is in seconds is told where this broker keeps a replica, since that takes a look into the log.
"""

import asyncio
from collections import defaultdict

import structlog

from penstock.coordinators.groups import Groups
from penstock.coordinators.groups.log_ends import LogEnds
from penstock.coordinators.groups.record_ages import Place, RecordAges
from penstock.errors import Refusal
from penstock.metrics import MetricsRegistry, Reading, Values, reading
from penstock.model import Clock
from penstock.replication import Partitions
from penstock.wire.messages.list_groups_response import ListedGroup

MEASURE_SECONDS = 5.0
UNWATCHED_SECONDS = 300.0
"""Without a scrape for so long, measuring stops until the next one."""
_DESCRIBE_VERSION = 5
CONSUMER = "consumer"
"""The type of groups that have a description of their own."""

_log = structlog.get_logger(__name__)

_PARTITION = ("consumergroup", "topic", "partition")
_TOPIC = ("consumergroup", "topic")

CURRENT_OFFSET = reading("kafka_consumergroup_current_offset", "Offset that a group has committed.", labels=_PARTITION)
CURRENT_OFFSET_SUM = reading(
    "kafka_consumergroup_current_offset_sum", "Offsets that a group has committed in a topic, summed.", labels=_TOPIC
)
LAG = reading("kafka_consumergroup_lag", "Offsets between what a group has committed and the end.", labels=_PARTITION)
LAG_SUM = reading("kafka_consumergroup_lag_sum", "How far a group is behind in a topic.", labels=_TOPIC)
LAG_SECONDS = reading(
    "kafka_consumergroup_lag_seconds",
    "Age of the oldest record that a group has not read, by its batch; 0 when all is read.",
    labels=_PARTITION,
)
MAX_LAG_SECONDS = reading(
    "kafka_consumergroup_max_lag_seconds",
    "Seconds by which a group is late in its latest partition.",
    labels=("consumergroup",),
)
MEMBERS = reading("kafka_consumergroup_members", "Members of a group.", labels=("consumergroup",))


class _Measured:
    """One round's numbers, by labels."""

    def __init__(self) -> None:
        self.by_reading: dict[Reading, dict[tuple[str, ...], float]] = {
            CURRENT_OFFSET: {},
            CURRENT_OFFSET_SUM: defaultdict(float),
            LAG: {},
            LAG_SUM: defaultdict(float),
            LAG_SECONDS: {},
            MAX_LAG_SECONDS: {},
            MEMBERS: {},
        }

        self.committed: dict[tuple[str, ...], tuple[Place, int]] = {}
        self.waiting: dict[tuple[str, ...], tuple[Place, int]] = {}
        """Where groups have something left to read: the next offset of each."""

    def late(self, of_partition: tuple[str, ...], seconds: float) -> None:
        self.by_reading[LAG_SECONDS][of_partition] = seconds
        of_group = self.by_reading[MAX_LAG_SECONDS]
        of_group[of_partition[:1]] = max(seconds, of_group.get(of_partition[:1], 0.0))

    @property
    def series(self) -> int:
        return len(self.by_reading[CURRENT_OFFSET])


class GroupLag:
    def __init__(self, groups: Groups, partitions: Partitions, ends: LogEnds, clock: Clock, *, series_max: int) -> None:
        self._ends = ends
        self._groups = groups
        self._partitions = partitions
        self._clock = clock
        self._series_max = series_max
        self._measured = _Measured()
        self._ages = RecordAges(partitions)
        self._scraped_at: float | None = None
        self._scraped = asyncio.Event()

    def expose(self, registry: MetricsRegistry) -> None:
        for row in self._measured.by_reading:
            registry.read(row, lambda row=row: self._values(row))  # type: ignore[misc]

    def _values(self, row: Reading) -> Values:
        self._scraped_at = self._clock.monotonic()
        self._scraped.set()
        return self._measured.by_reading[row].items()

    async def run(self) -> None:
        """Runs until cancelled; give it to the node's task group."""
        while True:
            await self._scraped.wait()
            try:
                await self.measure()
            except Exception:  # a fault in the numbers must not end the broker
                _log.exception("groups not measured")
            await asyncio.sleep(MEASURE_SECONDS)
            if self._scraped_at is None or self._clock.monotonic() - self._scraped_at > UNWATCHED_SECONDS:
                self._scraped.clear()
                self._measured = _Measured()

    async def measure(self) -> None:
        """Groups that are not to be asked just now (loading, moved, deleted) are left out of this round."""
        measured = _Measured()
        try:
            listed = await self._groups.list([], [])
        except Refusal:
            return
        for group in listed:
            # The rest would be counted as one anyway; what asking for it costs is saved.
            if measured.series >= self._series_max:
                break
            try:
                await self._measure(group, measured)
            except Refusal:
                continue
            await asyncio.sleep(0)
        await self._measure_lag(measured)
        await self._measure_seconds(measured)
        self._measured = measured

    async def _measure_seconds(self, measured: _Measured) -> None:
        """All groups at once: many may be at the same place."""
        offsets: defaultdict[Place, list[int]] = defaultdict(list)
        for place, offset in measured.waiting.values():
            offsets[place].append(offset)
        written_at = await self._ages.written_at({place: sorted(set(at)) for place, at in offsets.items()})
        now = self._clock.now()
        for of_partition, waiting in measured.waiting.items():
            if waiting in written_at:
                # Clocks of producers may run ahead of ours.
                measured.late(of_partition, max(0, now - written_at[waiting]) / 1000)

    async def _members(self, group: ListedGroup) -> int:
        if group.group_type == CONSUMER:
            return len((await self._groups.describe_consumer_group(group.group_id)).members)
        return len((await self._groups.describe(group.group_id, api_version=_DESCRIBE_VERSION)).members)

    async def _measure(self, group: ListedGroup, measured: _Measured) -> None:
        group_id = group.group_id
        members = await self._members(group)
        offsets = await self._groups.fetch_offsets(group_id, None)
        numbers = measured.by_reading
        numbers[MEMBERS][group_id,] = members
        for topic in offsets.topics:
            for place in topic.partitions:
                if place.committed_offset < 0:
                    continue
                of_partition = (group_id, topic.name, str(place.partition_index))
                numbers[CURRENT_OFFSET][of_partition] = place.committed_offset
                numbers[CURRENT_OFFSET_SUM][group_id, topic.name] += place.committed_offset
                measured.committed[of_partition] = ((topic.name, place.partition_index), place.committed_offset)

    async def _measure_lag(self, measured: _Measured) -> None:
        """All groups at once, again: the end of a partition is asked for once."""
        ends = await self._ends.of({place for place, _ in measured.committed.values()})
        numbers = measured.by_reading
        for of_partition, (place, committed) in measured.committed.items():
            if place not in ends:
                continue
            lag = max(0, ends[place] - committed)
            numbers[LAG][of_partition] = lag
            numbers[LAG_SUM][of_partition[:2]] += lag
            partition = self._partitions.readable(*place)
            if not lag:
                measured.late(of_partition, 0.0)
            elif partition is not None:
                # What was deleted cannot be read any more: the oldest that waits is at the log's start.
                measured.waiting[of_partition] = (place, max(committed, partition.start_offset))
