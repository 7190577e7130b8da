"""Runs the slow suites one after the other. What failed in them runs once more at the end, each test alone.

python tools/suites.py integration conformance pipelines

A test that passes the second time is printed last, as `FLAKY name`: its cause is the next thing to look for. More than
three fail the run. So does a test that fails twice, and a suite that ends in any other way than with failed tests.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

PYTEST = (sys.executable, "-m", "pytest", "-q", "--durations=10")
LONG_TESTS = (  # of `make pipelines-kills`
    "tests/pipelines/sink/test_attempt_kills.py",
    "tests/pipelines/sink/test_sink_kills.py",
    "tests/pipelines/lake/test_kills.py",
    "tests/pipelines/lake/test_memory.py",
)
SUITES: Mapping[str, Sequence[str]] = {
    "integration": ("-n", "3", "tests/integration"),
    "conformance": ("tests/conformance",),
    "pipelines": ("-n", "2", "--maxschedchunk", "1", "tests/pipelines", *(f"--ignore={each}" for each in LONG_TESTS)),
}
CACHES = Path(".pytest_cache/suites")
FLAKY_MAX = 3
ALL_PASSED, SOME_FAILED = 0, 1


def main(names: Sequence[str], *, suites: Mapping[str, Sequence[str]] = SUITES, caches: Path = CACHES) -> int:
    failed: list[str] = []
    for name in names:
        cache = caches / name
        shutil.rmtree(cache, ignore_errors=True)
        outcome = _pytest(*suites[name], "-o", f"cache_dir={cache}")
        failures = _failed(cache)
        if outcome not in (ALL_PASSED, SOME_FAILED) or (outcome == SOME_FAILED) != bool(failures):
            print(f"{name}: pytest ended with code {outcome} and {len(failures)} failed tests", flush=True)
            return outcome or 1
        failed += failures
    if len(failed) > FLAKY_MAX:
        print(
            f"{len(failed)} tests failed, more than the {FLAKY_MAX} that would be run once more:", *failed, sep="\n  "
        )
        return 1
    return _once_more(failed, caches / "once-more")


def _once_more(failed: list[str], cache: Path) -> int:
    for test in failed:
        print(f"once more, alone: {test}", flush=True)
    twice = [test for test in failed if _pytest(test, "-o", f"cache_dir={cache}") != ALL_PASSED]
    for test in failed:
        print(f"{'FAILED TWICE' if test in twice else 'FLAKY'} {test}", flush=True)
    return 1 if twice else 0


def _pytest(*arguments: str) -> int:
    return subprocess.run((*PYTEST, *arguments), check=False).returncode


def _failed(cache: Path) -> list[str]:
    try:
        found: dict[str, bool] = json.loads((cache / "v/cache/lastfailed").read_text())
    except FileNotFoundError:
        return []
    return sorted(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(SUITES)))
