"""How far groups are behind, from what they committed and what the partitions hold."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.support.clocks import ManualClock
from tests.support.logs import a_batch, a_log

from penstock.coordinators.groups.group_lag import (
    CURRENT_OFFSET,
    LAG,
    LAG_SECONDS,
    LAG_SUM,
    MAX_LAG_SECONDS,
    MEMBERS,
    GroupLag,
)
from penstock.errors import CoordinatorLoadInProgress, NotCoordinator
from penstock.log import FileSlice, PartitionLog
from penstock.metrics import MetricsRegistry
from penstock.wire.messages.describe_groups_response import DescribedGroup, DescribedGroupMember
from penstock.wire.messages.list_groups_response import ListedGroup
from penstock.wire.messages.offset_fetch_response import (
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartitions,
    OffsetFetchResponseTopics,
)

NOW = 1_700_000_000_000


class FakeGroups:
    def __init__(self, committed: dict[str, dict[int, int]]) -> None:
        self.committed = committed
        self.loading: set[str] = set()
        self.asked: list[str] = []

    async def list(self, states: list[str], types: list[str]) -> list[ListedGroup]:
        return [ListedGroup(name) for name in self.committed]

    async def describe(self, group_id: str, *, api_version: int) -> DescribedGroup:
        if group_id in self.loading:
            raise CoordinatorLoadInProgress
        return DescribedGroup(group_id=group_id, members=[DescribedGroupMember("m1"), DescribedGroupMember("m2")])

    async def fetch_offsets(self, group_id: str, topics: None) -> OffsetFetchResponseGroup:
        self.asked.append(group_id)
        places = [OffsetFetchResponsePartitions(index, at, -1, "") for index, at in self.committed[group_id].items()]
        return OffsetFetchResponseGroup(group_id, [OffsetFetchResponseTopics("orders", partitions=places)])


class FakePartition:
    reader = property(lambda self: self)
    start_offset = property(lambda self: self.log.start_offset)

    def __init__(self, folder: Path, *, is_leader: bool = True) -> None:
        self.is_leader = is_leader
        self.log = a_log(folder)
        for number in range(3):  # at 0, 10 and 20 seconds past, ten records each
            batch = a_batch(self.log.end_offset, count=10, timestamp=NOW + 10_000 * number)
            self.log.append([batch])
        self.high_watermark = self.log.high_watermark = self.log.end_offset

    def slice(self, offset: int, *, bytes_max: int) -> FileSlice | None:
        return self.log.slice(offset, at_most=bytes_max, before=self.high_watermark)


class World:
    def __init__(self, folder: Path, committed: dict[str, dict[int, int]], *, series_max: int = 100) -> None:
        self.groups, self.clock = FakeGroups(committed), ManualClock(NOW + 60_000)
        self.partitions = {
            ("orders", 0): FakePartition(folder / "0"),
            ("orders", 1): FakePartition(folder / "1", is_leader=False),
        }
        self.ends_elsewhere: dict[tuple[str, int], int] = {}
        partitions: Any = self
        self.lag = GroupLag(self.groups, partitions, partitions, self.clock, series_max=series_max)  # type: ignore[arg-type]
        self.registry = MetricsRegistry()
        self.lag.expose(self.registry)

    def readable(self, topic: str, index: int) -> FakePartition | None:
        return self.partitions.get((topic, index))

    async def of(self, places: set[tuple[str, int]]) -> dict[tuple[str, int], int]:
        """Where partitions end: those that are led elsewhere are asked for there."""
        led_here = {place: one.high_watermark for place, one in self.partitions.items() if one.is_leader}
        return {place: end for place, end in (led_here | self.ends_elsewhere).items() if place in places}

    def read(self, row: Any) -> dict[tuple[str, ...], float]:
        return dict(self.lag._values(row))


def test_lag_is_told_in_records_and_in_seconds(tmp_path: Path) -> None:
    world = World(tmp_path, {"billing": {0: 10}, "audit": {0: 30}})
    asyncio.run(world.lag.measure())
    assert world.read(CURRENT_OFFSET) == {("billing", "orders", "0"): 10, ("audit", "orders", "0"): 30}
    assert world.read(LAG) == {("billing", "orders", "0"): 20, ("audit", "orders", "0"): 0}
    assert world.read(LAG_SUM) == {("billing", "orders"): 20, ("audit", "orders"): 0}
    assert world.read(LAG_SECONDS) == {("billing", "orders", "0"): 50, ("audit", "orders", "0"): 0}
    assert world.read(MAX_LAG_SECONDS) == {("billing",): 50, ("audit",): 0}
    assert world.read(MEMBERS) == {("billing",): 2, ("audit",): 2}


def test_a_partition_led_elsewhere_is_asked_for_and_seconds_are_told_where_a_replica_is_here(tmp_path: Path) -> None:
    world = World(tmp_path, {"billing": {1: 20, 2: 5}})
    world.ends_elsewhere = {("orders", 1): 31, ("orders", 2): 9}
    asyncio.run(world.lag.measure())
    assert world.read(LAG) == {("billing", "orders", "1"): 11, ("billing", "orders", "2"): 4}
    assert world.read(LAG_SUM) == {("billing", "orders"): 15}
    assert world.read(LAG_SECONDS) == {("billing", "orders", "1"): 40}


def test_a_partition_whose_end_nobody_tells_has_an_offset_and_no_lag(tmp_path: Path) -> None:
    world = World(tmp_path, {"billing": {1: 5, 7: 5, 0: -1}})
    asyncio.run(world.lag.measure())
    assert world.read(CURRENT_OFFSET) == {("billing", "orders", "1"): 5, ("billing", "orders", "7"): 5}
    assert world.read(LAG) == {} == world.read(LAG_SECONDS)


def test_a_group_that_is_loading_is_left_out_of_the_round(tmp_path: Path) -> None:
    world = World(tmp_path, {"billing": {0: 10}, "audit": {0: 30}})
    world.groups.loading = {"billing"}
    asyncio.run(world.lag.measure())
    assert world.read(MEMBERS) == {("audit",): 2}


def test_a_coordinator_that_is_away_leaves_the_last_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tmp_path, {"billing": {0: 10}})
    asyncio.run(world.lag.measure())

    async def away(_states: list[str], _types: list[str]) -> list[ListedGroup]:
        raise NotCoordinator

    monkeypatch.setattr(world.groups, "list", away)
    asyncio.run(world.lag.measure())
    assert world.read(LAG) == {("billing", "orders", "0"): 20}


def test_no_more_groups_are_asked_than_there_are_series_for(tmp_path: Path) -> None:
    world = World(tmp_path, {f"g{number}": {0: 10} for number in range(5)}, series_max=2)
    asyncio.run(world.lag.measure())
    assert world.groups.asked == ["g0", "g1"]


def test_a_group_behind_the_logs_start_is_as_late_as_the_oldest_record_there_is(tmp_path: Path) -> None:
    world = World(tmp_path, {"billing": {0: 0}})
    world.partitions["orders", 0].log.retention.advance_start(20)
    asyncio.run(world.lag.measure())
    assert world.read(LAG_SECONDS) == {("billing", "orders", "0"): 40}


def test_a_group_that_stays_where_it_is_grows_later_without_another_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path, {"billing": {0: 10}})
    asyncio.run(world.lag.measure())
    monkeypatch.setattr(PartitionLog, "slice", None)
    world.clock.advance(5_000)
    asyncio.run(world.lag.measure())
    assert world.read(LAG_SECONDS) == {("billing", "orders", "0"): 55}
