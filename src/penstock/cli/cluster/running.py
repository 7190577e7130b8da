"""A plan being carried out: so many moves at a time, watched until the cluster says that they are done.

What was handed to the cluster is done by the cluster, whether anybody watches or not: whoever stops this and calls it
again goes on where it was. A broker that goes away meanwhile, also the one that is asked, is no reason to stop.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from penstock.cli.client import Cluster, refusal_text
from penstock.cli.cluster.electing import elect_preferred
from penstock.cli.cluster.planning.facts import Key, Move, Replicas
from penstock.cli.cluster.reading import ongoing, partitions
from penstock.cli.exits import Unreachable
from penstock.cli.progress import progress_bar
from penstock.client import NoAnswer, place
from penstock.errors import NetworkFailure

POLL_S = 0.3
AWAY_MAX_S = 60.0
"""How long the cluster may be out of reach before the watching is given up."""
HEARD_WITHIN_S = 5.0
"""How long a broker may take to hear of what the controller has done."""

_T = TypeVar("_T")


class Running:
    def __init__(self, cluster: Cluster, *, at_once: int, shows_progress: bool) -> None:
        self._cluster = cluster
        self._at_once = at_once
        self._shows_progress = shows_progress
        self.failures: dict[str, str] = {}
        """Why the cluster refused a partition's move."""

    def run(self, moves: Sequence[Move], *, under_way: Iterable[Key] = ()) -> None:
        """`under_way`: what an earlier call began, and this one waits for too."""
        waiting = list(moves)
        running = set(under_way)
        total = len(waiting) + len(running)
        with progress_bar("moving", total=total, shown=self._shows_progress, unit="partitions") as advance:
            while waiting or running:
                still = running & self._ask(ongoing).keys()
                advance(len(running) - len(still))
                running = still
                batch, waiting = _split(waiting, self._at_once - len(running))
                if batch:
                    accepted = self._begin(batch)
                    advance(len(batch) - len(accepted))
                    running |= accepted
                if running:
                    time.sleep(POLL_S)
        self._lead({(move.topic, move.index): move.after for move in moves if move.name not in self.failures})

    def _begin(self, moves: Sequence[Move]) -> set[Key]:
        refused = self._ask(lambda cluster: assign(cluster, {(m.topic, m.index): m.after for m in moves}))
        self.failures |= {f"{topic}-{index}": reason for (topic, index), reason in refused.items()}
        return {(move.topic, move.index) for move in moves} - refused.keys()

    def _lead(self, wanted: dict[Key, Replicas]) -> None:
        """Who should lead leads, where it is in sync. The broker that is asked may not have heard yet of a move that is
        over, or of an election: it is asked until it has.
        """
        topics = sorted({topic for topic, _ in wanted})
        gives_up_at = time.monotonic() + HEARD_WITHIN_S
        while topics:
            now = [each for each in self._ask(lambda cluster: partitions(cluster, topics)) if each.key in wanted]
            elect = [each.key for each in now if each.leader != each.replicas[0] and each.replicas[0] in each.in_sync]
            if elect:
                self._elect(elect)
            elif all(tuple(each.replicas) == tuple(wanted[each.key]) for each in now):
                return
            if time.monotonic() > gives_up_at:
                return
            time.sleep(POLL_S)

    def _elect(self, keys: Sequence[Key]) -> None:
        self._ask(lambda cluster: elect_preferred(cluster, keys))

    def _ask(self, question: Callable[[Cluster], _T]) -> _T:
        """Again if need be: the broker that was asked may be the one being restarted."""
        deadline = time.monotonic() + AWAY_MAX_S
        while True:
            try:
                return question(self._cluster)
            except Unreachable:
                if time.monotonic() > deadline:
                    raise
                time.sleep(POLL_S)


def assign(cluster: Cluster, wanted: dict[Key, Replicas | None]) -> dict[Key, str]:
    """Begin these moves, or cancel what is under way (None). What was refused, and why."""
    with cluster.doing("move partitions") as client:
        refused = client.alter_reassignments({place(*key): wanted[key] for key in sorted(wanted)}).refused
    if lost := next((each for each in refused.values() if isinstance(each, (NetworkFailure, NoAnswer))), None):
        raise cluster.failure(lost, doing="move partitions")
    return {key: refusal_text(each) for key, each in refused.items()}


def _split(moves: list[Move], count: int) -> tuple[list[Move], list[Move]]:
    count = max(count, 0)
    return moves[:count], moves[count:]
