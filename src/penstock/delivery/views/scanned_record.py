"""One record as it lies in its batch. Key, sizes and headers are looked for when a filter asks for them."""

from typing import Final

from penstock.wire.malformed import Malformed
from penstock.wire.zigzag import read_varint, read_varlong

NULL: Final = -1


class ScannedRecord:
    """Used again for each record of a batch. Reading beyond the bytes is an IndexError."""

    __slots__ = ("_base_timestamp", "_headers_at", "_key_at", "_key_size", "_value_size", "body", "end", "timestamp")

    def __init__(self, body: bytes | bytearray, *, base_timestamp: int, fixed_timestamp: int | None) -> None:
        self.body = body
        self._base_timestamp = base_timestamp
        self.timestamp = base_timestamp if fixed_timestamp is None else fixed_timestamp
        self.end = 0
        self._key_at = self._key_size = self._value_size = self._headers_at = 0

    def move(self, at: int, end: int, *, is_time_fixed: bool) -> None:
        """To the record whose attributes are at `at`."""
        body = self.body
        self.end = end
        byte = body[at + 1]
        if byte < 0x80:
            delta, at = (byte >> 1) ^ -(byte & 1), at + 2
        else:
            delta, at = read_varlong(body, at + 1)  # type: ignore[arg-type]
        if not is_time_fixed:
            self.timestamp = self._base_timestamp + delta
        at += 1 if body[at] < 0x80 else 2 if body[at + 1] < 0x80 else self._long(at)
        size, at = self._size_at(at)
        self._key_at, self._key_size = at, size
        if size > 0:
            at += size
        size, at = self._size_at(at)
        self._value_size = size
        if size > 0:
            at += size
        self._headers_at = at
        if at >= end:
            raise Malformed("a record that ends before its headers")

    def _long(self, at: int) -> int:
        return read_varint(self.body, at)[1] - at  # type: ignore[arg-type]

    def _size_at(self, at: int) -> tuple[int, int]:
        byte = self.body[at]
        if byte < 0x80:
            return (byte >> 1) ^ -(byte & 1), at + 1
        return read_varint(self.body, at)  # type: ignore[arg-type]

    @property
    def key(self) -> bytes | None:
        if self._key_size < 0:
            return None
        return bytes(self.body[self._key_at : self._key_at + self._key_size])

    @property
    def has_value(self) -> bool:
        return self._value_size >= 0

    @property
    def size(self) -> int:
        return max(self._key_size, 0) + max(self._value_size, 0)

    def header(self, wanted: bytes) -> bytes | None:
        """The value of the last header of that name; None where there is none, or it is null."""
        found: bytes | None = None
        for at, size in self._headers(wanted):
            found = None if size < 0 else bytes(self.body[at : at + size])
        return found

    def has_header(self, wanted: bytes) -> bool:
        return bool(self._headers(wanted))

    def _headers(self, wanted: bytes) -> list[tuple[int, int]]:
        """Where the values of all headers of that name are, and how long."""
        count, at = self._size_at(self._headers_at)
        body, end, name_size = self.body, self.end, len(wanted)
        if not 0 <= count <= (end - at) // 2:  # each takes two bytes at least
            raise Malformed(f"{count} headers in {end - at} bytes")
        found = []
        for _ in range(count):
            size, at = self._size_at(at)
            if size < 0 or at + size > end:
                raise Malformed(f"a header's name of {size} bytes where {end - at} are left")
            is_it = size == name_size and body[at : at + size] == wanted
            size, at = self._size_at(at + size)
            if size < NULL or at + size > end:
                raise Malformed(f"a header of {size} bytes where {end - at} are left")
            if is_it:
                found.append((at, size))
            if size > 0:
                at += size
        return found
