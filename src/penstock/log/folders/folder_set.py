"""Which data folders a broker has: all of them are part of what it is, as in Kafka since KIP-858 (RULES 46).

A mount point without its disk is an empty folder, and one that was left out of log.dirs is none: either way logs are
missing, and empty ones would come to be in their place. So a start with other folders than the last one is refused in
words, until whoever runs the broker says that it is meant so. What is said is about one folder: a path to begin with,
or the id of one to do without. Neither is of any use the next time a disk is not there.
"""

from collections.abc import Sequence
from pathlib import Path

from penstock.errors import Fatal
from penstock.log.folders.identity import Identity, read_identity
from penstock.model import TopicId, topic_id_text

ACCEPT = "penstock.log.dirs.accept"


def require_known_folders(
    paths: Sequence[Path],
    *,
    broker_id: int,
    first: str,
    folders: tuple[str, ...],
    accepted: tuple[str, ...],
    machine: str = "",
) -> list[str]:
    """The ids of folders that this start does without, as somebody `accepted`; Fatal, in words, where nobody has.

    `first` and `folders` are the ids that the broker was last registered with, on `machine`. Of older versions
    `folders` is empty: then every folder that is a broker's own already is taken for one that it had.
    """
    found = {path: read_identity(path) for path in paths}
    ids = {path: folder_id(identity) for path, identity in found.items() if identity is not None}
    if ids.get(paths[0]) != first:
        raise Fatal(
            f"{paths[0]} is not the data folder {first} that broker {broker_id} has"
            f"{f' (last seen on {machine})' if machine else ''}: is its disk not mounted, or is"
            " it not the first of log.dirs any more? Put it back in its place. If it is lost for good, give this broker"
            f" an id of its own (node.id), or unregister broker {broker_id} first (UnregisterBroker, as"
            " kafka-cluster.sh unregister does), which forgets what it had"
        )
    problems, wanted = [], []
    for path, identity in found.items():
        is_known = identity is not None and (not folders or ids[path] in folders)
        if is_known or any(Path(each) in (path, *path.parents) for each in accepted):
            continue
        what = "is no data folder yet" if identity is None else f"is a data folder ({ids[path]}) it was not using"
        problems.append(f"{path} {what}")
        wanted.append(str(path))
    gone = [each for each in folders if each not in ids.values()]
    missed = [each for each in gone if each not in accepted]
    problems += [f"its data folder {each} is not there" for each in missed]
    if problems:
        raise Fatal(
            f"broker {broker_id} has other data folders than before: {'; '.join(problems)}. Is a disk not mounted, or a"
            " folder missing in log.dirs? Put it back. If it is meant so, start with"
            f" {ACCEPT}={','.join((*wanted, *missed))}"
            + ("; what only a missing folder had is lost then" if missed else "")
        )
    return gone


def require_first_folder(paths: Sequence[Path]) -> None:
    """Of a broker that stands alone: its metadata is in the first folder. Without it all topics would be unknown."""
    others = [str(path) for path in paths[1:] if read_identity(path) is not None]
    if others and read_identity(paths[0]) is None:
        raise Fatal(
            f"{paths[0]} is no data folder yet, and {', '.join(others)} is one: is its disk not mounted, or is it not"
            " the first of log.dirs any more? The first one holds the metadata: put it back in its place"
        )


def folder_id(identity: Identity) -> str:
    return topic_id_text(TopicId(identity.directory_id))
