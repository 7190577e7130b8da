"""Runs seeds and says what came of them."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from simulation.bugs import BUGS, NO_BUG
from simulation.world import World


class Outcome(NamedTuple):
    seed: int
    violation: str | None
    marks: Counter[str]
    steps: int

    @property
    def report(self) -> str:
        return f"seed {self.seed}: {self.violation}\nread its story: make sim SEED={self.seed}"


def run_seed(seed: int, *, bug: str | None = None) -> Outcome:
    """Any exception is a find: a machine that fails has not kept its promises either."""
    world = World(seed, NO_BUG if bug is None else BUGS[bug])
    violation = None
    try:
        world.run()
    except Exception as error:
        violation = str(error) if isinstance(error, AssertionError) else f"{type(error).__name__}: {error}"
    return Outcome(seed, violation or None, world.marks, world.loop.steps)


def seeds_for(bug: str, most: int) -> Iterator[int]:
    """In which to look for a planted bug: where it was found before, then everywhere."""
    likely = BUGS[bug].seed
    yield likely
    yield from (seed for seed in range(most) if seed != likely)


def story_of(seed: int, *, bug: str | None = None) -> tuple[list[str], BaseException | None]:
    world = World(seed, NO_BUG if bug is None else BUGS[bug], is_told=True)
    failure: BaseException | None = None
    try:
        world.run()
    except Exception as error:
        failure = error
    return world.story or [], failure
