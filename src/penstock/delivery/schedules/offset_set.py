"""A set of offsets of one log, a bit for each, of which a prefix is forgotten once it is whole. Pure.

A million offsets take 125 KB, however many of them are in it.
"""

from collections.abc import Iterable, Iterator
from typing import Final

PAGE_BITS: Final = 16
_PAGE_OFFSETS: Final = 1 << PAGE_BITS
_PAGE_BYTES: Final = _PAGE_OFFSETS // 8
_MASK: Final = _PAGE_OFFSETS - 1
_FULL: Final = b"\xff" * 64


class OffsetSet:
    __slots__ = ("_pages", "floor")

    def __init__(self, floor: int) -> None:
        self.floor = floor
        """Everything below it is in the set."""
        self._pages: dict[int, bytearray] = {}

    def __contains__(self, offset: int) -> bool:
        if offset < self.floor:
            return True
        page = self._pages.get(offset >> PAGE_BITS)
        return page is not None and bool(page[(offset & _MASK) >> 3] & 1 << (offset & 7))

    def add(self, offset: int) -> None:
        if offset < self.floor:
            return
        page = self._pages.get(offset >> PAGE_BITS)
        if page is None:
            page = self._pages[offset >> PAGE_BITS] = bytearray(_PAGE_BYTES)
        page[(offset & _MASK) >> 3] |= 1 << (offset & 7)

    def discard(self, offset: int) -> None:
        """Not of what is below the floor."""
        page = self._pages.get(offset >> PAGE_BITS)
        if page is not None and offset >= self.floor:
            page[(offset & _MASK) >> 3] &= ~(1 << (offset & 7))

    def add_range(self, first: int, end: int) -> None:
        first = max(first, self.floor)
        while first < end:
            if not first & 7 and end - first >= 8:  # whole bytes, up to the page's end
                count = (min(end, (first | _MASK) + 1) - first) >> 3
                page = self._pages.setdefault(first >> PAGE_BITS, bytearray(_PAGE_BYTES))
                at = (first & _MASK) >> 3
                page[at : at + count] = b"\xff" * count
                first += count << 3
            else:
                self.add(first)
                first += 1

    def reset_below(self, end: int, missing: Iterable[int]) -> None:
        """Below `end` all are in the set, but for those that are missing."""
        self.add_range(self.floor, end)
        for offset in missing:
            self.discard(offset)

    def missing_below(self, end: int) -> Iterator[int]:
        """What is not in the set, in its order."""
        offset = self.floor
        while offset < end:
            page = self._pages.get(offset >> PAGE_BITS)
            last = min(end, (offset | _MASK) + 1)
            if page is None:
                yield from range(offset, last)
                offset = last
                continue
            offset = (offset & ~_MASK) + _first_clear(page, offset & _MASK)
            if offset < last:
                yield offset
                offset += 1

    def pages(self) -> dict[int, bytes]:
        """All that is kept besides the floor: for `restored`."""
        return {number: bytes(page) for number, page in self._pages.items()}

    @classmethod
    def restored(cls, floor: int, pages: dict[int, bytes]) -> "OffsetSet":
        made = cls(floor)
        made._pages = {number: bytearray(page) for number, page in pages.items()}
        return made

    def raise_floor(self) -> int:
        """Forget what all lies below the first offset that is missing; that offset."""
        floor = self.floor
        while (page := self._pages.get(floor >> PAGE_BITS)) is not None:
            end = _first_clear(page, floor & _MASK)
            floor = (floor & ~_MASK) + end
            if end < _PAGE_OFFSETS:
                break
            del self._pages[(floor - 1) >> PAGE_BITS]
        self.floor = floor
        return floor

    @property
    def size_bytes(self) -> int:
        return len(self._pages) * _PAGE_BYTES


def _first_clear(page: bytearray, start: int) -> int:
    bit = start
    while bit < _PAGE_OFFSETS:
        byte = bit >> 3
        if not bit & 511 and page[byte : byte + 64] == _FULL:
            bit += 512
        elif not bit & 7 and page[byte] == 0xFF:
            bit += 8
        elif page[byte] & 1 << (bit & 7):
            bit += 1
        else:
            return bit
    return bit
