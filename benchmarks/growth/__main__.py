"""`python -m benchmarks.growth`: cost over growing numbers of partitions, connections, groups, segments, consumers and
over the sizes of records and fetches, of Penstock by itself. Takes about five minutes.

Writes docs/performance/growth.json, growth.csv and a plot a curve, and appends a line to the history. Asserts nothing.
"""

import json
from collections.abc import Callable
from pathlib import Path

import click
import structlog

from benchmarks import host, loadgen
from benchmarks.__main__ import CACHE, REPOSITORY, run_folder
from benchmarks.growth import served, steps
from benchmarks.growth.curve import Curve, as_csv, draw
from benchmarks.growth.served import Ground

PAGES = REPOSITORY / "docs" / "performance"
HISTORY = REPOSITORY / "benchmarks" / "results" / "growth.jsonl"

CURVES: dict[str, Callable[[Ground], list[Curve]]] = {
    "partitions": served.partitions,
    "connections": served.connections,
    "fetches": lambda ground: steps.fetches(ground.folder / "fetches"),
    "segments": lambda ground: steps.segments(ground.folder / "segments"),
    "groups": served.groups,
    "record sizes": served.record_sizes,
    "consumers": served.consumers,
}


@click.command(help=__doc__)
@click.option("--only", multiple=True, type=click.Choice(list(CURVES)), help="Only these (repeatable).")
@click.option("--pages", type=click.Path(path_type=Path), default=PAGES, show_default=True, help="Where plots go.")
def main(*, only: tuple[str, ...], pages: Path) -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    driver = loadgen.LoadDriver(loadgen.build(CACHE / "bench" / "driver"))
    with run_folder(CACHE / "bench") as folder:
        ground = Ground(folder, REPOSITORY / ".venv" / "bin" / "penstock", driver, click.echo)
        curves = [curve for name, measure in CURVES.items() if not only or name in only for curve in measure(ground)]
    pages.mkdir(parents=True, exist_ok=True)
    for curve in curves:
        (pages / f"growth-{curve.key}.svg").write_text(draw(curve))
    run = host.facts(REPOSITORY) | {"curves": [curve.as_json() for curve in curves]}
    if not only:
        (pages / "growth.json").write_text(json.dumps(run, indent=1) + "\n")
        (pages / "growth.csv").write_text(as_csv(curves))
    HISTORY.parent.mkdir(parents=True, exist_ok=True)
    with HISTORY.open("a") as history:
        history.write(json.dumps(run) + "\n")


if __name__ == "__main__":
    main()
