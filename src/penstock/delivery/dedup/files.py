"""The snapshots of ids in a partition's folder: the two newest are kept. For threads."""

from contextlib import suppress
from pathlib import Path
from typing import Final

from penstock.delivery.dedup.machine import IdTable
from penstock.delivery.dedup.snapshot import Frozen, NoSnapshot, Preface, decode, encode

SUFFIX: Final = ".ids"
KEPT: Final = 2


def write_snapshot(folder: Path, frozen: Frozen) -> None:
    """OSError where it cannot be written: the ones before serve."""
    path = folder / f"{frozen.preface.end:020d}{SUFFIX}"
    new = path.with_suffix(SUFFIX + ".new")
    try:
        new.write_bytes(encode(frozen))
        new.replace(path)
    except OSError:
        with suppress(OSError):
            new.unlink()
        raise
    for old in _newest_first(folder)[KEPT:]:
        old.unlink(missing_ok=True)


def read_snapshots(folder: Path) -> list[tuple[Preface, IdTable]]:
    """Those that can be read, the newest first."""
    found = []
    for path in _newest_first(folder):
        with suppress(OSError, NoSnapshot):
            found.append(decode(path.read_bytes()))
    return found


def remove_snapshots(folder: Path) -> None:
    for path in _newest_first(folder):
        path.unlink(missing_ok=True)


def _newest_first(folder: Path) -> list[Path]:
    return sorted((path for path in folder.glob(f"*{SUFFIX}") if path.stem.isdecimal()), reverse=True)
