"""The file in which a broker tells where it listens: in its first data folder, while it serves."""

import os
from pathlib import Path

import msgspec

ADDRESSES_FILE = "penstock.addresses.json"


class Addresses(msgspec.Struct, frozen=True):
    pid: int
    listeners: dict[str, str]
    """host:port by the listener's name."""
    http: str | None


def tell_addresses(folder: Path, *, listeners: dict[str, str], http: str | None) -> None:
    """Written whole or not at all: whoever sees the file may connect."""
    path = folder / ADDRESSES_FILE
    temporary = path.with_suffix(".tmp")
    temporary.write_bytes(msgspec.json.encode(Addresses(os.getpid(), listeners, http)))
    temporary.replace(path)


def forget_addresses(folder: Path) -> None:
    (folder / ADDRESSES_FILE).unlink(missing_ok=True)


def read_addresses(folder: Path, pid: int) -> Addresses | None:
    """None until this process takes connections. A killed process leaves its file behind: it does not count."""
    try:
        told = msgspec.json.decode((folder / ADDRESSES_FILE).read_bytes(), type=Addresses)
    except (FileNotFoundError, msgspec.DecodeError):
        return None
    return told if told.pid == pid else None
