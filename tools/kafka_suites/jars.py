"""Kafka's published tests in .cache, and our few classes in the place of those that start Kafka's own brokers."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
CACHE = Path(".cache/kafka-suites")
ATTEMPTS = 3


def fetch(cache: Path = CACHE) -> Path:
    """The folder of jars, fetched unless it is there. Its marker is the list that was fetched, and comes last."""
    jars, wanted = cache / "jars", (HERE / "pom.xml").read_bytes()
    marker = jars / ".complete"
    if marker.exists() and marker.read_bytes() == wanted:
        return jars
    print("fetching Apache Kafka's tests (about 150 MB, once)", flush=True)
    shutil.rmtree(jars, ignore_errors=True)
    jars.mkdir(parents=True)
    command = ["mvn", "-q", "-B", "-Dstyle.color=never", "-f", str(HERE / "pom.xml"), "dependency:copy-dependencies"]
    for attempt in range(1, ATTEMPTS + 1):
        done = subprocess.run(
            [*command, "-DincludeScope=runtime", f"-DoutputDirectory={jars.resolve()}"], check=attempt == ATTEMPTS
        )
        if done.returncode == 0:
            break
    marker.write_bytes(wanted)
    return jars


def compile_classes(jars: Path, cache: Path = CACHE) -> Path:
    """Our classes, compiled anew: it takes two seconds."""
    classes = cache / "classes"
    shutil.rmtree(classes, ignore_errors=True)
    sources = HERE / "java"
    shutil.copytree(sources, classes, ignore=shutil.ignore_patterns("*.java"))
    files = sorted(str(file) for file in sources.rglob("*.java"))
    subprocess.run(["javac", "-nowarn", "-d", str(classes), "-cp", f"{jars}/*", *files], check=True)
    return classes


def class_path(cache: Path = CACHE) -> str:
    """Ours come first, so that they are taken for Kafka's of the same name."""
    jars = fetch(cache)
    return f"{compile_classes(jars, cache)}:{jars}/*"
