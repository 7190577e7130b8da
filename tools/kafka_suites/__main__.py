"""python -m tools.kafka_suites [--times N] [Class or Class#method ...]

Runs classes of Kafka's published tests, each in a Java of its own, each test on a fresh cluster of Penstock brokers,
and prints a table. Without classes: all that CLASSES names. What they print, and the brokers' logs, are in
.cache/kafka-suites/out. A test that failed is run once more, alone, and counts as flaky if it passes then. The exit
code is 1 if a test failed twice or a class was cut off.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import FrameType

from tools.kafka_suites.classes import CLASSES, full_name
from tools.kafka_suites.jars import CACHE, class_path
from tools.kafka_suites.left_out import LEFT_OUT
from tools.kafka_suites.outcome import KINDS, ClassOutcome, read, table
from tools.kafka_suites.stage import Stage

TEST_SECONDS_MAX = 180
CLASS_SECONDS_MAX = 1800
HEAP = "-Xmx1g"


def _stop_cleanly(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit("stopped")  # Java would go on by itself, at full speed: its brokers are gone


def main() -> int:
    wanted = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    wanted.add_argument("classes", nargs="*", help="simple or full names of test classes, or Class#method")
    wanted.add_argument("--times", type=int, default=1, help="how often each is run")
    asked = wanted.parse_args()
    signal.signal(signal.SIGTERM, _stop_cleanly)
    out = CACHE / "out"
    out.mkdir(parents=True, exist_ok=True)
    left_out = out / "left-out.txt"
    left_out.write_text("".join(f"{name}\t{reason}\n" for name, reason in LEFT_OUT.items()), encoding="utf-8")
    path = class_path()
    outcomes = []
    for name in map(full_name, asked.classes or CLASSES):
        for time in range(1, asked.times + 1):
            folder = out / (name if asked.times == 1 else f"{name}-{time}")
            outcome = _run(name, path, left_out, folder)
            again = [_run(f"{name}#{each}", path, left_out, folder / each) for each in outcome.failed_methods]
            outcome = outcome.after(again)
            outcomes.append(outcome)
            _tell(outcome)
    print("\n" + table(outcomes))
    return 0 if all(outcome.is_good for outcome in outcomes) else 1


def _run(name: str, path: str, left_out: Path, folder: Path) -> ClassOutcome:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    stage, told = Stage(folder), folder / "tests.jsonl"
    command = ["java", HEAP, "-cp", path, f"-Dpenstock.suites.stage={stage.port}"]
    command += [f"-Dpenstock.suites.left.out={left_out}", "penstock.suites.Run", name, str(told), str(TEST_SECONDS_MAX)]
    with stage.open(), (folder / "output.txt").open("wb") as output:
        try:
            code = subprocess.run(
                command, stdout=output, stderr=output, timeout=CLASS_SECONDS_MAX, check=False
            ).returncode
        except subprocess.TimeoutExpired:
            code = -1
    if stage.ignored:
        (folder / "settings-not-passed-on.txt").write_text("\n".join(sorted(stage.ignored)) + "\n", encoding="utf-8")
    return ClassOutcome(name.removeprefix("org.apache.kafka."), read(told), cut_off=code != 0)


def _tell(outcome: ClassOutcome) -> None:
    counts = ", ".join(f"{outcome.count(kind)} {kind}" for kind in KINDS)
    print(f"{outcome.name}: {counts}{', cut off' if outcome.cut_off else ''}", flush=True)
    for test in outcome.tests:
        if test.outcome not in ("failed", "flaky"):
            continue
        first_line = test.reason.splitlines()[0] if test.reason else ""
        print(f"  {test.outcome.upper()} {test.test} ({test.seconds:.0f} s): {first_line}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
