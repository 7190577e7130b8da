"""Stories of the simulated cluster: none breaks its oracle over many seeds, and a planted bug does in one of them."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Protocol

from simulation.oracle import Violation

BUG_SEEDS = 60


class World(Protocol):
    @property
    def marks(self) -> Counter[str]:
        """What happened in it, and how often."""

    def run(self) -> object: ...


def none_is_broken(world_of: Callable[[int], World], *, seeds: int, effects: Iterable[str]) -> None:
    marks: Counter[str] = Counter()
    for seed in range(seeds):
        world = world_of(seed)
        try:
            world.run()
        except Violation as violation:
            raise AssertionError(f"seed {seed}: {violation}") from violation
        marks += world.marks
    never = [kind for kind in effects if not marks[kind]]
    assert not never, f"stories in which this never happens prove nothing of it: {never}"
    assert marks["leader killed"] and marks["power lost"] and marks["elections"]


def bug_is_found(world_of: Callable[[int], World], *, likely: int) -> None:
    """`likely`: the seed that found it before, which is tried first."""
    seeds = [likely, *(seed for seed in range(BUG_SEEDS) if seed != likely)]
    assert any(_is_broken(world_of(seed)) for seed in seeds), f"not in {BUG_SEEDS} seeds"


def _is_broken(world: World) -> bool:
    try:
        world.run()
    except Violation:
        return True
    return False
