"""Folders and files that options name: on this machine, or where an address says."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

from penstock.pipelines.problems import PipelineProblem

_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):/")


def is_address(place: str) -> bool:
    """Whether it is one of another file system: s3://bucket/lake, hdfs://host/lake. file:///lake is this machine's."""
    found = _ADDRESS.match(place)
    return found is not None and found[1].lower() != "file"


def local_path(place: str, *, what: str, hint: str | None = None) -> Path:
    """On this machine. An address would be taken for a folder named s3: and written into in silence."""
    if is_address(place):
        raise PipelineProblem(f"{what} is on this machine, and cannot be at {place}", hint=hint)
    found = _ADDRESS.match(place)
    if found is not None:  # file:/lake, file:///lake
        return Path(unquote(re.sub(r"^/+", "/", place[len(found[1]) + 1 :])))
    return Path(place).expanduser()


def absolute(place: str) -> str:
    """For Java, which may have been started in another folder; an address stays as it is."""
    return place if is_address(place) else str(local_path(place, what="a folder").resolve())
