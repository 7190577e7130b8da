"""A real Iceberg REST catalog, as a process of its own: tests/java/RestCatalog.java with the locked jars."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyspark

from penstock.pipelines.jars import jar_paths
from penstock.pipelines.java import find_java

PROGRAM = Path(__file__).parents[1] / "java" / "RestCatalog.java"


@contextmanager
def rest_catalog(folder: Path) -> Iterator[str]:
    """The address of a catalog whose tables are in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    ours = [str(path) for path in jar_paths() if path.name.startswith(("iceberg", "sqlite"))]
    classes = ":".join([*ours, str(Path(pyspark.__file__).parent / "jars" / "*")])
    with (folder / "rest-catalog.log").open("wb") as log:
        command = [str(find_java().program), "-cp", classes, str(PROGRAM), str(folder)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)
    assert process.stdin is not None and process.stdout is not None
    try:
        address = process.stdout.readline().strip()
        assert address, (folder / "rest-catalog.log").read_text(errors="replace")[-4000:]
        yield address
    finally:
        process.stdin.close()
        process.wait(120)
        process.stdout.close()
