"""Runs the simulated cluster over many seeds, on all cores, and says what was dealt out and found (docs/simulation.md).

python -m tools.simulate --seeds 5000              no seed may break an invariant; each planted bug must be found
python -m tools.simulate --seeds 1000 --first 5000 the next thousand; bugs are looked for from seed 0 on only
python -m tools.simulate --seed 137                the story of one seed
python -m tools.simulate --seed 3 --bug forgets-producers
"""

import argparse
import os
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from simulation.bugs import BUGS
from simulation.faults import FAULTS
from simulation.running import Outcome, run_seed, story_of
from simulation.world import EFFECTS

BUG_SEEDS_MAX = 1_000


def main() -> int:
    parser = argparse.ArgumentParser(description="Simulate a cluster from seeds.")
    parser.add_argument("--seeds", type=int, default=1_000, help="how many, from --first on")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, help="tell the story of this one")
    parser.add_argument("--bug", choices=sorted(BUGS), help="plant this bug (with --seed)")
    options = parser.parse_args()
    if options.seed is not None:
        return tell(options.seed, options.bug)
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        is_sound = run_sound(pool, range(options.first, options.first + options.seeds))
        are_found = options.first > 0 or find_bugs(pool, min(options.seeds, BUG_SEEDS_MAX))
    return 0 if is_sound and are_found else 1


def tell(seed: int, bug: str | None) -> int:
    story, failure = story_of(seed, bug=bug)
    print("\n".join(story))
    if failure is None:
        print(f"seed {seed}: nothing wrong")
        return 0
    if not isinstance(failure, AssertionError):
        traceback.print_exception(failure)
    print(f"seed {seed}: {failure}")
    return 1


def run_sound(pool: ProcessPoolExecutor, seeds: range) -> bool:
    marks: Counter[str] = Counter()
    failed: list[Outcome] = []
    steps, began_s = 0, time.monotonic()
    for done, outcome in enumerate(pool.map(run_seed, seeds, chunksize=10), start=1):
        marks += outcome.marks
        steps += outcome.steps
        if outcome.violation is not None:
            failed.append(outcome)
            print(f"\n{outcome.report}", flush=True)
        if sys.stderr.isatty() and done % 20 == 0:
            print(f"\r{done} of {len(seeds)} seeds", end="", file=sys.stderr, flush=True)
    seconds = time.monotonic() - began_s
    print(f"\n{len(seeds)} seeds, {steps:,} steps in {seconds:.0f} s; {len(failed)} broke an invariant")
    for title, kinds in (("dealt out", FAULTS), ("came about", EFFECTS)):
        print(f"\n{title}")
        for kind in kinds:
            print(f"  {marks[kind]:>9,}  {kind}")
    never = [kind for kind in (*FAULTS, *EFFECTS) if not marks[kind]]
    if never:
        print(f"\nnever happened, so nothing is proven of it: {', '.join(never)}")
    return not failed and not never


def find_bugs(pool: ProcessPoolExecutor, seeds_max: int) -> bool:
    print("\nplanted bugs, and the seeds it took to find them")
    are_found = True
    for bug in BUGS:
        found = next((outcome for outcome in _outcomes(pool, bug, seeds_max) if outcome.violation is not None), None)
        are_found = are_found and found is not None
        took = f"{found.seed + 1:>5}" if found is not None else " none"
        why = found.violation if found is not None else f"not found in {seeds_max} seeds"
        rule = "" if BUGS[bug].rule is None else f"RULES {BUGS[bug].rule}"
        print(f"  {took}  {bug:<34} {rule:<8} {str(why)[:110]}", flush=True)
    return are_found


def _outcomes(pool: ProcessPoolExecutor, bug: str, seeds_max: int) -> Iterator[Outcome]:
    at_once = 2 * (os.cpu_count() or 1)
    for first in range(0, seeds_max, at_once):
        yield from pool.map(partial(run_seed, bug=bug), range(first, min(first + at_once, seeds_max)))


if __name__ == "__main__":
    sys.exit(main())
