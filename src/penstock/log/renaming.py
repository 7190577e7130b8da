"""Renaming a log's files: several of them all or none, and to `.deleted` before they are removed.

They are removed after file.delete.delay.ms, so that a reader who has just been given a slice is not cut off.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from penstock.log.file_pool import Renames, remove_files, rename_if_there
from penstock.log.health import DISK_FULL
from penstock.log.segments.files import SUFFIXES
from penstock.log.segments.segment import Segment

if TYPE_CHECKING:
    from penstock.log.partition_log import PartitionLog

DELETED: Final = ".deleted"


@contextmanager
def all_or_none(log: "PartitionLog", failure: str) -> Iterator[Renames]:
    """Where something fails within, they are undone; where not even that can be done, the log goes offline."""
    renames = Renames()
    try:
        yield renames
    except OSError as error:
        try:
            renames.undo()
        except OSError:
            raise log.health.take_offline(f"{failure}: {error}", stops_reads=True) from error
        raise


def rename_doomed(segments: Sequence[Segment]) -> list[str]:
    """Rename files to `.deleted`, in the order given: retention begins with the oldest, a crash leaves a suffix. On a
    disk that is too full for another name they go at once: whoever reads there has them open.
    """
    renamed = []
    for path in [segment.path(suffix) for segment in segments for suffix in SUFFIXES]:
        try:
            if rename_if_there(path, path + DELETED):
                renamed.append(path + DELETED)
        except OSError as error:
            if error.errno not in DISK_FULL:
                raise
            remove_files([path])
    return renamed


def doom(log: "PartitionLog", segments: Sequence[Segment]) -> None:
    """Rename the files of segments that were dropped, and have them removed later."""
    removal_begun(log, segments, rename_doomed(segments))


def removal_begun(log: "PartitionLog", segments: Sequence[Segment], paths: list[str]) -> None:
    """Second half of `doom`, on the loop, where a thread did the renaming."""
    for segment in segments:
        segment.file.forget()
    if log.home is not None:
        log.home.doomed(log, paths)
    else:
        remove_files(paths)
