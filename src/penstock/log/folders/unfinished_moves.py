"""At start: what moves between data folders have left behind, settled before any log is opened.

Two folders of one name: the exchange was under way, and the log that has the note wins (future_logs.py); the other one
has nothing that it lacks. A `-future` folder: its move goes on, if the log is still in another folder; else it is of no
use. Runs in a thread.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

import structlog

from penstock.errors import Fatal
from penstock.log.file_pool import names_in, read_whole, sync_folder
from penstock.log.folders.future_logs import MOVED_IN, remove_note
from penstock.log.folders.names import DELETE, leaving_name, parse_folder_name, parse_future_name
from penstock.model import TopicId, TopicPartition, topic_id_text

if TYPE_CHECKING:
    from penstock.log.folders.folder import LogFolder

_log = structlog.get_logger(__name__)


def settle_moves(folders: "Sequence[LogFolder]") -> None:
    names = [(folder, name) for folder in folders for name in sorted(names_in(folder.path))]
    homes: dict[TopicPartition, list[LogFolder]] = defaultdict(list)
    for folder, name in names:
        partition = parse_folder_name(name)
        if partition is not None and (folder.path / name).is_dir():
            homes[partition].append(folder)
    for partition, where in homes.items():
        for same in _by_topic_id(partition, where):
            if len(same) > 1:
                winner = _finish_exchange(partition, same)
                where[:] = [folder for folder in where if folder is winner or folder not in same]
    resumed: set[TopicPartition] = set()
    for folder, name in names:
        partition = parse_future_name(name)
        if partition is None:
            continue
        where = homes.get(partition, [])
        if partition in resumed or not any(_is_copy_of(partition, home, folder, name) for home in where):
            _log.warning("unfinished copy removed", partition=str(partition), folder=str(folder.path / name))
            _remove(folder, name, partition)
            continue
        resumed.add(partition)
        folder.futures.found[partition] = name


def _by_topic_id(partition: TopicPartition, where: "list[LogFolder]") -> "list[list[LogFolder]]":
    """Folders whose logs are of one topic: a namesake that was deleted is no duplicate, it is set aside later."""
    if len(where) < 2:
        return []
    same: dict[TopicId, list[LogFolder]] = defaultdict(list)
    for folder in where:
        same[folder.topic_id_of(str(partition))].append(folder)
    return list(same.values())


def _is_copy_of(partition: TopicPartition, home: "LogFolder", folder: "LogFolder", name: str) -> bool:
    return home is not folder and home.topic_id_of(str(partition)) == folder.topic_id_of(name)


def _finish_exchange(partition: TopicPartition, where: "list[LogFolder]") -> "LogFolder":
    """The folder that keeps the log; the log in the other makes way."""
    noted = [folder for folder in where if (folder.path / str(partition) / MOVED_IN).exists()]
    others = [folder for folder in where if folder not in noted]
    if len(noted) != 1 or len(others) != 1 or _came_from(partition, noted[0]) != _id_of(others[0]):
        raise Fatal(
            f"{partition} is in several data folders, and nothing says which is right:"
            f" {', '.join(str(folder.path / str(partition)) for folder in where)}. Move all but one elsewhere"
        )
    (winner,), (loser,) = noted, others
    _log.info("move finished", partition=str(partition), folder=str(winner.path))
    sync_folder(str(winner.path))
    _remove(loser, str(partition), partition)
    sync_folder(str(loser.path))
    remove_note(winner.path / str(partition))
    return winner


def _came_from(partition: TopicPartition, folder: "LogFolder") -> str:
    return (read_whole(str(folder.path / str(partition) / MOVED_IN)) or b"").decode(errors="replace")


def _id_of(folder: "LogFolder") -> str:
    return topic_id_text(TopicId(folder.identity.directory_id))


def _remove(folder: "LogFolder", name: str, partition: TopicPartition) -> None:
    gone = folder.path / leaving_name(partition, DELETE)
    (folder.path / name).rename(gone)
    folder.moved_away.add(partition)
