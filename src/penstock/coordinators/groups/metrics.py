"""What is counted of groups, under the names that Kafka dashboards know where Kafka has one."""

from collections import Counter
from collections.abc import Callable
from enum import Enum
from typing import Any

from penstock.coordinators.groups.consumer.state import ConsumerGroup, ConsumerGroupState
from penstock.coordinators.groups.machine import GroupMachine
from penstock.coordinators.groups.share.state import ShareGroup, ShareGroupState
from penstock.coordinators.groups.state import Group, GroupState
from penstock.coordinators.shard import Shard
from penstock.metrics import MetricsRegistry, reading

_MANAGER = "kafka_coordinator_group_groupmetadatamanager"
GROUPS = reading(f"{_MANAGER}_numgroups", "Groups that this broker coordinates.")
OFFSETS = reading(f"{_MANAGER}_numoffsets", "Offsets that groups coordinated here have committed.")
BY_STATE = {
    GroupState.EMPTY: reading(f"{_MANAGER}_numgroupsempty", "Groups without members."),
    GroupState.PREPARING_REBALANCE: reading(
        f"{_MANAGER}_numgroupspreparingrebalance", "Groups whose members are joining."
    ),
    GroupState.COMPLETING_REBALANCE: reading(
        f"{_MANAGER}_numgroupscompletingrebalance", "Groups that wait for their leader's assignment."
    ),
    GroupState.STABLE: reading(f"{_MANAGER}_numgroupsstable", "Groups whose members have their shares."),
}
CONSUMER_GROUPS = reading(
    "kafka_server_group_coordinator_metrics_consumer_group_count",
    "Groups of the consumer protocol, by state.",
    labels=("state",),
)
SHARE_GROUPS = reading(
    "kafka_server_group_coordinator_metrics_share_group_count",
    "Share groups, by state.",
    labels=("state",),
)
LOADING = reading("penstock_group_coordinator_loading", "Partitions of groups that are being read after a start.")
LOADED_RECORDS = reading("penstock_group_coordinator_loaded_records", "Records read when coordinators were loaded.")
LOAD_SECONDS = reading(
    "penstock_group_coordinator_load_seconds", "Longest time that groups coordinated here were away for loading."
)

Shards = Callable[[], list[Shard]]


def expose(registry: MetricsRegistry, shards: Shards) -> None:
    def machines() -> list[GroupMachine]:
        return [shard.machine for shard in shards() if isinstance(shard.machine, GroupMachine)]

    def in_state(state: GroupState) -> int:
        return Counter(group.state for machine in machines() for group in machine.tables.of_kind(Group).values())[state]

    def by_state(kind: type[Any], states: type[Enum]) -> list[tuple[tuple[str, ...], float]]:
        counts = Counter(group.state for machine in machines() for group in machine.tables.of_kind(kind).values())
        return [((state.value.lower(),), counts[state]) for state in states]

    def count() -> int:
        return sum(len(machine.tables.groups) for machine in machines())

    registry.read(GROUPS, lambda: [((), count())])
    registry.read(CONSUMER_GROUPS, lambda: by_state(ConsumerGroup, ConsumerGroupState))
    registry.read(SHARE_GROUPS, lambda: by_state(ShareGroup, ShareGroupState))
    registry.read(OFFSETS, lambda: [((), sum(machine.tables.offset_count for machine in machines()))])
    for state, row in BY_STATE.items():
        registry.read(row, lambda state=state: [((), in_state(state))])  # type: ignore[misc]
    registry.read(LOADING, lambda: [((), sum(not shard.is_active for shard in shards()))])
    registry.read(LOADED_RECORDS, lambda: [((), sum(shard.loaded_records for shard in shards()))])
    registry.read(LOAD_SECONDS, lambda: [((), max((shard.load_seconds for shard in shards()), default=0.0))])
