"""Writing batches at the end of a segment's file, whole or not at all.

After a short or failed write the file is cut back to its last good size, the log refuses further appends (see
`health.Trouble`) and the caller gets KafkaStorageError.
"""

import os
from typing import TYPE_CHECKING, Final

import structlog

from penstock.log.segments.segment import Segment

if TYPE_CHECKING:
    from penstock.log.partition_log import PartitionLog

_log = structlog.get_logger(__name__)

VIEWS_MAX: Final = 1024
"""Buffers that one pwritev takes (IOV_MAX)."""


def write(log: "PartitionLog", segment: Segment, views: list[memoryview], size: int) -> None:
    """`size`: of all views together."""
    file = segment.file
    file.used = True
    try:
        fd = file.fd if file.fd >= 0 else _open(log, segment)
        if len(views) > VIEWS_MAX or os.pwritev(fd, views, segment.size) != size:
            _write_bit_by_bit(fd, views, segment.size)
    except OSError as error:
        _cut_back(log, segment, error)
        raise log.health.fail("append failed", error) from error


def _open(log: "PartitionLog", segment: Segment) -> int:
    if segment.is_created:
        return segment.file.descriptor()
    fd = segment.file.create()
    segment.is_created = True
    log.is_folder_synced = False
    return fd


def _write_bit_by_bit(fd: int, views: list[memoryview], position: int) -> None:
    """After a short write, and for more views than one call takes: the error, if there is one, comes out here."""
    for view in views:
        left = view
        while left:
            count = os.pwrite(fd, left, position)
            position += count
            left = left[count:]


def _cut_back(log: "PartitionLog", segment: Segment, why: OSError) -> None:
    """Leave no half-written batch behind. Should even this fail, a start finds it by its checksum; until then nothing
    is appended, since what comes next may be shorter, and the rest would lie in the middle of the log.
    """
    try:
        if segment.file.fd >= 0:
            os.ftruncate(segment.file.fd, segment.size)
    except OSError as error:
        _log.error("could not cut back", file=segment.file.path, size=segment.size, reason=str(error))
        raise log.health.take_offline(f"append failed: {why.strerror or why}", stops_reads=False) from why
