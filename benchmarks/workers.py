"""What a GB costs with one broker on a machine and with two (penstock.workers): python -m benchmarks.workers

Partitions are shared between them, without replicas. Two brokers should cost what one does; that they take twice as
much at the same time shows only where neither they nor the client have to share cores.
"""

import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import click

from benchmarks.brokers import Penstock
from benchmarks.figures import Better, Figure
from benchmarks.loadgen import LoadDriver, build
from benchmarks.workloads import Side, Transfer
from penstock.admin.addresses import ADDRESSES_FILE
from penstock.processes.etcd import EtcdCluster

NUMBERS = (1, 2)
PARTITIONS = 4
WITHIN_S = 60.0
_POLL_S = 0.05


class Workers(Penstock):
    """So many brokers from one `penstock up`, each on a port that it chose."""

    def __init__(self, count: int, folder: Path, executable: Path, etcd: EtcdCluster) -> None:
        settings: dict[str, str | int] = {
            "penstock.workers": count,
            "penstock.cluster.name": f"workers-{count}",
            "penstock.etcd.endpoints": etcd.endpoints,
            "default.replication.factor": 1,
        }
        super().__init__(f"workers{count}", folder, executable, settings)
        self.port = self._http_port = 0
        self._folders = (
            [folder / "data" / f"broker-{n}" for n in range(1, count + 1)] if count > 1 else [folder / "data"]
        )

    @property
    def bootstrap(self) -> str:
        """Raises FileNotFoundError or ValueError while they start."""
        told = [json.loads((folder / ADDRESSES_FILE).read_bytes())["listeners"] for folder in self._folders]
        return ",".join(address for listeners in told for address in listeners.values())

    def wait_until_up(self) -> None:
        deadline = time.monotonic() + WITHIN_S
        while True:
            try:
                self.bootstrap  # noqa: B018 - to be had when all have written theirs
                return
            except (FileNotFoundError, ValueError):
                if time.monotonic() > deadline or not self.alive():
                    raise RuntimeError(f"{self.name} did not start:\n{self.last_words()}") from None
                time.sleep(_POLL_S)


def figures() -> list[Figure]:
    def title(count: int) -> str:
        return (
            f"produce and consume 1 KB records, {count} broker{'' if count == 1 else 's'} of a cluster on one machine"
        )

    return [Figure(f"workers{count}.cpu", title(count), "CPU s/GB", Better.LOWER) for count in NUMBERS]


def measure(
    driver: LoadDriver, folder: Path, executable: Path, *, amount_bytes: int, touch_bytes: int, rounds: int,
    say: Callable[[str], None],
) -> dict[str, list[float]]:  # fmt: skip
    etcd = EtcdCluster(folder / "workers-etcd", size=1)
    subjects = [Workers(count, folder / f"workers-{count}", executable, etcd) for count in NUMBERS]
    values: dict[str, list[float]] = {f"{subject.name}.cpu": [] for subject in subjects}
    load = Transfer("workers", "", 1024, amount_bytes, partitions=PARTITIONS, settings={"p:acks": 1})
    try:
        etcd.start()
        for subject in subjects:
            subject.folder.mkdir(parents=True)
            subject.start()
            subject.wait_until_up()
        for _ in range(rounds):
            for subject in subjects:
                done = load.run(Side(subject, driver, touch_bytes))
                values[f"{subject.name}.cpu"].append(done["workers.produce_cpu"] + done["workers.consume_cpu"])
                say(
                    f"{subject.name}: "
                    + ", ".join(f"{key.partition('.')[2]} {value:.3g}" for key, value in done.items())
                )
    finally:
        for subject in subjects:
            subject.stop()
        etcd.kill()
    return values


@click.command(help=__doc__)
@click.option("--rounds", default=5, show_default=True)
@click.option("--penstock", type=click.Path(path_type=Path), default=".venv/bin/penstock", show_default=True)
def main(*, rounds: int, penstock: Path) -> None:
    with tempfile.TemporaryDirectory(dir=Path(".cache")) as name:
        driver = LoadDriver(build(Path(".cache/bench/driver")))
        values = measure(driver, Path(name), penstock.absolute(), amount_bytes=1_000_000_000, touch_bytes=4_000_000_000,
                         rounds=rounds, say=click.echo)  # fmt: skip
    one, two = (min(values[figure.key]) for figure in figures())
    click.echo(f"one broker {one:.3g} CPU s/GB, two {two:.3g}: {two / one:.2f}")


if __name__ == "__main__":
    main()
