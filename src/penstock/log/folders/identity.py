"""Whose data folder it is: meta.properties, and a lock that keeps a second broker out (RULES 15).

Kafka's format, version 1: cluster.id, node.id, directory.id. `penstock.format` is ours: where it is missing, the folder
was last written by Kafka, which leaves some things unsaid that we write down.
"""

import fcntl
import os
from pathlib import Path
from typing import Final

import msgspec

from penstock.errors import Fatal
from penstock.log.checkpoint_files import read_properties, write_properties
from penstock.log.folders.future_logs import PARTITION_METADATA
from penstock.log.folders.names import parse_folder_name
from penstock.log.segments.files import LOG
from penstock.model import TopicId, topic_id_from_text, topic_id_text

META_PROPERTIES: Final = "meta.properties"
LOCK_FILE: Final = ".lock"
OUR_FORMAT: Final = "1"
NAMES_SHOWN: Final = 5


class Identity(msgspec.Struct, frozen=True):
    cluster_id: str
    node_id: int
    directory_id: bytes
    is_adopted: bool = False
    """Kafka wrote the folder last, not we."""
    is_id_new: bool = False
    """The folder does not say its id: Kafka before 3.7 wrote none."""


def read_identity(folder: Path) -> Identity | None:
    """What a folder says of itself; None where nobody has used it yet."""
    values = read_properties(str(folder / META_PROPERTIES))
    if values is None:
        return None
    try:
        if values["version"] != "1":
            raise Fatal(f"{folder / META_PROPERTIES} has version {values['version']}, this broker knows 1")
        directory_id = values.get("directory.id")
        return Identity(
            cluster_id=values["cluster.id"],
            node_id=int(values["node.id"]),
            directory_id=topic_id_from_text(directory_id) if directory_id else os.urandom(16),
            is_adopted="penstock.format" not in values,
            is_id_new=not directory_id,
        )
    except (KeyError, ValueError) as error:
        raise Fatal(f"{folder / META_PROPERTIES} cannot be understood: {error!r}") from error


def write_identity(folder: Path, identity: Identity, *, is_adopted: bool = False) -> None:
    values = {
        "version": "1",
        "cluster.id": identity.cluster_id,
        "node.id": str(identity.node_id),
        "directory.id": topic_id_text(TopicId(identity.directory_id)),
    }
    if not is_adopted:
        values["penstock.format"] = OUR_FORMAT
    write_properties(str(folder / META_PROPERTIES), values)


def claim(folder: Path, *, cluster_id: str, node_id: int) -> Identity:
    """Make a folder ours, or find that it is; Fatal where it belongs to another cluster or broker."""
    found = read_identity(folder)
    if found is None:
        _require_no_folders_of_brokers(folder)
        _require_no_folders_of_others(folder)
        identity = Identity(cluster_id, node_id, os.urandom(16))
        write_identity(folder, identity)
        return identity
    for name, ours, theirs in (
        ("cluster.id", cluster_id, found.cluster_id),
        ("node.id", node_id, found.node_id),
    ):
        if ours != theirs:
            raise Fatal(f"{folder} belongs to {name} {theirs}, this broker has {ours}: wrong folder?")
    if found.is_id_new:
        write_identity(folder, found, is_adopted=found.is_adopted)  # it is registered, and must stay the same
    return found


def _require_no_folders_of_brokers(folder: Path) -> None:
    """What penstock.workers calls `broker-10` has the name of a log: it would be set aside as one of no known topic."""
    within = sorted(path.parent.name for path in folder.glob(f"*-*/{META_PROPERTIES}"))
    if within:
        raise Fatal(
            f"{folder} has the data folders of several brokers in it ({', '.join(within)}): "
            "set penstock.workers again, or name one of them in log.dirs"
        )


def _require_no_folders_of_others(folder: Path) -> None:
    """Whatever ends in a number (`dbus-1` in /etc) has the name of a log: it would be set aside, under another name."""
    within = sorted(path.name for path in folder.iterdir() if parse_folder_name(path.name) and _is_of_others(path))
    if within:
        raise Fatal(
            f"{folder} is no data folder, and has folders of others in it that are named like logs "
            f"({', '.join(within[:NAMES_SHOWN])}): name an empty folder, or one that is not there yet"
        )


def _is_of_others(path: Path) -> bool:
    """An empty one may be a log's that a crash left before its first file."""
    names = [each.name for each in path.iterdir()] if path.is_dir() else []
    return bool(names) and not any(name == PARTITION_METADATA or name.endswith(LOG) for name in names)


class FolderLock:
    """Held for as long as a broker uses the folder; the kernel lets go when the process ends.

    Two kinds of lock: Kafka takes the POSIX one, and only flock keeps two brokers of one process apart.
    """

    def __init__(self, folder: Path) -> None:
        self._fd = os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.lockf(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._fd)
            raise Fatal(f"{folder} is in use by another broker") from error

    def release(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
