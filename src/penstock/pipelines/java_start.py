"""Starting Java without its word about Spark on the terminal."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_WARNING = b"WARNING: Using incubator modules: jdk.incubator.vector\n"


@contextmanager
def without_the_incubators_warning() -> Iterator[None]:
    """Spark starts Java with a module of which Java warns at every start, and cannot be told not to. Java has its
    stderr from us, for as long as it lives: all of it goes through a pipe, and all but that line is passed on."""
    try:
        stderr = os.dup(2)
    except OSError:  # closed: nobody is warned
        yield
        return
    end, begin = os.pipe()
    os.dup2(begin, 2)
    os.close(begin)
    threading.Thread(target=_pass_on, args=(end, os.dup(stderr)), daemon=True, name="stderr of Java").start()
    try:
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)


def _pass_on(end: int, stderr: int) -> None:
    with open(end, "rb") as lines, open(stderr, "wb", buffering=0) as out:
        for line in lines:
            if line != _WARNING:
                out.write(line)
