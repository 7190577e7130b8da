"""Record batches made by hand, true or lying, and a plain description of batches read back."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cramjam
import crc32c
import lz4.frame
from tests.support.schema import Reader, uvarint

# A fixed moment of 2023: answers of two brokers can be compared, and retention is off where these are used.
WHEN = 1_700_000_000_000
HEADER_SIZE = 61
CODECS = {"none": 0, "gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}
TRANSACTIONAL, CONTROL, LOG_APPEND_TIME = 0x10, 0x20, 0x08


@dataclass(frozen=True)
class Rec:
    value: bytes | None = b"value"
    key: bytes | None = None
    headers: tuple[tuple[str, bytes | None], ...] = ()
    timestamp_delta: int = 0
    offset_delta: int | None = None


def varint(value: int) -> bytes:
    return uvarint((value << 1) ^ (value >> 63))


def _sized(raw: bytes | None) -> bytes:
    return varint(-1) if raw is None else varint(len(raw)) + raw


def record(rec: Rec, index: int) -> bytes:
    delta = index if rec.offset_delta is None else rec.offset_delta
    body = b"\x00" + varint(rec.timestamp_delta) + varint(delta) + _sized(rec.key) + _sized(rec.value)
    body += varint(len(rec.headers))
    for name, value in rec.headers:
        body += _sized(name.encode()) + _sized(value)
    return varint(len(body)) + body


def compressed(codec: int, data: bytes) -> bytes:
    match codec:
        case 0:
            return data
        case 1:
            return gzip.compress(data, mtime=0)
        case 2:
            return bytes(cramjam.snappy.compress_raw(data))
        case 3:
            return bytes(lz4.frame.compress(data))
        case 4:
            return bytes(cramjam.zstd.compress(data))
    return data


def batch(
    records: Sequence[Rec] = (Rec(),),
    *,
    base_offset: int = 0,
    leader_epoch: int = -1,
    magic: int = 2,
    attributes: int = 0,
    codec: str = "none",
    base_timestamp: int = WHEN,
    max_timestamp: int | None = None,
    producer_id: int = -1,
    producer_epoch: int = -1,
    sequence: int = -1,
    last_offset_delta: int | None = None,
    count: int | None = None,
    length: int | None = None,
    crc: int | None = None,
    payload: bytes | None = None,
) -> bytes:
    """One batch of magic 2; every figure can be made to lie, and the CRC fits the lie unless it is given too."""
    if payload is None:
        payload = compressed(CODECS[codec], b"".join(record(rec, index) for index, rec in enumerate(records)))
    if max_timestamp is None:
        max_timestamp = base_timestamp + max((rec.timestamp_delta for rec in records), default=0)
    checked = (
        struct.pack(
            ">hiqqqhii",
            attributes | CODECS[codec],
            len(records) - 1 if last_offset_delta is None else last_offset_delta,
            base_timestamp,
            max_timestamp,
            producer_id,
            producer_epoch,
            sequence,
            len(records) if count is None else count,
        )
        + payload
    )
    crc = crc32c.crc32c(checked) if crc is None else crc
    length = 9 + len(checked) if length is None else length
    return struct.pack(">qiibI", base_offset, length, leader_epoch, magic, crc) + checked


def old_message_set(magic: int = 1) -> bytes:
    """A message of the formats before 2, which brokers of 4.x refuse."""
    body = struct.pack(">bb", magic, 0) + (struct.pack(">q", WHEN) if magic == 1 else b"") + struct.pack(">i", -1)
    body += struct.pack(">i", 5) + b"value"
    message = struct.pack(">I", 0) + body
    return struct.pack(">qi", 0, len(message)) + message


def describe(data: bytes | None) -> list[dict[str, Any]] | None:
    """What a client would see of a run of batches; a partial batch at the end shows as such."""
    if data is None:
        return None
    found: list[dict[str, Any]] = []
    position = 0
    while position < len(data):
        if position + HEADER_SIZE > len(data):
            found.append({"partial": True})
            break
        base_offset, length, epoch, magic, crc = struct.unpack_from(">qiibI", data, position)
        end = position + 12 + length
        if end > len(data):
            found.append({"partial": True})
            break
        found.append(_describe_one(data[position:end], base_offset, epoch, magic, crc))
        position = end
    return found


def _describe_one(raw: bytes, base_offset: int, epoch: int, magic: int, crc: int) -> dict[str, Any]:
    names = (
        "attributes",
        "last_offset_delta",
        "base_timestamp",
        "max_timestamp",
        "producer_id",
        "producer_epoch",
        "sequence",
        "count",
    )
    facts = dict(zip(names, struct.unpack_from(">hiqqqhii", raw, 21), strict=True))
    seen: dict[str, Any] = {"base_offset": base_offset, "epoch": epoch, "magic": magic, **facts}
    seen["crc_ok"] = crc32c.crc32c(raw[21:]) == crc
    try:
        seen["values"] = values(raw)
    except Exception as fault:  # whatever a codec raises on noise
        seen["values"] = f"unreadable: {type(fault).__name__}"
    return seen


def values(raw: bytes) -> list[bytes | None]:
    """The values of one batch, decompressed if need be."""
    payload = raw[HEADER_SIZE:]
    attributes, count = struct.unpack_from(">h", raw, 21)[0], struct.unpack_from(">i", raw, 57)[0]
    match attributes & 7:
        case 1:
            payload = gzip.decompress(payload)
        case 2 if payload.startswith(b"\x82SNAPPY\x00"):
            payload = _xerial(payload)
        case 2:
            payload = bytes(cramjam.snappy.decompress_raw(payload))
        case 3:
            payload = bytes(lz4.frame.decompress(payload))
        case 4:
            payload = bytes(cramjam.zstd.decompress(payload))
    reader = Reader(payload)
    found = []
    for _ in range(count):
        end = _signed(reader) + reader.position
        reader.take(1)
        _signed(reader), _signed(reader)
        key_size = _signed(reader)
        reader.take(max(key_size, 0))
        size = _signed(reader)
        found.append(None if size < 0 else reader.take(size))
        reader.position = end
    return found


def _signed(reader: Reader) -> int:
    raw = reader.uvarint()
    return (raw >> 1) ^ -(raw & 1)


def _xerial(payload: bytes) -> bytes:
    reader = Reader(payload, 16)
    out = bytearray()
    while reader.position < len(payload):
        out += cramjam.snappy.decompress_raw(reader.take(reader.number("int32")))
    return bytes(out)
