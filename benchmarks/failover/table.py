"""The figures of a failover run beside their bars: on the terminal, and in docs/failover.md. Nothing is asserted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

PAGE = Path(__file__).resolve().parents[2] / "docs" / "failover.md"
HEADING = "## Results\n"

Values = Mapping[str, Sequence[float]]


@dataclass(frozen=True, slots=True)
class Row:
    key: str
    title: str
    median_max: float | None = None
    always_max: float | None = None
    unit: str = "s"
    is_better_high: bool = False

    def bar(self, values: Sequence[float], kafka: Sequence[float]) -> str:
        """What Penstock is held to, and whether it kept to it."""
        if self.key == "all_to_1":
            if not kafka:
                return "≥ Kafka's"
            return "≥ Kafka's" + ("" if values[0] >= kafka[0] else " (missed)")
        bars = []
        if self.median_max is not None:
            bars.append(f"median < {self.median_max:g}" + ("" if median(values) < self.median_max else " (missed)"))
        if self.always_max is not None:
            met = max(values) < self.always_max or max(values) == self.always_max == 0
            bars.append(f"{'= 0' if not self.always_max else f'< {self.always_max:g}'}" + ("" if met else " (missed)"))
        return ", ".join(bars)


ROWS = (
    Row("leader_killed", "kill -9 of a partition's leader: longest gap between acknowledged writes", 1.0, 3.0),
    Row("follower_killed", "kill -9 of a follower: longest gap", None, 1.0),
    Row("paused_elected", "SIGSTOP of a leader: until another leads", None, 5.0),
    Row("paused_gap", "SIGSTOP of a leader: longest gap, client timeouts of 2.5 s", None, 8.0),
    Row("paused_gap_several", "the same, of a client that writes to all three brokers", None, 8.0),
    Row("paused_gap_defaults", "SIGSTOP of a leader: longest gap, client at its defaults (up to 60 s watched)"),
    Row("cut_writes", "leader cut off from brokers and etcd: longest gap, client at its defaults", None, 8.0),
    Row("cut_reads", "leader cut off: longest gap between records read", None, 8.0),
    Row("controller_killed", "kill -9 of the controller: longest gap", 1.0, 3.0),
    Row("controller_admin", "kill -9 of the controller: until a topic can be created", None, 3.0),
    Row("etcd_writes", "kill -9 of etcd's leader: longest gap between acknowledged writes", None, 1.0),
    Row("etcd_reads", "kill -9 of etcd's leader: longest gap between records read", None, 1.0),
    Row("restart_gap", "controlled restart of each broker in turn: longest gap", None, 0.5),
    Row("restart_errors", "controlled restart: errors in delivery reports and polls", None, 0.0, unit=""),
    Row("many_led", "kill -9 of the leader of many partitions: until all are led again", None, 3.0),
    Row("mb_s_1", "throughput with acks=1", unit="MB/s", is_better_high=True),
    Row("mb_s_all", "throughput with acks=all", unit="MB/s", is_better_high=True),
    Row("all_to_1", "acks=all to acks=1", unit="", is_better_high=True),
)


def table(penstock: Values, kafka: Values) -> list[str]:
    lines = [
        "| fault | unit | Apache Kafka | Penstock | ratio | bar |",
        "| --- | --- | ---: | ---: | ---: | --- |",
    ]
    for row in ROWS:
        mine, theirs = penstock.get(row.key, ()), kafka.get(row.key, ())
        if not mine and not theirs:
            continue
        ratio = f"{median(mine) / median(theirs):.2f}" if mine and theirs and median(theirs) else ""
        bar = row.bar(mine, theirs) if mine else ""
        lines.append(f"| {row.title} | {row.unit} | {spread(theirs)} | {spread(mine)} | {ratio} | {bar} |")
    return lines


def spread(values: Sequence[float]) -> str:
    """The median, and from what to what; of how many."""
    if not values:
        return "–"
    if len(values) == 1:
        return f"{values[0]:.3g}"
    return f"{median(values):.3g} ({min(values):.3g}–{max(values):.3g}, n={len(values)})"


def section(penstock: Values, kafka: Values, facts: Mapping[str, Any]) -> str:
    machine = facts["machine"]
    return "\n".join(
        [
            HEADING,
            f"Commit {facts['commit']}, {facts['at'][:10]}; {machine['cores']} cores ({machine['cpu']}),"
            f" {machine['memory_gb']:.0f} GB, Linux {machine['kernel']}; load average {facts['load']:.1f} before the"
            f" run; {facts['partitions']} partitions led by the killed broker in the case of many"
            f"{'; QUICK' if facts['quick'] else ''}. Median, and from the least to the most of n.",
            "",
            *table(penstock, kafka),
            "",
        ]
    )


def publish(text: str, page: Path = PAGE) -> None:
    before, _, _ = page.read_text().partition(HEADING)
    page.write_text(before + text)
