"""How much is run, the whole or two minutes of it, and the bars: what is asked of one broker and of three."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from benchmarks.coordination import NEW_GROUPS, Commits, Joins, LargeTransactions, Transactions
from benchmarks.guesses import Guesses
from benchmarks.logins import DuringLogins, Logins
from benchmarks.secure import Handshakes
from benchmarks.workloads import EndToEnd, OneRecordRequests, Settings, Transfer, Workload

_MB = 1_000_000
_GB = 1_000_000_000

_ACKS_1: Settings = {"p:acks": 1}
_ACKS_ALL: Settings = {"p:acks": "all"}
_LZ4: Settings = {"p:compression.type": "lz4"}
_ZSTD: Settings = {"p:compression.type": "zstd"}
_COMMITS = "commits of one offset, 100 in flight"


FULL = "penstock, full"
"""Penstock with `penstock.validate.records=full`: it looks into every batch, as Kafka does."""
BESIDE = {FULL: ("big", "lz4", "single")}


@dataclass(frozen=True, slots=True)
class Phase:
    """What a pair of brokers, or of clusters, goes through. `prefix` tells its figures from those of other phases."""

    workloads: list[Workload]
    rounds: int
    warm_rounds_min: int
    warm_rounds_max: int
    warm_within: float
    rest_s: float
    budget_s: float
    is_hurried: bool = False
    """Only who compiles as it runs is warmed, with few workloads."""
    prefix: str = ""
    of: str = ""
    rest_bar: float = 0.12
    loaded_bar: float = 0.10

    def only(self, keys: tuple[str, ...]) -> "Phase":
        if keys:
            self.workloads[:] = [workload for workload in self.workloads if workload.key in keys]
        return self


@dataclass(frozen=True, slots=True)
class Plan:
    one: Phase
    three: Phase
    secure: Phase
    rights: Phase
    starts: int
    touch_bytes: int
    idle_s: float
    rebalances: int
    offsets: int
    workers_bytes: int = 0
    """Written to one broker of a cluster, and to two on the same machine; 0 leaves it out."""
    counts_instructions: bool = True
    at_rest: int = 5_000
    """TLS connections that say nothing more."""


def _coordination(*, commits: int, joins: int, transactions: int, amount_bytes: int) -> list[Workload]:
    return [
        Commits("commits", _COMMITS, commits),
        Joins("joins", "joining and leaving a group, classic", joins),
        Joins("joins848", "joining and leaving a group, KIP-848", joins, settings=NEW_GROUPS),
        Transactions("txn", "transactions of one record, four producers", transactions),
        LargeTransactions("txns", amount_bytes),
    ]


def _one_broker(big_bytes: int, *, requests: int, paced_s: float, brisk_s: float) -> list[Workload]:
    return [
        Transfer("big", "1 KB records", 1024, big_bytes, cpu_bar=0.45, settings=_ACKS_1),
        Transfer("small", "100 B records", 100, big_bytes // 4, cpu_bar=0.50, settings=_ACKS_1),
        _packed("lz4", _LZ4, big_bytes // 2),
        _packed("zstd", _ZSTD, big_bytes // 2),
        OneRecordRequests("single", "one-record requests, pipelined", requests),
        EndToEnd("paced", "end to end at 2,000/s", 2_000, seconds=paced_s),
        EndToEnd("brisk", "end to end at 10,000/s", 10_000, seconds=brisk_s),
    ]


def _packed(codec: str, settings: Settings, amount_bytes: int) -> Transfer:
    title = f"1 KB records, {codec}"
    return Transfer(
        codec, title, 1024, amount_bytes, settings={**_ACKS_1, **settings}, text=True, consume=False, cpu_bar=0.45
    )


def _three_brokers(big_bytes: int, *, requests: int, paced_s: float, brisk_s: float) -> list[Workload]:
    def transfer(
        key: str, title: str, record_bytes: int, amount_bytes: int, settings: Settings | None = None
    ) -> Transfer:
        packs = settings is not None
        return Transfer(
            f"three.{key}", title, record_bytes, amount_bytes, partitions=3, settings={**_ACKS_ALL, **(settings or {})},
            text=packs, consume=not packs, pace_bar=1.0, cpu_bar=0.60, consume_cpu_bar=None,
        )  # fmt: skip

    def end_to_end(key: str, rate_per_s: int, seconds: float) -> EndToEnd:
        title = f"end to end at {rate_per_s:,}/s"
        return EndToEnd(f"three.{key}", title, rate_per_s, seconds, acks="all", p50_bar=0.9, p99_bar=0.7)

    return [
        transfer("big", "1 KB records", 1024, big_bytes),
        transfer("small", "100 B records", 100, big_bytes // 3),
        transfer("lz4", "1 KB records, lz4", 1024, big_bytes, _LZ4),
        transfer("zstd", "1 KB records, zstd", 1024, big_bytes, _ZSTD),
        OneRecordRequests(
            "three.single", "one-record requests, pipelined", requests, acks="all", pace_bar=1.5, cpu_bar=0.40
        ),
        end_to_end("paced", 2_000, paced_s),
        end_to_end("brisk", 10_000, brisk_s),
    ]


def _secure(big_bytes: int, *, requests: int, handshakes_s: int) -> list[Workload]:
    packed = replace(_packed("tls.lz4", _LZ4, big_bytes // 2), title="1 KB records, lz4, TLS", cpu_bar=0.80)
    return [
        Transfer("tls.big", "1 KB records, TLS", 1024, big_bytes, settings=_ACKS_1, cpu_bar=0.80, consume_cpu_bar=0.65),
        packed,
        OneRecordRequests("tls.single", "one-record requests, TLS", requests, pace_bar=2.0, cpu_bar=0.40),
        Handshakes(handshakes_s),
    ]


def _rights(*, requests: int, logins_s: float, guesses: int, paced_s: float) -> list[Workload]:
    title = "one-record requests, TLS, SCRAM and access rules"
    return [
        OneRecordRequests("rights.single", title, requests, pace_bar=2.0, cpu_bar=0.40),
        Logins(logins_s),
        Guesses(guesses),
        DuringLogins(EndToEnd("rights.paced", "end to end at 1,000/s", 1_000, seconds=paced_s)),
    ]


def _hurried(workloads: list[Workload]) -> list[Workload]:
    """With less of a start at a fixed rate: Kafka's cold cluster does not keep up, and works its way through it."""
    return [replace(each, skipped_s=0.5) if isinstance(each, EndToEnd) else each for each in workloads]


