"""Avro's own library, asked about many schemas at once."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path

from tests.support import java

JARS = (java.ROOT / ".cache" / "avro-1.12.1").resolve()
SOURCE = java.ROOT / "tests" / "java" / "AvroJudge.java"


def judged(pairs: Iterable[tuple[str, str]], folder: Path) -> list[tuple[str, str]]:
    """Of each pair: the reader's text or "refused", and what is incompatible, or "refused", or "throws"."""
    if not (JARS / ".complete").exists():
        raise java.ToolMissing(f"Avro's jars are not in {JARS}; run: tools/test-setup")
    path = f"{folder}:{JARS}/*"
    subprocess.run(["javac", "-cp", path, "-d", str(folder), str(SOURCE)], check=True)
    asked = "".join(f"{reader}\t{writer}\n" for reader, writer in pairs)
    done = subprocess.run(
        [java.java(), "-cp", path, "AvroJudge"], input=asked.encode(), stdout=subprocess.PIPE, check=True
    )
    answers = [line.split("\t") for line in done.stdout.decode().removesuffix("\n").split("\n")]
    return [(text, found) for text, found in answers]
