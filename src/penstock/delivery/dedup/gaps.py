"""In front of the log of a topic without duplicates, for its consumers.

A batch whose records were all left out has none. A consumer that gets an answer of nothing else may take that for a
record that is too large, and asks for more and more (librdkafka does). So it gets a control batch over the same offsets
instead, which every client passes over.
"""

import os

from penstock.delivery.views.scan import filler
from penstock.log import FileSlice
from penstock.replication import RecordBytes, Records
from penstock.replication.log_port import LogPort
from penstock.wire.batch import HEADER_SIZE, BatchHeader

LOOKED_AT_MAX = 1_000
"""Batches of an answer that are looked at: behind so many without records the answer ends."""


class GapFiller:
    """A `RecordSource`."""

    def slice(self, log: LogPort, start: int, *, at_most: int, before: int, at_least_one: bool) -> Records | None:
        found = log.slice(start, at_most=at_most, before=before, at_least_one=at_least_one)
        if found is None:
            return None
        last = _last_of_nothing(found)
        if last is None:
            return found
        found.release()
        return RecordBytes(bytes(filler(start, last.next_offset, last)))


def _last_of_nothing(found: FileSlice) -> BatchHeader | None:
    """The last batch, if none has a record; None where one has. What is not in memory, or cannot be read, is left to
    whoever sends it.
    """
    position, last = 0, None
    buffer = bytearray(HEADER_SIZE)
    for _ in range(LOOKED_AT_MAX):
        if position + HEADER_SIZE > found.size:
            break
        try:
            if os.preadv(found.fd, [buffer], found.position + position, os.RWF_NOWAIT) < HEADER_SIZE:
                return None
        except OSError:
            return None
        header = BatchHeader.peek(buffer)
        if header.record_count or header.size < HEADER_SIZE:
            return None
        last = header
        position += header.size
    return last
