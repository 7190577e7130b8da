"""make mutants: one-line mutants of machines, replication, coordinators and log; does a test fail for each?

    python -m tools.mutants --count 80              a choice, the same each time; every package has its share
    python -m tools.mutants --only 'elections'      those whose name has that in it

Exits with 1 if a mutant survives that tools/mutants/survivors.toml does not list with a reason.
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Final, NamedTuple

from tools.mutants.mutations import Mutant, mutants_of

ROOT: Final = Path(__file__).parents[2]
SURVIVORS: Final = Path(__file__).with_name("survivors.toml")
AT_ONCE: Final = 2
PATIENCE_S: Final = 600
TEST_PATIENCE_S: Final = 180
"""A mutant that makes the tests hang is found, too."""
NEAREST_MAX: Final = 5


class Area(NamedTuple):
    name: str
    modules: tuple[str, ...]
    tests: tuple[tuple[str, ...], ...]
    """Runs of pytest, one after the other until one fails: the quickest first."""


SIMULATION: Final = ("tests/simulation/test_cluster_simulation.py", "-k", "no_seed_breaks")
AREAS: Final = (
    Area(
        "cluster",
        ("cluster/**/*.py",),
        (("tests/unit/cluster", "tests/scenarios"), ("tests/properties", "-k", "cluster or placement"), SIMULATION),
    ),
    Area(
        "replication",
        ("replication/**/*.py",),
        (("tests/unit/replication", "tests/scenarios"), ("tests/unit/broker",), SIMULATION),
    ),
    Area(
        "coordinators",
        ("coordinators/**/*.py",),
        (
            ("tests/unit/coordinators", "tests/scenarios"),
            ("tests/properties", "-k", "group or transaction or share"),
            SIMULATION,
        ),
    ),
    Area(
        "log",
        ("log/**/*.py",),
        (("tests/unit/log",), ("tests/properties", "-k", "log or recover or compaction or index"), SIMULATION),
    ),
)


class Outcome(NamedTuple):
    mutant: Mutant
    killed_by: str | None


def all_mutants(area: Area, root: Path = ROOT) -> list[Mutant]:
    source = root / "src/penstock"
    paths = sorted(path for pattern in area.modules for path in source.glob(pattern))
    return [mutant for path in paths for mutant in mutants_of(path, path.read_bytes(), root=root)]


def chosen(count: int, root: Path = ROOT) -> Iterator[tuple[Area, Mutant]]:
    """As many of each area, by the sums of their names: nobody picks them."""
    share = -(-count // len(AREAS))
    for area in AREAS:
        by_sum = sorted(all_mutants(area, root), key=lambda mutant: hashlib.sha256(mutant.name.encode()).digest())
        yield from ((area, mutant) for mutant in by_sum[:share])


def reasons() -> dict[str, str]:
    """Mutants that may survive: name to why that does no harm."""
    return {row["mutant"]: row["reason"] for row in tomllib.loads(SURVIVORS.read_text()).get("survivor", [])}


def nearest(area: Area, mutant: Mutant, root: Path = ROOT) -> tuple[str, ...]:
    """The test files that name the mutant's class or module, those named like it before others: one of them mostly
    notices, long before all tests of the area have run.
    """
    module = ".".join(mutant.path.relative_to(root / "src").with_suffix("").parts)
    outermost = mutant.name.split("::")[1].partition(".")[0]
    words = [module] if outermost.startswith("_") else [module, outermost]
    files = [
        path
        for path in sorted((root / "tests/unit" / area.name).rglob("test_*.py"))
        if any(re.search(rf"\b{re.escape(word)}\b", path.read_text()) for word in words)
    ]
    files.sort(key=lambda path: mutant.path.stem not in path.stem)
    return tuple(str(path.relative_to(root)) for path in files[:NEAREST_MAX])


class Workbench:
    """A copy of the tree in which one mutant lives at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        for name in _tracked():
            copy = folder / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy)

    def try_out(self, area: Area, mutant: Mutant | None) -> str | None:
        """Which run failed; None where none did."""
        path = None if mutant is None else self._folder / mutant.path.relative_to(ROOT)
        before = b"" if path is None else path.read_bytes()
        if path is not None and mutant is not None:
            path.write_bytes(mutant.applied_to(before))
        runs = area.tests if mutant is None else filter(None, (nearest(area, mutant), *area.tests))
        try:
            return next((" ".join(run) for run in runs if self._fails(run)), None)
        finally:
            if path is not None:
                path.write_bytes(before)

    def _fails(self, run: Sequence[str]) -> bool:
        here = {
            **os.environ,
            "PYTHONPATH": f"{self._folder / 'src'}{os.pathsep}{self._folder}",
            "PYTHONDONTWRITEBYTECODE": "1",  # one that is as long as another would be taken for it
        }
        pytest = (sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:randomly")
        limits = () if run == SIMULATION else (f"--timeout={TEST_PATIENCE_S}",)  # two hundred seeds are one test
        command = (*pytest, *limits, *run)
        try:
            done = subprocess.run(
                command, cwd=self._folder, env=here, capture_output=True, check=False, timeout=PATIENCE_S
            )
        except subprocess.TimeoutExpired:
            return True
        return done.returncode != 0


def _tracked() -> list[str]:
    listed = subprocess.run(("git", "ls-files", "-z"), cwd=ROOT, capture_output=True, check=True).stdout
    return [name for name in listed.decode().split("\0") if name and (ROOT / name).is_file()]


def run(work: Sequence[tuple[Area, Mutant]]) -> Iterator[Outcome]:
    with tempfile.TemporaryDirectory(prefix="penstock-mutants-") as folder, ThreadPoolExecutor(AT_ONCE) as threads:
        benches: SimpleQueue[Workbench] = SimpleQueue()
        for number in range(AT_ONCE):
            benches.put(Workbench(Path(folder) / str(number)))

        def one(area: Area, mutant: Mutant | None) -> str | None:
            bench = benches.get()
            try:
                return bench.try_out(area, mutant)
            finally:
                benches.put(bench)

        for area in {area.name: area for area, _ in work}.values():
            failed = one(area, None)
            if failed is not None:
                raise SystemExit(f"{area.name}: {failed} fails without any mutant")
        yield from threads.map(lambda each: Outcome(each[1], one(*each)), work)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=80, help="how many, over all areas (80)")
    parser.add_argument("--only", help="all mutants whose name has this in it, instead of a choice")
    parser.add_argument("--list", action="store_true", help="print their names, and run nothing")
    given = parser.parse_args(arguments)
    if given.only:
        work = [(area, mutant) for area in AREAS for mutant in all_mutants(area) if given.only in mutant.name]
    else:
        work = list(chosen(given.count))
    if given.list:
        for _, mutant in work:
            print(f"{mutant.name}  line {mutant.line}: {mutant.was!r} becomes {mutant.becomes!r}")
        return 0
    known, survived, unknown = reasons(), 0, []
    for number, (mutant, killed_by) in enumerate(run(work), 1):
        survived += killed_by is None
        verdict = f"killed by {killed_by}" if killed_by else f"survives: {known.get(mutant.name, 'WHY?')}"
        print(f"{number}/{len(work)} {mutant.name}  line {mutant.line}: {verdict}", flush=True)
        if killed_by is None and mutant.name not in known:
            unknown.append(mutant)
    killed = len(work) - survived
    print(f"{len(work)} mutants, {killed} killed, {survived} survive, {len(unknown)} of them without a reason")
    for mutant in unknown:
        print(f"  {mutant.name}  line {mutant.line}: {mutant.was!r} becomes {mutant.becomes!r}")
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
