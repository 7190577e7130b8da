"""A cursor: where in a topic reading goes on, packed into text that fits a URL and a header.

base64 of varints: a kind, a check over the topic's id, then partitions (as distances) with their offsets. Whoever
makes one up gets no further than with any offset: it is only ever a place to read from.
"""

import base64
import binascii
import zlib
from collections.abc import Mapping
from typing import Final

from penstock.web.problems import Problem

WHOLE: Final = 1
"""All partitions of the topic: those that are added later are read too."""
CHOSEN: Final = 2
OFFSET_MAX: Final = (1 << 63) - 1
_CHECK_BYTES: Final = 4


def packed(kind: int, topic_id: bytes, offsets: Mapping[int, int]) -> str:
    found = bytearray([kind])
    found += _check(topic_id)
    last = 0
    for partition in sorted(offsets):
        for number in (partition - last, offsets[partition]):
            while number > 0x7F:
                found.append(number & 0x7F | 0x80)
                number >>= 7
            found.append(number)
        last = partition
    return base64.urlsafe_b64encode(found).rstrip(b"=").decode()


def unpacked(text: str, topic_id: bytes, partitions: int) -> tuple[int, dict[int, int]]:
    """Its kind, and offsets by partition. Problem 400: it is no cursor, or one of another topic."""
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise _lie() from None
    if len(raw) <= _CHECK_BYTES or raw[0] not in (WHOLE, CHOSEN):
        raise _lie()
    if raw[1 : 1 + _CHECK_BYTES] != _check(topic_id):
        raise Problem(400, "cursor-of-another-topic", "The cursor is of another topic, or of one that was deleted")
    numbers = _numbers(raw[1 + _CHECK_BYTES :])
    if len(numbers) % 2:
        raise _lie()
    found: dict[int, int] = {}
    last = 0
    for distance, offset in zip(numbers[::2], numbers[1::2], strict=True):
        last += distance
        if last >= partitions or last in found or offset > OFFSET_MAX:
            raise _lie()
        found[last] = offset
    return raw[0], found


def _numbers(raw: bytes) -> list[int]:
    found, number, shift = [], 0, 0
    for byte in raw:
        number |= (byte & 0x7F) << shift
        shift += 7
        if shift > 70:
            raise _lie()
        if byte < 0x80:
            found.append(number)
            number = shift = 0
    if shift:
        raise _lie()
    return found


def _check(topic_id: bytes) -> bytes:
    return zlib.crc32(topic_id).to_bytes(_CHECK_BYTES, "big")


def _lie() -> Problem:
    return Problem(400, "no-cursor", "That is no cursor: give one back as it was given")
