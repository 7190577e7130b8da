"""What is counted of transactions, under the names that Kafka dashboards know where Kafka has one."""

from collections.abc import Callable

from penstock.coordinators.shard import Shard
from penstock.coordinators.transactions.machine import TransactionMachine
from penstock.metrics import MetricsRegistry, reading

IDS = reading("penstock_transaction_coordinator_ids", "Transactional ids that this broker coordinates.")
OPEN = reading("penstock_transaction_coordinator_open", "Transactions that are open.")
UNFINISHED = reading(
    "penstock_transaction_coordinator_completing", "Transactions whose end is settled and whose markers are under way."
)
LOADING = reading(
    "penstock_transaction_coordinator_loading", "Partitions of transactional ids that are being read after a start."
)
LOADED_RECORDS = reading(
    "penstock_transaction_coordinator_loaded_records", "Records read when transaction coordinators were loaded."
)
LOAD_SECONDS = reading(
    "penstock_transaction_coordinator_load_seconds",
    "Longest time that loading one of the present transaction coordinators took.",
)

Shards = Callable[[], list[Shard]]


def expose(registry: MetricsRegistry, shards: Shards, *, unfinished: Callable[[], int]) -> None:
    def machines() -> list[TransactionMachine]:
        return [shard.machine for shard in shards() if isinstance(shard.machine, TransactionMachine)]

    registry.read(IDS, lambda: [((), sum(len(machine.transactions) for machine in machines()))])
    registry.read(OPEN, lambda: [((), sum(len(machine.deadlines) for machine in machines()))])
    registry.read(UNFINISHED, lambda: [((), unfinished())])
    registry.read(LOADING, lambda: [((), sum(not shard.is_active for shard in shards()))])
    registry.read(LOADED_RECORDS, lambda: [((), sum(shard.loaded_records for shard in shards()))])
    registry.read(LOAD_SECONDS, lambda: [((), max((shard.load_seconds for shard in shards()), default=0.0))])
