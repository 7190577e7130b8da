"""Java for the suite: the Kafka jars, and one call to run a main class out of them.

Nothing here skips: what is missing fails with the command that brings it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

KAFKA_VERSION = "4.3.0"
ROOT = Path(__file__).resolve().parents[2]
JARS = (ROOT / ".cache" / f"kafka-{KAFKA_VERSION}").resolve()
CLASSES = JARS / "classes.jsa"
"""Classes laid out beforehand, by tools/test-setup."""
QUIET_LOG4J = Path(__file__).resolve().parent / "log4j2-quiet.properties"

# Start quickly: tools live for a second or two, so the optimising compiler never pays for itself.
_SHORT_LIVED = ("-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m")


class ToolMissing(Exception):
    """Something the suite needs is not installed."""


@cache
def java() -> str:
    found = shutil.which("java")
    if found is None:
        raise ToolMissing("no java on the path; run: tools/test-setup")
    return found


@cache
def classpath() -> str:
    if not (JARS / ".complete").exists():
        raise ToolMissing(f"Apache Kafka's jars are not in {JARS}; run: tools/test-setup")
    return str(JARS / "*")


def jar(artifact: str) -> Path:
    """The jar of one artifact, such as kafka-clients."""
    classpath()
    return JARS / f"{artifact}-{KAFKA_VERSION}.jar"


def command(main_class: str, *arguments: str, jvm: Sequence[str] = _SHORT_LIVED, also: Path | None = None) -> list[str]:
    """How to run a main class out of Kafka's jars, or out of the folder `also`, which then also has what a program that
    is killed leaves behind.
    """
    logging = f"-Dlog4j2.configurationFile={QUIET_LOG4J}"
    path = classpath() if also is None else f"{also}:{classpath()}"
    sharing = ("-Xlog:disable", f"-XX:SharedArchiveFile={CLASSES}") if CLASSES.exists() else ()
    leavings = () if also is None else (f"-Djava.io.tmpdir={also}",)
    return [java(), *jvm, *sharing, *leavings, logging, "-cp", path, main_class, *arguments]


def compiled(source: Path, folder: Path) -> Path:
    """A program of the suite's own, compiled into a folder; the folder is what `command` takes as `also`."""
    compiler = shutil.which("javac")
    if compiler is None:
        raise ToolMissing("no javac on the path; run: tools/test-setup")
    done = subprocess.run(
        [compiler, "-cp", classpath(), "-d", str(folder), str(source)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{source.name} does not compile:\n{done.stdout}{done.stderr}"
    return folder


def run(
    main_class: str, *arguments: str, stdin: str | None = None, timeout_s: float = 200, check: bool = True
) -> subprocess.CompletedProcess[str]:
    """Run one tool to its end; with `check`, a failing one raises with all it said."""
    done = subprocess.run(
        command(main_class, *arguments),
        input=stdin if stdin is not None else "",
        capture_output=True,
        text=True,
        timeout=timeout_s,
        env=os.environ | {"LC_ALL": "C.UTF-8"},
        check=False,
    )
    if check and done.returncode != 0:
        raise AssertionError(
            f"{main_class} {' '.join(arguments)} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
        )
    return done
