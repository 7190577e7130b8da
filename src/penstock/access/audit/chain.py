"""Events as lines that are chained: each has a number and the hash of the line before, so that none can be changed,
taken away or put in without the next one telling.

A line is one JSON document. It ends in `"previous":"<hash>","hash":"<hash>"}}`: the hash of the line before, and
SHA-256 of this line without its last attribute. Whoever can write the file can also compute a new chain from any line
on; that is why heads of it are kept elsewhere.
"""

from hashlib import sha256
from typing import Final, NamedTuple

import msgspec

from penstock.access.audit.events import SCHEMA_VERSION, Event, Metadata

NO_HASH: Final = "0" * 64
"""What the first line of all has before it."""

_PRODUCT: Final = {"name": "Penstock", "vendor_name": "Penstock"}
_MARK: Final = b',"hash":"'
_SUFFIX_SIZE: Final = len(_MARK) + 64 + len(b'"}}')


class Head(msgspec.Struct, frozen=True):
    """How far a chain reaches: its last line."""

    sequence: int = 0
    hash: str = NO_HASH


class Line(NamedTuple):
    """What a line says of itself and of the one before."""

    sequence: int
    previous: str
    hash: str
    deleted_through: int
    """The last line that this one says was deleted with its file, to make room; 0 where it says nothing of the kind."""
    begins_after: int
    """The line after which something is missing before this one, as it says itself; -1 where it says nothing of it."""

    @property
    def head(self) -> Head:
        return Head(self.sequence, self.hash)


NO_EVENT: Final = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""What decoding raises for bytes that are no event."""


class Damaged(ValueError):
    """A line is not as it was written."""


class _Numbered(msgspec.Struct):
    sequence: int


class _Links(msgspec.Struct):
    previous: str
    deleted_through: int = 0
    begins_after: int = -1


class _Told(msgspec.Struct):
    metadata: _Numbered
    unmapped: _Links


class Chain:
    """Turns events into lines, each linked to the one before."""

    def __init__(self, log_name: str, head: Head) -> None:
        self._log_name = log_name
        self._encoder = msgspec.json.Encoder()
        self.head = head

    def link(self, event: Event) -> bytes:
        """The next line, without its newline."""
        sequence = self.head.sequence + 1
        numbered = msgspec.structs.replace(
            event,
            metadata=Metadata(SCHEMA_VERSION, _PRODUCT, self._log_name, sequence),
            unmapped={**event.unmapped, "previous": self.head.hash},
        )
        body = self._encoder.encode(numbered)
        digest = sha256(body).hexdigest()
        self.head = Head(sequence, digest)
        return body[:-2] + _MARK + digest.encode() + b'"}}'


def read_line(line: bytes) -> Line:
    """Raises Damaged unless the line is as it was written."""
    at = len(line) - _SUFFIX_SIZE
    if at <= 0 or line[at : at + len(_MARK)] != _MARK or line[-3:] != b'"}}':
        raise Damaged("it does not end as a line of an audit log does")
    told = line[at + len(_MARK) : -3].decode(errors="replace")
    if sha256(line[:at] + b"}}").hexdigest() != told:
        raise Damaged("its hash is not that of what it says")
    try:
        read = _DECODER.decode(line)
    except NO_EVENT as error:
        raise Damaged(f"it is no event: {error}") from None
    links = read.unmapped
    return Line(read.metadata.sequence, links.previous, told, links.deleted_through, links.begins_after)


_DECODER = msgspec.json.Decoder(_Told)
