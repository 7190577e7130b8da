"""The four codecs of record batches, with output that cannot grow past a bound the caller names.

A decompression bomb is refused without being unpacked: every decoder here writes into a buffer of ours, which ends at
`at_most`, and stops where the buffer stops. Snappy comes in two shapes, the block framing of the Java clients
("xerial") and the plain format that librdkafka writes; both are read, the first is written, as Apache Kafka does.
"""

import struct
from collections.abc import Callable
from functools import cache
from typing import Any, Final

from penstock.wire.malformed import Malformed

NONE: Final = 0
GZIP: Final = 1
SNAPPY: Final = 2
LZ4: Final = 3
ZSTD: Final = 4

CODEC_NAMES: Final[dict[int, str]] = {NONE: "none", GZIP: "gzip", SNAPPY: "snappy", LZ4: "lz4", ZSTD: "zstd"}
CODECS_BY_NAME: Final[dict[str, int]] = {name: codec for codec, name in CODEC_NAMES.items()} | {"uncompressed": NONE}

GZIP_LEVEL_DEFAULT: Final = 6
LZ4_LEVEL_DEFAULT: Final = 9
"""Kafka's default names the fast compressor; any other level means high compression at that level."""
LZ4_LEVEL_MAX: Final = 12
ZSTD_LEVEL_DEFAULT: Final = 3

_XERIAL_MAGIC = b"\x82SNAPPY\x00"
_XERIAL_HEADER = struct.Struct(">8sii")  # magic, version, oldest version that can read it
_XERIAL_BLOCK_SIZE = 32 * 1024
_LENGTH = struct.Struct(">I")

_FIRST_GUESS_MIN = 64 * 1024
_EXPANSION_GUESS = 4
_BUFFER_FULL = "failed to write whole buffer"  # the error of Rust's library, which cramjam passes on

Buffer = bytes | bytearray | memoryview
_Decoder = Callable[[Buffer, bytearray], int]


@cache
def _cramjam() -> Any:
    """Loaded with the first batch that is packed or unpacked: a broker that only passes them on is spared 2 MB."""
    import cramjam  # noqa: PLC0415

    return cramjam


def compress(codec: int, data: Buffer, level: int | None = None) -> bytes:
    """Compress in the form that every Kafka client reads; `level` None or -1 is Kafka's default for the codec."""
    if level == -1 and codec == GZIP:
        level = None
    match codec:
        case 0:
            return bytes(data)
        case 1:
            return bytes(_cramjam().gzip.compress(data, level=GZIP_LEVEL_DEFAULT if level is None else level))
        case 2:
            return _compress_xerial(memoryview(data))
        case 3:
            return _compress_lz4(data, LZ4_LEVEL_DEFAULT if level is None else level)
        case 4:
            return bytes(_cramjam().zstd.compress(data, level=ZSTD_LEVEL_DEFAULT if level is None else level))
        case _:
            raise Malformed(f"no compression codec has the id {codec}")


def decompress(codec: int, data: Buffer, at_most: int) -> Buffer:
    """The plain bytes (`data` itself for NONE, whatever its size); Malformed if they are more than `at_most` or not in
    that codec."""
    match codec:
        case 0:
            return data
        case 1:
            return _decompress_growing(_cramjam().gzip.decompress_into, data, at_most, "gzip")
        case 2:
            return _decompress_snappy(data, at_most)
        case 3:
            return _decompress_growing(_cramjam().lz4.decompress_into, data, at_most, "lz4")
        case 4:
            return _decompress_growing(_cramjam().zstd.decompress_into, data, at_most, "zstd")
        case _:
            raise Malformed(f"no compression codec has the id {codec}")


def _compress_lz4(data: Buffer, level: int) -> bytes:
    # Linked blocks, cramjam's default, are refused by the Java clients.
    compressor = _cramjam().lz4.Compressor(
        level=0 if level == LZ4_LEVEL_DEFAULT else min(level, LZ4_LEVEL_MAX), content_checksum=False, block_linked=False
    )
    compressor.compress(bytes(data))
    return bytes(compressor.finish())


def _compress_xerial(data: memoryview) -> bytes:
    out = bytearray(_XERIAL_HEADER.pack(_XERIAL_MAGIC, 1, 1))
    for start in range(0, len(data), _XERIAL_BLOCK_SIZE):
        block = _cramjam().snappy.compress_raw(data[start : start + _XERIAL_BLOCK_SIZE])
        out += _LENGTH.pack(len(block))
        out += bytes(block)
    return bytes(out)


def _decompress_growing(
    decompress_into: Callable[[Buffer, bytearray], int], data: Buffer, at_most: int, name: str
) -> memoryview:
    """Try with a buffer that mostly suffices and grow it up to the bound; the codecs cannot say the size beforehand.

    Only a full buffer is worth another try: else a few bytes of rubbish would cost as much as a whole bomb.
    """
    size = min(at_most, max(_FIRST_GUESS_MIN, _EXPANSION_GUESS * len(data)))
    while True:
        out = bytearray(size)
        try:
            written = decompress_into(data, out)
        except _cramjam().DecompressionError as error:
            if _BUFFER_FULL not in str(error):
                raise Malformed(f"not {name}: {error}") from None
            if size == at_most:
                raise Malformed(f"more than {at_most} bytes of {name}") from None
            size = min(at_most, _EXPANSION_GUESS * size)
        else:
            return memoryview(out)[:written]


def _decompress_snappy(data: Buffer, at_most: int) -> memoryview:
    view = memoryview(data)
    try:
        if view[: len(_XERIAL_MAGIC)] == _XERIAL_MAGIC:
            return _decompress_xerial(view, at_most)
        size = _cramjam().snappy.decompress_raw_len(view)
        if size > at_most:
            raise Malformed(f"snappy of {size} bytes, at most {at_most} are taken")
        out = bytearray(size)
        _cramjam().snappy.decompress_raw_into(view, out)
        return memoryview(out)
    except _cramjam().DecompressionError as error:
        raise Malformed(f"not snappy: {error}") from None


def _decompress_xerial(view: memoryview, at_most: int) -> memoryview:
    blocks = _xerial_blocks(view)
    sizes = [_cramjam().snappy.decompress_raw_len(block) for block in blocks]
    total = sum(sizes)
    if total > at_most:
        raise Malformed(f"snappy of {total} bytes, at most {at_most} are taken")
    out = memoryview(bytearray(total))
    position = 0
    for block, size in zip(blocks, sizes, strict=True):
        _cramjam().snappy.decompress_raw_into(block, out[position : position + size])
        position += size
    return out


def _xerial_blocks(view: memoryview) -> list[memoryview]:
    blocks = []
    position = _XERIAL_HEADER.size
    end = len(view)
    if end < position:
        raise Malformed("snappy framing ends within its header")
    while position < end:
        if end - position < _LENGTH.size:
            raise Malformed("snappy framing ends within a block's length")
        (length,) = _LENGTH.unpack_from(view, position)
        position += _LENGTH.size
        if length > end - position:
            raise Malformed(f"a snappy block of {length} bytes where {end - position} are left")
        blocks.append(view[position : position + length])
        position += length
    return blocks
