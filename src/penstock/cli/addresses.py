"""Whether a broker of this machine takes connections, from the file that it leaves in its data folder."""

import json
from pathlib import Path

from penstock.testing.running import ADDRESSES_FILE


def listens(data: Path, pid: int) -> bool:
    """A file of an earlier process, or half a file, does not count."""
    try:
        return bool(json.loads((data / ADDRESSES_FILE).read_bytes())["pid"] == pid)
    except (FileNotFoundError, ValueError):
        return False


def told_ns(data: Path) -> int | None:
    """When that file was written; None where there is none. A killed process leaves its own behind."""
    try:
        return (data / ADDRESSES_FILE).stat().st_mtime_ns
    except FileNotFoundError:
        return None
