"""`python -m benchmarks.failover`: Penstock and Apache Kafka, three nodes each, hurt in the same ways in one run.

The whole takes about half an hour, most of it Kafka's own failovers; QUICK=1 about six minutes.
"""

import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import click

from benchmarks import host, loadgen
from benchmarks.clusters import NETWORKS, Cluster, kafka_cluster, penstock_cluster
from benchmarks.failover.cases import CASES, CASES_OF_NETWORKS, TOPIC, Amount, Case, Values, create
from benchmarks.failover.table import publish, section, table
from penstock.processes.networks import Networks, NetworksImpossible

REPOSITORY = Path(__file__).resolve().parents[2]
CACHE = REPOSITORY / ".cache"
PENSTOCK = REPOSITORY / ".venv" / "bin" / "penstock"
HISTORY = REPOSITORY / "benchmarks" / "results" / "failover.jsonl"


def measure(cluster: Cluster, amount: Amount, cases: Mapping[str, Case]) -> Values:
    values: Values = {}
    try:
        cluster.start_all()
        create(cluster, TOPIC)
        for name, case in cases.items():
            began_s = time.monotonic()
            found = case(cluster, amount)
            values |= found
            shown = "; ".join(f"{key} {', '.join(f'{value:.3g}' for value in each)}" for key, each in found.items())
            click.echo(f"{cluster.title}: {name}: {shown or 'no such thing'} [{time.monotonic() - began_s:.0f} s]")
    finally:
        cluster.end()
    return values


@contextmanager
def scratch_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="penstock-failover-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _stop_cleanly(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit("stopped")


@click.command(help=__doc__)
@click.option("--quick", is_flag=True, envvar="QUICK", help="Fewer repeats, fewer partitions.")
@click.option(
    "--only", multiple=True, type=click.Choice([*CASES, *CASES_OF_NETWORKS]), help="Only this case (repeatable)."
)
@click.option("--side", type=click.Choice(["both", "penstock", "kafka"]), default="both", show_default=True)
@click.option("--kafka-jars", type=click.Path(path_type=Path), default=CACHE / "kafka-4.3.0", envvar="KAFKA_JARS")
@click.option("--publish", "publishes", is_flag=True, help="Write the table into docs/failover.md.")
def main(*, quick: bool, only: tuple[str, ...], side: str, kafka_jars: Path, publishes: bool) -> None:
    for stop in (signal.SIGTERM, signal.SIGINT):
        signal.signal(stop, _stop_cleanly)
    driver = loadgen.LoadDriver(loadgen.build(CACHE / "bench" / "driver"))
    partitions = 200 if quick else 1_000
    facts = host.facts(REPOSITORY) | {"quick": quick, "partitions": partitions}
    mine = Amount(4 if quick else 10, 2 if quick else 5, partitions, 60 if quick else 200, driver)
    theirs = Amount(1 if quick else 3, 1 if quick else 2, partitions, mine.megabytes, driver)

    def wanted(cases: Mapping[str, Case]) -> Mapping[str, Case]:
        return {name: case for name, case in cases.items() if not only or name in only}

    def on_either(name: str, make: Callable[[Path, Networks | None], Cluster], amount: Amount) -> Values:
        if side not in ("both", name):
            return {}
        values: Values = {}
        with scratch_folder() as folder:
            if cases := wanted(CASES):
                values |= measure(make(folder, None), amount, cases)
        with scratch_folder() as folder:
            if cases := wanted(CASES_OF_NETWORKS):
                try:
                    with Networks(f"pf{os.getpid() % 100_000}", NETWORKS) as networks:
                        values |= measure(make(folder, networks), amount, cases)
                except NetworksImpossible as reason:
                    click.echo(f"{', '.join(cases)}: not measured: {reason}")
        return values

    penstock = on_either("penstock", lambda folder, made: penstock_cluster(folder, PENSTOCK, networks=made), mine)
    kafka = on_either("kafka", lambda folder, made: kafka_cluster(folder, kafka_jars, networks=made), theirs)
    click.echo("\n".join(["", *table(penstock, kafka)]))
    HISTORY.parent.mkdir(parents=True, exist_ok=True)
    with HISTORY.open("a") as history:
        history.write(json.dumps({**facts, "penstock": penstock, "kafka": kafka}) + "\n")
    if publishes:
        publish(section(penstock, kafka, facts))


if __name__ == "__main__":
    try:
        main()
    except loadgen.LoadFailed as failure:
        sys.exit(f"no result: {failure}")
