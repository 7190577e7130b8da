"""`python -m benchmarks`: Apache Kafka and Penstock on this machine, in one run, in turns.

QUICK=1 takes about two minutes, the whole about twenty-five.
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

from benchmarks import alone, host, loadgen, plan, report
from benchmarks.brokers import ApacheKafka, Broker, Penstock
from benchmarks.figures import compare
from benchmarks.javaload import JavaProduce
from benchmarks.rounds import Run

REPOSITORY = Path(__file__).resolve().parent.parent
CACHE = REPOSITORY / ".cache"
Decorated = TypeVar("Decorated", bound=Callable[..., Any])
DISK_FREE_MIN_BYTES = 12_000_000_000


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
class Starter:
    """Makes fresh brokers of either kind in folders of their own and stops them when the run is over."""

    run: Run
    stack: ExitStack
    folder: Path
    kafka_jars: Path
    penstock: Path
    starts: int

    def start(self, name: str, kind: str) -> Broker:
        """Start afresh several times for the sake of the start-up figure; the last one stays and is loaded."""
        for number in range(1, self.starts + 1):
            broker = self._new(name, kind, self.folder / f"{name}-{number}")
            self.stack.callback(broker.stop)
            self.run.start(broker)
            if number < self.starts:
                broker.stop()
                shutil.rmtree(broker.folder, ignore_errors=True)
        self.run.rest(broker)
        return broker

    def _new(self, name: str, kind: str, folder: Path) -> Broker:
        folder.mkdir()
        if kind == "kafka":
            return ApacheKafka(name, folder, self.kafka_jars)
        return Penstock(name, folder, self.penstock)


def _path(name: str, default: Path, what: str, envvar: str | None = None) -> Callable[[Decorated], Decorated]:
    kind = click.Path(path_type=Path)
    return click.option(name, type=kind, default=default, show_default=True, help=what, envvar=envvar)


@click.command(help=__doc__)
@click.option("--quick", is_flag=True, envvar="QUICK", help="About two minutes: smaller loads, fewer rounds.")
@click.option("--java", is_flag=True, envvar="JAVA_LOAD", help="Load with Kafka's own ProducerPerformance as well.")
@click.option("--only", multiple=True, help="Run only the workload with this key (repeatable).")
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
        chosen.workloads.append(JavaProduce("java", "1 KB records, Java client", 1024, 300_000, kafka_jars))
    chosen.workloads[:] = [workload for workload in chosen.workloads if not only or workload.key in only]
    driver = loadgen.LoadDriver(loadgen.build(work / "driver"))
    run = Run(chosen, driver, lambda text: console.print(f"[dim]{text}[/]", highlight=False, soft_wrap=True))
    for stop in (signal.SIGTERM, signal.SIGINT):
        signal.signal(stop, _stop_cleanly)
    with run_folder(work) as folder, ExitStack() as stack:
        if shutil.disk_usage(folder).free < DISK_FREE_MIN_BYTES:
            raise click.ClickException(f"{work} has less than {DISK_FREE_MIN_BYTES / 1e9:.0f} GB free")
        starter = Starter(run, stack, folder, kafka_jars, penstock, chosen.starts)
        run.whole([starter.start("kafka", "kafka"), starter.start("penstock", "kafka" if stand_in else "penstock")])
        stack.close()
        by_itself = [] if stand_in or only else alone.measure(chosen, folder, penstock, run.say)
    lines = compare(run.figures(), run.collected.values["kafka"], run.collected.values["penstock"])
    facts = {"commit": host.commit(REPOSITORY), "machine": host.machine(), "quick": quick}
    report.show(console, lines, run.collected, f"Penstock {facts['commit']} beside {ApacheKafka.title}")
    report.show_alone(console, by_itself)
    if not stand_in:
        report.keep(history, report.record(lines, run.collected, facts, by_itself))


if __name__ == "__main__":
    try:
        main()
    except loadgen.LoadFailed as failure:
        sys.exit(f"no result: {failure}")
