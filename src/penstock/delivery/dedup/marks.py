"""What the time was, and where the log began: a note in the log, by which all replicas tell which ids count. Pure.

Records bear the time of whoever sent them, if any. A mark has the leader's, and that of the mark before it: so the
records between a log's start and its first mark have a time too.
"""

import struct
from typing import Final

import msgspec

_TAG: Final = b"dedup-mark\x01"
_CONTENT: Final = struct.Struct(f">{len(_TAG)}sqqq")


class Mark(msgspec.Struct, frozen=True, gc=False):
    time_ms: int
    before_ms: int
    """Of the records in front of it, up to the mark before."""
    start: int
    """The log's start."""

    def encode(self) -> bytes:
        return _CONTENT.pack(_TAG, self.time_ms, self.before_ms, self.start)


def is_mark(content: bytes) -> bool:
    return content.startswith(_TAG) and len(content) == _CONTENT.size


def read_mark(content: bytes) -> Mark | None:
    """None for a note of another kind."""
    if not is_mark(content):
        return None
    _, time_ms, before_ms, start = _CONTENT.unpack(content)
    return Mark(time_ms, before_ms, start)
