"""What is counted of the state of share groups."""

from collections.abc import Callable

from penstock.coordinators.shard import Shard
from penstock.coordinators.shares.machine import ShareMachine
from penstock.metrics import Metrics, MetricsRegistry, counter, reading

PARTITIONS = reading(
    "penstock_share_coordinator_partitions", "Share partitions (a partition as one share group sees it) kept here."
)
RANGES = reading(
    "penstock_share_coordinator_ranges", "Rows of records in one state that are kept here beyond the starts."
)
LOADING = reading(
    "penstock_share_coordinator_loading", "Partitions of share groups' state that are being read after a start."
)
LOADED_RECORDS = reading(
    "penstock_share_coordinator_loaded_records", "Records read when share coordinators were loaded."
)
LOAD_SECONDS = reading(
    "penstock_share_coordinator_load_seconds",
    "Longest time that loading one of the present share coordinators took.",
)


class ShareStateMetrics(Metrics, prefix="penstock_share_state"):
    """Of this broker as one that asks for state, wherever that is kept."""

    writes = counter("Changes of share partitions that were to be kept.")
    joined_writes = counter("Changes that were kept together with others of the same share partition.")
    retries = counter("Questions asked again: their coordinator moved, was loading or did not answer.")
    given_up = counter("Questions that were given up after some seconds.")
    pruned_records = counter("Records of no use any more that were cut off from logs of state.")


Shards = Callable[[], list[Shard]]


def expose(registry: MetricsRegistry, shards: Shards) -> None:
    def machines() -> list[ShareMachine]:
        return [shard.machine for shard in shards() if isinstance(shard.machine, ShareMachine)]

    registry.read(PARTITIONS, lambda: [((), sum(len(machine.states) for machine in machines()))])
    registry.read(
        RANGES,
        lambda: [((), sum(len(state.ranges) for machine in machines() for state in machine.states.values()))],
    )
    registry.read(LOADING, lambda: [((), sum(not shard.is_active for shard in shards()))])
    registry.read(LOADED_RECORDS, lambda: [((), sum(shard.loaded_records for shard in shards()))])
    registry.read(LOAD_SECONDS, lambda: [((), max((shard.load_seconds for shard in shards()), default=0.0))])
