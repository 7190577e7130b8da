"""Finding a Java that Spark can run on, and saying what to install where there is none."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from penstock.pipelines.problems import PipelineProblem

OLDEST = 17
"""Spark 4 runs on Java 17 and 21."""
INSTALL_HINT = (
    "On Debian or Ubuntu: sudo apt-get install openjdk-17-jre-headless. On macOS: brew install openjdk@17.\n"
    "Where another Java is the default, JAVA_HOME names the one to use. The broker itself needs no Java."
)


@dataclass(frozen=True, slots=True)
class Java:
    program: Path
    major: int


def find_java(environment: Mapping[str, str] = os.environ) -> Java:
    """The Java that Spark's own launcher takes: of JAVA_HOME if that is set, else the first on the path."""
    home = environment.get("JAVA_HOME")
    found = shutil.which("java", path=f"{home}/bin" if home else environment.get("PATH"))
    if found is None:
        where = f"in JAVA_HOME ({home})" if home else "on the path"
        raise PipelineProblem(f"Spark needs Java {OLDEST} or newer; there is no java {where}", hint=INSTALL_HINT)
    said = subprocess.run([found, "-version"], capture_output=True, text=True, check=False).stderr
    major = major_version(said)
    if major is None:
        raise PipelineProblem(f"{found} -version does not say its version: {said.strip()!r}", hint=INSTALL_HINT)
    if major < OLDEST:
        raise PipelineProblem(f"Spark needs Java {OLDEST} or newer; {found} is {major}", hint=INSTALL_HINT)
    return Java(Path(found), major)


def major_version(said: str) -> int | None:
    """17 of `openjdk version "17.0.15" …`, 8 of `java version "1.8.0_392"`, 21 of `openjdk version "21" …`."""
    match = re.search(r'version "(?:1\.)?(\d+)', said)
    return int(match.group(1)) if match else None
