"""How much is run: the whole measurement, or two minutes of it."""

from dataclasses import dataclass

from benchmarks.coordination import NEW_GROUPS, Commits, Joins, LargeTransactions, Transactions
from benchmarks.workloads import EndToEnd, OneRecordRequests, Settings, Transfer, Workload

_MB = 1_000_000
_GB = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Plan:
    workloads: list[Workload]
    rounds: int
    warm_rounds_min: int
    warm_rounds_max: int
    warm_within: float
    starts: int
    rest_s: float
    touch_bytes: int
    budget_s: float
    rebalances: int
    offsets: int


def _coordination(*, commits: int, joins: int, transactions: int, amount_bytes: int) -> list[Workload]:
    return [
        Commits("commits", "commits of one offset, 100 in flight", commits),
        Joins("joins", "joining and leaving a group, classic", joins),
        Joins("joins848", "joining and leaving a group, KIP-848", joins, settings=NEW_GROUPS),
        Transactions("txn", "transactions of one record, four producers", transactions),
        LargeTransactions("txns", amount_bytes),
    ]


def quick() -> Plan:
    workloads: list[Workload] = [
        Transfer("big", "1 KB records", 1024, 300 * _MB, settings={"p:acks": 1}, cpu_bar=0.45),
        Transfer("small", "100 B records", 100, 100 * _MB, settings={"p:acks": 1}, cpu_bar=0.50),
        OneRecordRequests("single", "one-record requests, pipelined", 20_000),
        EndToEnd("paced", "end to end at 2,000/s", 2_000, seconds=3),
        *_coordination(commits=8_000, joins=200, transactions=300, amount_bytes=120 * _MB),
    ]
    return Plan(
        workloads, rounds=2, warm_rounds_min=1, warm_rounds_max=2, warm_within=0.10,
        starts=1, rest_s=2.0, touch_bytes=_GB, budget_s=140,
        rebalances=2, offsets=100_000,
    )  # fmt: skip


def whole() -> Plan:
    several: Settings = {"p:acks": "all"}
    lz4: Settings = {"p:acks": 1, "p:compression.type": "lz4"}
    workloads: list[Workload] = [
        Transfer("big", "1 KB records", 1024, _GB, cpu_bar=0.45, settings={"p:acks": 1}),
        Transfer("small", "100 B records", 100, 300 * _MB, cpu_bar=0.50, settings={"p:acks": 1}),
        Transfer("spread", "1 KB, 8 partitions, acks=all", 1024, _GB, partitions=8, settings=several, cpu_bar=0.45),
        Transfer("lz4", "1 KB, lz4", 1024, _GB, settings=lz4, text=True, consume=False, cpu_bar=0.45),
        OneRecordRequests("single", "one-record requests, pipelined", 60_000),
        EndToEnd("paced", "end to end at 2,000/s", 2_000, seconds=10),
        EndToEnd("brisk", "end to end at 10,000/s", 10_000, seconds=5),
        *_coordination(commits=40_000, joins=1_000, transactions=2_000, amount_bytes=600 * _MB),
    ]
    return Plan(
        workloads, rounds=5, warm_rounds_min=2, warm_rounds_max=5, warm_within=0.05,
        starts=3, rest_s=5.0, touch_bytes=4 * _GB, budget_s=26 * 60,
        rebalances=5, offsets=1_000_000,
    )  # fmt: skip
