"""`python -m benchmarks.profiling KEY`: where Penstock's time goes under one workload.

Runs the broker under cProfile, which makes Python calls dearer than they are and system calls look cheap: read shares
of functions from it, and costs from the benchmark itself.
"""

import pstats
import sys
from contextlib import ExitStack
from pathlib import Path

import click

from benchmarks import loadgen, plan
from benchmarks.__main__ import CACHE, REPOSITORY, run_folder
from benchmarks.brokers import Penstock
from benchmarks.rounds import Run
from benchmarks.workloads import Side


class ProfiledPenstock(Penstock):
    @property
    def profile(self) -> Path:
        return self.folder / "profile"

    def command(self) -> list[str]:
        return [sys.executable, "-m", "cProfile", "-o", str(self.profile), *super().command()]


@click.command(help=__doc__)
@click.argument("key")
@click.option("--lines", default=40, show_default=True, help="How many functions to show.")
@click.option("--by", type=click.Choice(["tottime", "cumtime"]), default="tottime", show_default=True)
@click.option("--rounds", default=2, show_default=True, help="How often the workload runs.")
def main(*, key: str, lines: int, by: str, rounds: int) -> None:
    chosen = plan.whole().one
    workloads = [workload for workload in chosen.workloads if workload.key == key]
    if not workloads:
        raise click.ClickException(f"no workload {key}; there are {', '.join(w.key for w in chosen.workloads)}")
    driver = loadgen.LoadDriver(loadgen.build(CACHE / "bench" / "driver"))
    with run_folder(CACHE / "bench") as folder, ExitStack() as stack:
        broker = ProfiledPenstock("penstock", folder, REPOSITORY / ".venv/bin/penstock")
        stack.callback(broker.stop)
        Run(chosen, driver, click.echo).start(broker)
        for _ in range(rounds):
            values = workloads[0].run(Side(broker, driver, touch_bytes=0))
            click.echo(", ".join(f"{name} {value:.4g}" for name, value in values.items()))
        broker.stop()
        pstats.Stats(str(broker.profile)).strip_dirs().sort_stats(by).print_stats(lines)


if __name__ == "__main__":
    main()