def within(workloads: Sequence[Workload], rate_max: float) -> tuple[list[Workload], list[str]]:
    """The same with no fixed rate above `rate_max`, and what was done to keep to it: a rate that is lower, or left out
    where another workload has it already.
    """
    chosen: list[Workload] = []
    notes: list[str] = []
    digits = 10 ** max(len(str(int(rate_max))) - 2, 0)
    highest = max(int(rate_max) // digits * digits, 1)
    for each in workloads:
        if isinstance(each, EndToEnd) and each.rate_per_s > highest:
            asked = each.rate_per_s
            if any(isinstance(other, EndToEnd) and other.rate_per_s == highest for other in chosen):
                notes.append(f"no end to end at {asked:,}/s: {highest:,}/s is measured already")
                continue
            each = replace(each, rate_per_s=highest, title=f"end to end at {highest:,}/s")
            notes.append(f"end to end at {highest:,}/s in place of {asked:,}/s")
        chosen.append(each)
    return chosen, notes


def quick() -> Plan:
    """The main cases once: Kafka is not warm then, and looks dearer than it is."""
    one = Phase(
        [
            *_hurried(_one_broker(120 * _MB, requests=4_000, paced_s=1.5, brisk_s=0.7)),
            Commits("commits", _COMMITS, 2_000),
            LargeTransactions("txns", 40 * _MB),
        ],
        rounds=1, warm_rounds_min=1, warm_rounds_max=1, warm_within=0.10, rest_s=0.5, budget_s=60, is_hurried=True,
    )  # fmt: skip
    main_cases = ("three.big", "three.single", "three.paced")
    three = Phase(
        _hurried(_three_brokers(40 * _MB, requests=500, paced_s=1, brisk_s=1)),
        rounds=1, warm_rounds_min=1, warm_rounds_max=1, warm_within=0.10, rest_s=0.5, budget_s=45, is_hurried=True,
        prefix="three.", of="three brokers", rest_bar=0.25, loaded_bar=0.2,
    ).only(main_cases)  # fmt: skip
    secure = Phase(
        _secure(120 * _MB, requests=4_000, handshakes_s=2),
        rounds=1, warm_rounds_min=1, warm_rounds_max=1, warm_within=0.10, rest_s=0.5, budget_s=60, is_hurried=True,
        prefix="tls.", of="TLS",
    )  # fmt: skip
    rights = Phase(
        _rights(requests=4_000, logins_s=2, guesses=3, paced_s=1.5),
        rounds=1, warm_rounds_min=1, warm_rounds_max=1, warm_within=0.10, rest_s=0.5, budget_s=60, is_hurried=True,
        prefix="rights.", of="logins and rules",
    )  # fmt: skip
    return Plan(
        one, three, secure, rights, starts=1, touch_bytes=_GB // 4, idle_s=0.7, rebalances=1, offsets=20_000,
        counts_instructions=False, at_rest=500,  # ten of its seconds, and a task of its own: make bench-instructions
    )  # fmt: skip


def whole() -> Plan:
    spread = Transfer(
        "spread", "1 KB, 8 partitions, acks=all", 1024, 500 * _MB, partitions=8, settings=_ACKS_ALL, cpu_bar=0.45
    )
    one = Phase(
        [
            *_one_broker(800 * _MB, requests=25_000, paced_s=6, brisk_s=4),
            spread,
            *_coordination(commits=15_000, joins=400, transactions=800, amount_bytes=300 * _MB),
        ],
        rounds=5, warm_rounds_min=2, warm_rounds_max=4, warm_within=0.05, rest_s=5.0, budget_s=17 * 60,
    )  # fmt: skip
    three = Phase(
        _three_brokers(250 * _MB, requests=4_000, paced_s=4, brisk_s=3),
        rounds=5, warm_rounds_min=2, warm_rounds_max=4, warm_within=0.05, rest_s=4.0, budget_s=11 * 60,
        prefix="three.", of="three brokers", rest_bar=0.25, loaded_bar=0.2,
    )  # fmt: skip
    secure = Phase(
        _secure(800 * _MB, requests=25_000, handshakes_s=5),
        rounds=5, warm_rounds_min=2, warm_rounds_max=4, warm_within=0.05, rest_s=4.0, budget_s=9 * 60,
        prefix="tls.", of="TLS",
    )  # fmt: skip
    rights = Phase(
        _rights(requests=25_000, logins_s=5, guesses=9, paced_s=5),
        rounds=5, warm_rounds_min=2, warm_rounds_max=4, warm_within=0.05, rest_s=4.0, budget_s=7 * 60,
        prefix="rights.", of="logins and rules",
    )  # fmt: skip
    return Plan(
        one,
        three,
        secure,
        rights,
        starts=3,
        touch_bytes=4 * _GB,
        idle_s=5.0,
        rebalances=5,
        offsets=500_000,
        workers_bytes=_GB,
    )
