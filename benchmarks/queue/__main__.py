"""`python -m benchmarks.queue`, by `make bench PART=queue`: queue work beside Kafka's share groups, RabbitMQ and NATS.

QUICK=1 takes two to three minutes, the whole about ten. BASE=<commit> counts instructions beside that commit as well.
"""

import signal
import sys
from dataclasses import replace
from pathlib import Path

import click
from rich.console import Console

from benchmarks import host, loadgen, report
from benchmarks.__main__ import CACHE, REPOSITORY, _stop_cleanly, run_folder
from benchmarks.queue import cases, queuegen, rows, table
from benchmarks.queue.run import SYNCS, Places, QueueBench, chosen

KIND = click.Path(path_type=Path)


@click.command(help=__doc__)
@click.option("--quick", is_flag=True, envvar="QUICK", help="Smaller loads, one round.")
@click.option(
    "--base", envvar="BASE", default="", help="A commit before queue work: instructions are counted beside it."
)
@click.option("--only", multiple=True, help="Only the load or program with this key (repeatable).")
@click.option("--kafka-jars", type=KIND, default=CACHE / "kafka-4.3.0", envvar="KAFKA_JARS", show_default=True)
@click.option("--penstock", type=KIND, default=REPOSITORY / ".venv/bin/penstock", show_default=True)
@click.option(
    "--work", type=KIND, default=CACHE / "bench", help="Where the brokers keep their data.", show_default=True
)
@click.option("--history", type=KIND, default=REPOSITORY / "benchmarks/results/queue.jsonl", show_default=True)
@click.option("--markdown", type=KIND, default=REPOSITORY / "benchmarks/results/queue.md", show_default=True)
def main(
    *,
    quick: bool,
    base: str,
    only: tuple[str, ...],
    kafka_jars: Path,
    penstock: Path,
    work: Path,
    history: Path,
    markdown: Path,
) -> None:
    console = Console() if sys.stdout.isatty() else Console(width=200)
    for stop in (signal.SIGTERM, signal.SIGINT):
        signal.signal(stop, _stop_cleanly)
    plan = cases.quick() if quick else cases.whole()
    if base:
        plan = replace(plan, programs=(*plan.programs, cases.untouched(base)))
    plan = chosen(plan, only)
    peers = (CACHE / "peers").resolve()
    driver = loadgen.LoadDriver(queuegen.build(work / "driver", peers / "clients"))
    plain = loadgen.LoadDriver(loadgen.build(work / "driver"))

    def say(text: str) -> None:
        console.print(f"[dim]{text}[/]", highlight=False, soft_wrap=True)

    with run_folder(work) as folder:
        places = Places(folder, kafka_jars, peers / "servers", penstock)
        bench = QueueBench(plan, places, driver, plain, say)
        lines = rows.lines(bench.whole(), bench.collected.values)
    facts = host.facts(REPOSITORY)
    table.show(console, lines, title=f"Penstock {facts['commit']}, queue work")
    for side, sync in SYNCS.items():
        if side in bench.collected.values:
            console.print(f"{side}: what it has answered is in {sync}", highlight=False)
    for note in bench.collected.notes:
        console.print(f"Note: {note}.")
    markdown.parent.mkdir(parents=True, exist_ok=True)
    markdown.write_text("\n".join(table.markdown(lines, bench.titles(), SYNCS, bench.collected.notes)) + "\n")
    entry = {**facts, "quick": quick, "notes": bench.collected.notes, "rounds": bench.collected.values}
    report.keep(history, entry)


if __name__ == "__main__":
    try:
        main()
    except loadgen.LoadFailed as failure:
        sys.exit(f"no result: {failure}")
