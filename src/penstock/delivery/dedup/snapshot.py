"""A table of ids as bytes, so that a restart need not read all that the window holds. Pure.

    magic, version | crc-32c u32 of all that follows | size u32 of the preface | preface (JSON) | offsets i64 | digests

The preface says for which log and settings it holds; offsets and digests lie in columns, generation by generation, then
those of open transactions.
"""

import struct
from array import array
from itertools import islice
from typing import Final

import crc32c
import msgspec

from penstock.delivery.dedup.ids import DIGEST_SIZE
from penstock.delivery.dedup.machine import Generation, IdTable

_MAGIC: Final = b"penstock-ids\x01"
_SIZES: Final = struct.Struct(">II")


class NoSnapshot(ValueError):
    """The bytes are no snapshot, or of something else."""


class Preface(msgspec.Struct, frozen=True):
    by: str
    window_ms: int
    ids_max: int
    end: int
    epoch: int
    """The leader epoch of what is in front of `end`: two logs that agree in both agree in all before."""
    time_ms: int
    start: int
    shrunk_at: int
    generations: list[tuple[int, int]]
    """Time and number of ids."""
    pending: list[tuple[int, int]]
    """Producer id and number of ids."""


class Frozen(msgspec.Struct, frozen=True):
    """A table at one moment: taken on the loop, encoded in a thread."""

    preface: Preface
    columns: "list[tuple[list[bytes], array[int], int, int]]"
    """Digests, offsets, from and to: only ever added to."""


def freeze(table: IdTable, *, by: str, epoch: int) -> Frozen:
    columns = [(g.digests, g.offsets, g.first, len(g.digests)) for g in table.generations]
    preface = Preface(
        by=by,
        window_ms=table.window_ms,
        ids_max=table.ids_max,
        end=table.end,
        epoch=epoch,
        time_ms=table.time_ms,
        start=table.start,
        shrunk_at=table.shrunk_at,
        generations=[(g.time_ms, len(g.digests) - g.first) for g in table.generations],
        pending=[(producer_id, len(ids)) for producer_id, ids in table.pending.items()],
    )
    columns += [(list(ids), array("q", ids.values()), 0, len(ids)) for ids in table.pending.values()]
    return Frozen(preface, columns)


def encode(frozen: Frozen) -> bytes:
    preface = msgspec.json.encode(frozen.preface)
    offsets = array("q")
    digests: list[bytes] = []
    for some, places, first, last in frozen.columns:
        offsets.extend(places[first:last])
        digests += islice(some, first, last)
    body = b"".join((preface, offsets.tobytes(), *digests))
    return _MAGIC + _SIZES.pack(crc32c.crc32c(body), len(preface)) + body


def decode(data: bytes) -> tuple[Preface, IdTable]:
    head = len(_MAGIC) + _SIZES.size
    if len(data) < head or not data.startswith(_MAGIC):
        raise NoSnapshot("no snapshot of ids")
    crc, preface_size = _SIZES.unpack_from(data, len(_MAGIC))
    if crc32c.crc32c(memoryview(data)[head:]) != crc:
        raise NoSnapshot("the CRC does not match")
    try:
        preface = msgspec.json.decode(data[head : head + preface_size], type=Preface)
    except msgspec.DecodeError as error:
        raise NoSnapshot(str(error)) from None
    counts = [count for _, count in (*preface.generations, *preface.pending)]
    total = sum(counts)
    at = head + preface_size
    if len(data) != at + total * (8 + DIGEST_SIZE):
        raise NoSnapshot(f"{total} ids in {len(data)} bytes")
    offsets = array("q")
    offsets.frombytes(data[at : at + 8 * total])
    at += 8 * total
    digests = [data[place : place + DIGEST_SIZE] for place in range(at, len(data), DIGEST_SIZE)]
    return preface, _table(preface, digests, offsets)


def _table(preface: Preface, digests: list[bytes], offsets: "array[int]") -> IdTable:
    table = IdTable(window_ms=preface.window_ms, ids_max=preface.ids_max)
    table.end, table.time_ms, table.start = preface.end, preface.time_ms, preface.start
    table.shrunk_at = preface.shrunk_at
    generations: list[Generation] = []
    place = 0
    for time_ms, count in preface.generations:
        generation = Generation(time_ms)
        generation.digests, generation.offsets = digests[place : place + count], offsets[place : place + count]
        generations.append(generation)
        place += count
    pending: dict[int, dict[bytes, int]] = {}
    for producer_id, count in preface.pending:
        pending[producer_id] = dict(zip(digests[place : place + count], offsets[place : place + count], strict=True))
        place += count
    table.load(generations, pending)
    return table
