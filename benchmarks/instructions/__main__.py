"""`python -m benchmarks.instructions`: how many instructions the steps of a request take, beside the last run.

For a change of the hot path: run it before and after. Asserts nothing. Half a minute of CPU time, nearly all of it the
start of a broker under valgrind.
"""

import json
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from benchmarks import host
from benchmarks.instructions import STEPS, added
from benchmarks.instructions.counting import count

REPOSITORY = Path(__file__).resolve().parents[2]
LAST = REPOSITORY / "benchmarks/results/instructions.json"


@click.command(help=__doc__)
@click.option("--last", type=click.Path(path_type=Path), default=LAST, show_default=True, help="Where a run is kept.")
def main(*, last: Path) -> None:
    before = json.loads(last.read_text()) if last.exists() else {}
    steps = count(STEPS)
    table = Table(title=f"Instructions a step, {host.commit(REPOSITORY)}", title_justify="left")
    for heading in ("", "instructions", "last run", "change"):
        table.add_column(heading, justify="right" if heading else "left")
    for step, instructions in steps.items():
        then = before.get(step)
        change = ("", "") if not then else (f"{then:,.0f}", f"{instructions / then - 1:+.1%}")
        table.add_row(step, f"{instructions:,.0f}", *change)
    console = Console()
    console.print(table)
    for key, (percent,) in added(steps).items():
        console.print(f"{key}: {percent:+.1f} % of plain")
    last.parent.mkdir(parents=True, exist_ok=True)
    last.write_text(json.dumps(steps))


if __name__ == "__main__":
    main()
