"""The file that says that a data folder was closed cleanly: all its logs flushed, nothing to be scanned."""

import json
from pathlib import Path
from typing import Final

import msgspec

from penstock.log.file_pool import sync_folder, write_atomically

CLEAN_MARKER: Final = ".kafka_cleanshutdown"


class CleanStop(msgspec.Struct, frozen=True):
    broker_epoch: int | None
    """The registration under which the logs were last written to, as far as it is known."""


def take_clean_marker(folder: Path) -> CleanStop | None:
    """None where there was none. Gone before anything is opened: a crash from here on is a crash."""
    marker = folder / CLEAN_MARKER
    try:
        text = marker.read_bytes()
        marker.unlink()
    except FileNotFoundError:
        return None
    sync_folder(str(folder))
    return CleanStop(_epoch_of(text))


def write_clean_marker(folder: Path, *, broker_epoch: int) -> None:
    write_atomically(str(folder / CLEAN_MARKER), f'{{"version":0,"brokerEpoch":{broker_epoch}}}'.encode())


def _epoch_of(marker: bytes) -> int | None:
    """Kafka's own markers carry one too; older ones are empty."""
    try:
        epoch = json.loads(marker)["brokerEpoch"]
    except (ValueError, KeyError, TypeError):
        return None
    return epoch if isinstance(epoch, int) and epoch > 0 else None
