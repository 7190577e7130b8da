"""`python -m benchmarks.holds`: for how long a rebalance of a large group holds the broker's event loop at most.

A thousand members over a thousand partitions, of either group protocol: one leaves, the others share its part; it comes
back. Whoever produces or fetches meanwhile waits for one step of the loop, so the longest step is the figure.
"""

import asyncio
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import click

from benchmarks.brokers import Penstock
from benchmarks.figures import Better, Figure
from benchmarks.large_group import (
    GROUP,
    ClassicMember,
    Connection,
    NewMember,
    rebalance_classic,
    rebalance_new,
    settle,
)
from benchmarks.processes import wait_for_port
from penstock.wire.messages.create_topics_request import CreatableTopic, CreateTopicsRequest
from penstock.wire.messages.create_topics_response import CreateTopicsResponse
from penstock.wire.messages.find_coordinator_request import FindCoordinatorRequest
from penstock.wire.messages.find_coordinator_response import FindCoordinatorResponse

HOLD_MAX_MS = 10.0
MEMBERS = PARTITIONS = 1_000
PROTOCOLS = ("classic", "KIP-848")
TOPIC = "shared"

Values = dict[str, list[float]]


def figures() -> list[Figure]:
    size = f"{MEMBERS:,} members, {PARTITIONS:,} partitions"
    return [
        figure
        for name in PROTOCOLS
        for figure in (
            Figure(f"hold.{name}_ms", f"longest step of the loop, {name} rebalance of {size}", "ms", Better.LOWER,
                   limit=HOLD_MAX_MS),
            Figure(f"hold.{name}_cpu_ms", f"longest step of the loop by CPU time, {name}", "ms", Better.LOWER),
        )
    ]  # fmt: skip


class TimedPenstock(Penstock):
    """The broker with every step of its loop timed."""

    @property
    def told(self) -> Path:
        return self.folder / "longest.json"

    def command(self) -> list[str]:
        _, *arguments = super().command()
        return [sys.executable, "-m", "benchmarks.timed_loop", str(self.told), *arguments]

    def longest(self) -> dict[str, Any]:
        """The longest step since this was last asked."""
        self.told.unlink(missing_ok=True)
        os.kill(self.pid, signal.SIGUSR1)
        deadline = time.monotonic() + 30
        while not self.told.exists():
            if time.monotonic() > deadline or not self.alive():
                raise RuntimeError(f"the broker does not answer: {self.last_words()}")
            time.sleep(0.01)
        longest: dict[str, Any] = json.loads(self.told.read_text())
        return longest


async def rebalance(broker: TimedPenstock, name: str, *, rounds: int, say: Callable[[str], None]) -> Values:
    values: Values = {}
    connections = [await Connection.open(broker.port) for _ in range(MEMBERS)]
    await _prepare(connections[0])
    again = await (_classic if name == "classic" else _new)(connections)
    for _ in range(rounds):
        broker.longest()
        await again()
        longest = broker.longest()
        for kind, key in (("wall", f"hold.{name}_ms"), ("cpu", f"hold.{name}_cpu_ms")):
            values.setdefault(key, []).append(float(longest[f"{kind}_s"]) * 1000)
            say(f"{key} {values[key][-1]:.1f}: {longest[f'{kind}_of']}")
    for connection in connections:
        connection.close()
    return values


async def _prepare(connection: Connection) -> None:
    """The topic, and the one that groups are kept in."""
    topic = CreateTopicsRequest([CreatableTopic(TOPIC, PARTITIONS, 1)], 60_000)
    await connection.exchange(topic, CreateTopicsResponse, 7)
    await connection.exchange(FindCoordinatorRequest(key_type=0, coordinator_keys=[GROUP]), FindCoordinatorResponse, 4)


async def _classic(connections: list[Connection]) -> Callable[[], Awaitable[None]]:
    members = [ClassicMember(connection) for connection in connections]
    await asyncio.gather(*(member.join() for member in members))
    return lambda: rebalance_classic(members)


async def _new(connections: list[Connection]) -> Callable[[], Awaitable[None]]:
    members = [NewMember(connection, f"member-{number:04}", TOPIC) for number, connection in enumerate(connections)]
    await settle(members, PARTITIONS)
    return lambda: rebalance_new(members, PARTITIONS)


def measure(folder: Path, executable: Path, *, rounds: int, say: Callable[[str], None]) -> Values:
    """Each protocol on a broker of its own."""
    values: Values = {}
    for name in PROTOCOLS:
        broker = TimedPenstock(name, folder / f"timed-{name}", executable)
        broker.folder.mkdir()
        broker.start()
        try:
            wait_for_port(broker.port)
            values |= asyncio.run(rebalance(broker, name, rounds=rounds, say=say))
        finally:
            broker.stop()
    return values


@click.command(help=__doc__)
@click.option("--rounds", default=3, show_default=True, help="Rebalances of each protocol.")
def main(*, rounds: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        measure(Path(name), Path("penstock"), rounds=rounds, say=click.echo)


if __name__ == "__main__":
    main()
