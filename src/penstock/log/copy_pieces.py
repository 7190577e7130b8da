"""A run of whole batches of a log that is being copied: where it lies, and its bytes."""

import os
from typing import NamedTuple

from crc32c import crc32c

from penstock.log.file_pool import UNREADABLE, private_descriptor
from penstock.log.partition_log import PartitionLog
from penstock.log.segments.scan import Damaged
from penstock.wire.batch import CRC_FROM, HEADER_SIZE, BatchHeader

MAGIC = 2


class Piece(NamedTuple):
    path: str
    position: int
    size: int
    first_offset: int


def find_piece(log: PartitionLog, offset: int, *, bytes_max: int) -> Piece | None:
    """Whole batches from an offset on, for the loop; None where there are none before the log's end."""
    found = log.slice(offset, at_most=bytes_max, before=log.end_offset)
    if found is None:
        return None
    try:
        assert found.file is not None
        return Piece(found.file.path, found.position, found.size, offset)
    finally:
        found.release()


def read_piece(piece: Piece) -> list[tuple[BatchHeader, memoryview]]:
    """Blocks. Damaged where a batch is not whole or not sound; FileNotFoundError where the file is gone."""
    view = memoryview(_read(piece))
    batches: list[tuple[BatchHeader, memoryview]] = []
    position, expected = 0, piece.first_offset
    while position < piece.size:
        header, batch = _batch_at(view, position, piece, expected)
        if header.next_offset <= expected or (batches and header.base_offset < expected):
            raise Damaged(piece.position + position, expected, f"a batch from offset {header.base_offset} on")
        batches.append((header, batch))
        position, expected = position + header.size, header.next_offset
    return batches


def _read(piece: Piece) -> bytes:
    """As much of it as there is, and as can be read."""
    data = b""
    with private_descriptor(piece.path) as fd:
        while len(data) < piece.size:
            try:
                part = os.pread(fd, piece.size - len(data), piece.position + len(data))
            except OSError as error:
                if error.errno not in UNREADABLE:
                    raise
                break
            if not part:
                break
            data += part
    return data


def _batch_at(view: memoryview, position: int, piece: Piece, expected: int) -> tuple[BatchHeader, memoryview]:
    left = len(view) - position
    if left < HEADER_SIZE:
        raise Damaged(piece.position + position, expected, "a batch header cut short")
    header = BatchHeader.peek(view, position)
    if header.magic != MAGIC or not HEADER_SIZE <= header.size <= left:
        raise Damaged(piece.position + position, expected, "no whole batch")
    batch = view[position : position + header.size]
    if header.crc != crc32c(batch[CRC_FROM:]):
        raise Damaged(piece.position + position, expected, "a batch whose checksum is wrong")
    return header, batch
