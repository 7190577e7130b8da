"""Counts the instructions of Python code: runs a module under callgrind, in which `Counter` marks the steps.

Wall and CPU time of a step differ by ten percent and more with what else the machine does; its instructions by less
than one in a hundred. They leave out the kernel, and what a cold cache costs: two ways of doing the same thing can be
compared, not a system call with a computation.
"""

import ctypes
import gc
import math
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

MARKS = Path(__file__).with_name("marks.c")
_LIBRARY = "PENSTOCK_BENCH_MARKS"
_NAMED = re.compile(r"^desc: Trigger: Client Request: (.*)$", re.MULTILINE)
_TOTAL = re.compile(r"^totals: (\d+)$", re.MULTILINE)


def count(module: str, *arguments: str) -> dict[str, float]:
    """The instructions of each step that the module marks, by the step's name, in their order; of one
    that is marked several times the fewest, since what another thread does only adds.
    """
    with tempfile.TemporaryDirectory(prefix="penstock-bench-") as name:
        folder = Path(name)
        library = folder / "marks.so"
        subprocess.run(["gcc", "-shared", "-fPIC", "-O2", str(MARKS), "-o", str(library)], check=True)
        callgrind = ["valgrind", "-q", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={folder}/steps"]
        environment = {**os.environ, _LIBRARY: str(library), "PYTHONHASHSEED": "0"}
        subprocess.run([*callgrind, sys.executable, "-m", module, *arguments], check=True, env=environment)
        found: dict[str, float] = {}
        for dump in sorted(folder.glob("steps.*"), key=lambda path: int(path.suffix[1:])):
            text = dump.read_text()
            step, total = _NAMED.search(text), _TOTAL.search(text)
            if step is not None and total is not None:
                name, times = step[1].rsplit("/", 1)
                found[name] = min(int(total[1]) / int(times), found.get(name, math.inf))
        return found


class Counter:
    """Within a module that `count` runs."""

    def __init__(self) -> None:
        self._marks = ctypes.CDLL(os.environ[_LIBRARY])

    def each(self, step: str, work: Callable[[Any], Any], over: Iterable[Any]) -> None:
        """A call for each of them; the first tenth is not counted."""
        every = list(over)
        first, rest = every[: len(every) // 10], every[len(every) // 10 :]
        for item in first:
            work(item)
        with self.counted(step, len(rest)):
            for item in rest:
                work(item)

    @contextmanager
    def counted(self, step: str, times: int) -> Iterator[None]:
        """What is within is the step, so many times. No looks for garbage: they fall now into one, now into another."""
        gc.collect()
        gc.disable()
        self._marks.begin()
        yield
        self._marks.end(f"{step}/{times}".encode())
        gc.enable()
