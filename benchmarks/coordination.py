"""The loads that fall on coordinators: committed offsets, members that join and leave, transactions."""

from dataclasses import dataclass, field

from benchmarks.figures import Better, Figure, Pick
from benchmarks.workloads import THROUGHPUT, Settings, Side, Values

NEW_GROUPS: Settings = {"c:group.protocol": "consumer"}
AT_ONCE: Settings = {"p:linger.ms": 0}
# librdkafka's flush looks every ten milliseconds, or whenever a delivery is reported: the end of a transaction must not
# wait for that. Plain producing, to compare with, pays for the reports too.
REPORTED: Settings = {**THROUGHPUT, "p:delivery.report.only.error": "false"}
_KEPT_MIN_PERCENT = 80.0


def _pace(key: str, title: str, what: str) -> list[Figure]:
    return [
        Figure(f"{key}.{what}_s", title, f"{what}/s", Better.HIGHER),
        Figure(f"{key}.cpu", title, f"CPU s/1,000 {what}", Better.LOWER),
    ]


@dataclass(frozen=True, slots=True)
class Commits:
    """Commits of one offset each, as many in flight as `in_flight` says, by clients with a group each."""

    key: str
    title: str
    commits: int
    clients: int = 4
    in_flight: int = 25

    def figures(self) -> list[Figure]:
        return _pace(self.key, self.title, "commits")

    def run(self, side: Side) -> Values:
        with side.topic(self.key, 1) as topic:
            done = side.measure(
                "commit", topic, "-n", self.commits, "-c", self.clients, "-i", self.in_flight, settings={}
            )
        return _paced(self.key, "commits", done)


@dataclass(frozen=True, slots=True)
class Joins:
    """Members that join a group of their own, are given its partition, and leave."""

    key: str
    title: str
    joins: int
    clients: int = 10
    settings: Settings = field(default_factory=dict)

    def figures(self) -> list[Figure]:
        return _pace(self.key, self.title, "joins")

    def run(self, side: Side) -> Values:
        with side.topic(self.key, 1) as topic:
            done = side.measure("join", topic, "-n", self.joins, "-c", self.clients, settings=self.settings)
        return _paced(self.key, "joins", done)


@dataclass(frozen=True, slots=True)
class Transactions:
    """Small transactions, by several producers side by side."""

    key: str
    title: str
    transactions: int
    clients: int = 4
    record_bytes: int = 100

    def figures(self) -> list[Figure]:
        return _pace(self.key, self.title, "transactions")

    def run(self, side: Side) -> Values:
        shape = ("-n", self.transactions, "-c", self.clients, "-k", 1, "-s", self.record_bytes)
        with side.topic(self.key, 1) as topic:
            done = side.measure("transact", topic, *shape, settings=AT_ONCE)
        return _paced(self.key, "transactions", done)


@dataclass(frozen=True, slots=True)
class LargeTransactions:
    """What transactions take away: the same records from one producer, plain, then in transactions of some size."""

    key: str
    amount_bytes: int
    sizes: tuple[int, ...] = (1_000, 10_000)
    record_bytes: int = 1024

    def figures(self) -> list[Figure]:
        return [figure for size in self.sizes for figure in self._figures(size)]

    def _figures(self, size: int) -> list[Figure]:
        title = f"transactions of {size:,} records of 1 KB"
        # The bar of the large ones is how much may be lost at all; of the smaller, that Kafka loses no less.
        limit = _KEPT_MIN_PERCENT if size >= 10_000 else None
        kept = Figure(
            f"{self.key}.kept_{size}", f"{title}, of plain throughput", "%", Better.HIGHER, Pick.MEDIAN, 1.0, limit
        )
        return [
            Figure(f"{self.key}.transactions_{size}_s", title, "transactions/s", Better.HIGHER),
            Figure(f"{self.key}.produce_{size}_cpu", title, "CPU s/GB", Better.LOWER),
            kept,
        ]

    def run(self, side: Side) -> Values:
        records = self.amount_bytes // self.record_bytes // max(self.sizes) * max(self.sizes)
        shape = ("-s", self.record_bytes, "-n", records)
        with side.topic(self.key, 1) as topic:
            side.touch()
            plain = side.measure("produce", topic, *shape, settings={**REPORTED, "p:acks": "all"})
            values: Values = {f"{self.key}.plain_mb_s": plain["bytes"] / 1e6 / plain["elapsed_s"]}
            for size in self.sizes:
                side.touch(3 * self.amount_bytes)
                done = side.measure("transact", topic, *shape, "-k", size, settings=REPORTED)
                mb_s = done["bytes"] / 1e6 / done["elapsed_s"]
                values[f"{self.key}.transactions_{size}_s"] = done["transactions"] / done["elapsed_s"]
                values[f"{self.key}.produce_{size}_cpu"] = done["cpu_s"] / (done["bytes"] / 1e9)
                values[f"{self.key}.kept_{size}"] = mb_s / values[f"{self.key}.plain_mb_s"] * 100
                values[f"{self.key}.{size}_others"] = done["others_share"]
        return values


def _paced(key: str, what: str, done: Values) -> Values:
    return {
        f"{key}.{what}_s": done[what] / done["elapsed_s"],
        f"{key}.cpu": done["cpu_s"] / (done[what] / 1000),
        f"{key}.others": done["others_share"],
    }
