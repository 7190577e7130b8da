"""When the record at an offset was written, as the header of its batch says: nothing is opened for it.

A batch is filled within its producer's linger time, so the first timestamp of the batch is near enough to be taken for
that of any of its records. The few bytes are read in a thread, as they may be on the disk only, and what was read is
remembered for as long as somebody asks for it: most of those who are behind are so at the same offset for a while.
"""

import asyncio
import os
from collections.abc import Mapping

from penstock.errors import Refusal
from penstock.log import FileSlice
from penstock.replication import Partitions
from penstock.wire.batch import HEADER_SIZE, NO_TIMESTAMP, BatchHeader

READ_AT_ONCE = 64
"""Headers read by one call of a thread, with as many files pinned meanwhile."""

Place = tuple[str, int]
"""Topic and partition."""


class RecordAges:
    def __init__(self, partitions: Partitions) -> None:
        self._partitions = partitions
        self._known: dict[tuple[Place, int], int] = {}

    async def written_at(self, offsets: Mapping[Place, list[int]]) -> dict[tuple[Place, int], int]:
        """Milliseconds, by place and offset; what cannot be told (gone, not kept here, no timestamp) is left out."""
        wanted = [(place, offset) for place, at in offsets.items() for offset in at]
        known = {asked: self._known[asked] for asked in wanted if asked in self._known}
        unknown = [asked for asked in wanted if asked not in known]
        for first in range(0, len(unknown), READ_AT_ONCE):
            known |= await self._read(unknown[first : first + READ_AT_ONCE])
        self._known = known
        return known

    async def _read(self, wanted: list[tuple[Place, int]]) -> dict[tuple[Place, int], int]:
        slices = {asked: found for asked in wanted if (found := self._slice(*asked)) is not None}
        try:
            heads = await asyncio.to_thread(lambda: [_head(found) for found in slices.values()])
        finally:
            for found in slices.values():
                found.release()
        return {asked: at for asked, head in zip(slices, heads, strict=True) if (at := _timestamp(head)) is not None}

    def _slice(self, place: Place, offset: int) -> FileSlice | None:
        partition = self._partitions.readable(*place)
        if partition is None:
            return None
        try:
            return partition.reader.slice(offset, bytes_max=HEADER_SIZE)
        except (Refusal, OSError):
            return None


def _head(found: FileSlice) -> bytes:
    try:
        return os.pread(found.fd, HEADER_SIZE, found.position)
    except OSError:
        return b""


def _timestamp(head: bytes) -> int | None:
    if len(head) < HEADER_SIZE:
        return None
    header = BatchHeader.peek(head)
    # The broker's own time is in the one field; a batch whose tombstones wait for their end keeps that in the other.
    is_last = header.is_log_append_time or header.delete_horizon is not None
    at = header.max_timestamp if is_last else header.base_timestamp
    return None if at == NO_TIMESTAMP else at
