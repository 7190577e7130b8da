"""`python -m benchmarks`: Apache Kafka and Penstock on this machine, in one run, in turns: one broker, then three.

QUICK=1 takes about two minutes, the whole under thirty.
"""

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import click
from rich.console import Console

from benchmarks import alone, host, idle, loadgen, logins, plan, report, secure
from benchmarks.brokers import ApacheKafka, Broker, Penstock
from benchmarks.clusters import Cluster, kafka_cluster, penstock_cluster
from benchmarks.figures import Alone, Figure, compare, compare_full
from benchmarks.instructions import rights
from benchmarks.javaload import JavaProduce
from benchmarks.plan import Plan
from benchmarks.rounds import START_FIGURES, Collected, Run, Say
from benchmarks.workloads import Side

REPOSITORY = Path(__file__).resolve().parent.parent
CACHE = REPOSITORY / ".cache"
Decorated = TypeVar("Decorated", bound=Callable[..., Any])
DISK_FREE_MIN_BYTES = 12_000_000_000
PARTS = ("one", "three", "secure", "alone")


def _stop_cleanly(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit("stopped")


@contextmanager
def run_folder(root: Path) -> Iterator[Path]:
    """A folder of this run's own; folders of runs that were killed are removed first."""
    root.mkdir(parents=True, exist_ok=True)
    for left_over in root.glob("run-*"):
        if not Path("/proc", left_over.name.removeprefix("run-")).exists():
            shutil.rmtree(left_over, ignore_errors=True)
    folder = root / f"run-{os.getpid()}"
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class Bench:
    """What all phases share: how much is run, with what, and where."""

    plan: Plan
    driver: loadgen.LoadDriver
    say: Say
    folder: Path
    kafka_jars: Path
    penstock: Path
    stand_in: bool
    collected: Collected

    def one_broker(self, *, has_idle: bool) -> list[Figure]:
        run = Run(self.plan.one, self.driver, self.say, touch_bytes=self.plan.touch_bytes, collected=self.collected)
        with ExitStack() as stack:
            brokers = [self._started(name, run, stack) for name in ("kafka", "penstock")]
            run.whole([*brokers, self._opening_all(stack)], plan.BESIDE)
            if has_idle:
                sides = [Side(broker, self.driver, 0, brokers) for broker in brokers]
                idle.measure(brokers, sides, self.collected, self.plan.idle_s)
        return [*run.figures(), *START_FIGURES, *idle.FIGURES]

    def three_brokers(self) -> list[Figure]:
        run = Run(self.plan.three, self.driver, self.say, touch_bytes=self.plan.touch_bytes, collected=self.collected)
        with ExitStack() as stack:
            clusters = []
            for name in ("kafka", "penstock"):
                cluster = self._cluster(name)
                stack.callback(shutil.rmtree, self.folder / f"three-{name}", ignore_errors=True)
                stack.callback(cluster.end)
                cluster.start_all()
                self.say(f"{name}: three brokers are up")
                run.rest(cluster)
                clusters.append(cluster)
            run.whole(clusters)
        return run.figures()

    def over_tls(self) -> list[Figure]:
        certificates = secure.make_certificates(self.folder)
        driver = secure.TlsDriver(self.driver.binary, certificates.of_client)
        run = Run(self.plan.secure, driver, self.say, touch_bytes=self.plan.touch_bytes, collected=self.collected)
        at_rest = secure.AtRest(certificates.authority, self.plan.at_rest)
        with ExitStack() as stack:
            brokers = secure.brokers(self.folder, self.kafka_jars, self.penstock, certificates)
            for broker in brokers:
                broker.folder.mkdir()
                stack.callback(shutil.rmtree, broker.folder, ignore_errors=True)
                stack.callback(broker.kill)
                Run(self.plan.secure, driver, self.say, collected=Collected()).start(broker)
                run.rest(broker)
            run.whole(brokers)
            for broker in brokers:
                self.collected.add(broker.name, at_rest.run(Side(broker, driver, 0, brokers)))
        return [*run.figures(), *at_rest.figures()]

    def with_rights(self) -> list[Figure]:
        """TLS, logins and access rules together."""
        folder = self.folder / "rights"
        folder.mkdir()
        certificates = secure.make_certificates(folder)
        driver = logins.driver(self.driver.binary, certificates)
        run = Run(self.plan.rights, driver, self.say, touch_bytes=self.plan.touch_bytes, collected=self.collected)
        with ExitStack() as stack:
            brokers = logins.brokers(folder, self.kafka_jars, self.penstock, certificates)
            for broker in brokers:
                stack.callback(shutil.rmtree, broker.folder, ignore_errors=True)
                stack.callback(broker.kill)
                logins.start(broker, certificates)
                self.say(f"{broker.name}: up, with its rules")
            run.whole(brokers)
        return run.figures()

    def _started(self, name: str, run: Run, stack: ExitStack) -> Broker:
        """Start afresh several times for the sake of the start-up figure; the last one stays and is loaded."""
        for number in range(1, self.plan.starts + 1):
            broker = self._broker(name, self.folder / f"{name}-{number}")
            stack.callback(shutil.rmtree, broker.folder, ignore_errors=True)
            stack.callback(broker.kill)
            run.start(broker)
            if number < self.plan.starts:
                broker.stop()
                shutil.rmtree(broker.folder, ignore_errors=True)
        run.rest(broker)
        return broker

    def _opening_all(self, stack: ExitStack) -> Broker:
        """The broker that looks into every batch, beside the other two for a few workloads."""
        folder = self.folder / "penstock-full"
        folder.mkdir()
        if self.stand_in:
            broker: Broker = ApacheKafka(plan.FULL, folder, self.kafka_jars)
        else:
            broker = Penstock(plan.FULL, folder, self.penstock, {"penstock.validate.records": "full"})
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        stack.callback(broker.kill)
        Run(self.plan.one, self.driver, self.say, collected=Collected()).start(broker)
        return broker

    def _broker(self, name: str, folder: Path) -> Broker:
        folder.mkdir()
        if name == "kafka" or self.stand_in:
            return ApacheKafka(name, folder, self.kafka_jars)
        return Penstock(name, folder, self.penstock)

    def _cluster(self, name: str) -> Cluster:
        folder = self.folder / f"three-{name}"
        if name == "kafka" or self.stand_in:
            return kafka_cluster(folder, self.kafka_jars, name)
        return penstock_cluster(folder, self.penstock, name)


def _path(name: str, default: Path, what: str, envvar: str | None = None) -> Callable[[Decorated], Decorated]:
    kind = click.Path(path_type=Path)
    return click.option(name, type=kind, default=default, show_default=True, help=what, envvar=envvar)


@click.command(help=__doc__)
@click.option("--quick", is_flag=True, envvar="QUICK", help="About two minutes: smaller loads, fewer rounds.")
@click.option("--java", is_flag=True, envvar="JAVA_LOAD", help="Load with Kafka's own ProducerPerformance as well.")
@click.option("--only", multiple=True, help="Run only the workload with this key (repeatable).")
@click.option("--part", "parts", multiple=True, type=click.Choice(PARTS), default=PARTS,
              help="Run only this part (repeatable).")  # fmt: skip
@click.option("--stand-in", is_flag=True, help="Use Kafka on both sides, to try the harness itself; nothing is kept.")
@_path("--kafka-jars", CACHE / "kafka-4.3.0", "Folder with Apache Kafka's jars.", envvar="KAFKA_JARS")
@_path("--penstock", REPOSITORY / ".venv/bin/penstock", "The penstock command.")
@_path("--work", CACHE / "bench", "Where the brokers keep their data during the run.")
@_path("--history", REPOSITORY / "benchmarks/results/history.jsonl", "Where the run's line is appended.")
def main(
    *,
    quick: bool,
    java: bool,
    only: tuple[str, ...],
    parts: tuple[str, ...],
    stand_in: bool,
    kafka_jars: Path,
    penstock: Path,
    work: Path,
    history: Path,
) -> None:
    # Room for the table's widest line where there is no terminal to ask.
    console = Console() if sys.stdout.isatty() else Console(width=130)
    if not list(kafka_jars.glob("kafka_2.13-*.jar")):
        raise click.ClickException(f"no Apache Kafka in {kafka_jars}: run benchmarks/setup first")
    chosen = plan.quick() if quick else plan.whole()
    if java:
        chosen.one.workloads.append(JavaProduce("java", "1 KB records, Java client", 1024, 300_000, kafka_jars))
    for phase in (chosen.one, chosen.three, chosen.secure, chosen.rights):
        phase.only(only)
    driver = loadgen.LoadDriver(loadgen.build(work / "driver"))
    for stop in (signal.SIGTERM, signal.SIGINT):
        signal.signal(stop, _stop_cleanly)
    collected, figures = Collected(), list[Figure]()
    with run_folder(work) as folder:
        if shutil.disk_usage(folder).free < DISK_FREE_MIN_BYTES:
            raise click.ClickException(f"{work} has less than {DISK_FREE_MIN_BYTES / 1e9:.0f} GB free")

        def say(text: str) -> None:
            console.print(f"[dim]{text}[/]", highlight=False, soft_wrap=True)

        bench = Bench(chosen, driver, say, folder, kafka_jars, penstock, stand_in, collected)
        if "one" in parts and chosen.one.workloads:
            figures += bench.one_broker(has_idle=not only)
        if "three" in parts and chosen.three.workloads:
            figures += bench.three_brokers()
        if "secure" in parts and chosen.secure.workloads and not stand_in:
            figures += bench.over_tls()
        if "secure" in parts and chosen.rights.workloads and not stand_in:
            figures += bench.with_rights()
        by_itself: list[Alone] = []
        if "alone" in parts and not (stand_in or only):
            by_itself += alone.measure(chosen, driver, folder, penstock, say)
        if "secure" in parts and not (stand_in or only) and chosen.counts_instructions:
            by_itself += rights.measure()
    lines = compare(figures, collected.values.get("kafka", {}), collected.values.get("penstock", {}))
    lines += compare_full(figures, collected.values.get("kafka", {}), collected.values.get(plan.FULL, {}))
    is_partial = bool(only) or set(parts) != set(PARTS)
    facts = {"commit": host.commit(REPOSITORY), "machine": host.machine(), "quick": quick, "partial": is_partial}
    report.show(console, lines, collected, f"Penstock {facts['commit']} beside {ApacheKafka.title}")
    report.show_alone(console, by_itself)
    if not stand_in:
        report.keep(history, report.record(lines, collected, facts, by_itself))


if __name__ == "__main__":
    try:
        main()
    except loadgen.LoadFailed as failure:
        sys.exit(f"no result: {failure}")
