"""Codecs: what others wrote is read, what we write others read, and nothing grows past its bound."""

import gzip
import resource
import struct
import zlib

import cramjam
import lz4.frame
import pytest

from penstock.wire.compression import GZIP, LZ4, NONE, SNAPPY, ZSTD, compress, decompress
from penstock.wire.malformed import Malformed

TEXT = b"the quick brown fox jumps over the lazy dog, " * 3_000
CODECS = (GZIP, SNAPPY, LZ4, ZSTD)


@pytest.mark.parametrize("codec", (NONE, *CODECS))
@pytest.mark.parametrize("data", [b"", b"x", TEXT], ids=["empty", "one byte", "132 KB"])
def test_what_is_compressed_comes_back(codec: int, data: bytes) -> None:
    assert bytes(decompress(codec, compress(codec, data), at_most=len(data))) == data


@pytest.mark.parametrize("codec", CODECS)
def test_a_view_is_taken_like_bytes(codec: int) -> None:
    packed = compress(codec, memoryview(bytearray(TEXT)))
    assert bytes(decompress(codec, memoryview(b"--" + packed)[2:], at_most=len(TEXT))) == TEXT


def test_gzip_is_read_and_written_as_the_standard_library_does() -> None:
    assert gzip.decompress(compress(GZIP, TEXT)) == TEXT
    assert bytes(decompress(GZIP, gzip.compress(TEXT), at_most=len(TEXT))) == TEXT
    assert bytes(decompress(GZIP, gzip.compress(b"one,") + gzip.compress(b"two"), at_most=10)) == b"one,two"


def test_lz4_frames_of_another_library_are_read_whatever_their_flags() -> None:
    for linked in (True, False):
        for checksum in (True, False):
            frame = lz4.frame.compress(TEXT, block_linked=linked, content_checksum=checksum, store_size=checksum)
            assert bytes(decompress(LZ4, frame, at_most=len(TEXT))) == TEXT


def test_lz4_is_written_in_independent_blocks_which_the_java_client_insists_on() -> None:
    frame = compress(LZ4, TEXT)
    assert lz4.frame.decompress(frame) == TEXT
    assert lz4.frame.get_frame_info(frame)["block_linked"] is False


def test_plain_snappy_as_librdkafka_writes_it_is_read() -> None:
    assert bytes(decompress(SNAPPY, bytes(cramjam.snappy.compress_raw(TEXT)), at_most=len(TEXT))) == TEXT


def test_snappy_is_written_in_the_java_framing_of_32_kib_blocks() -> None:
    packed = compress(SNAPPY, TEXT)
    assert packed[:16] == b"\x82SNAPPY\x00" + struct.pack(">ii", 1, 1)
    (length,) = struct.unpack_from(">i", packed, 16)
    assert bytes(cramjam.snappy.decompress_raw(packed[20 : 20 + length])) == TEXT[: 32 * 1024]


def test_levels_are_honoured() -> None:
    noisy = b"".join(b"%d" % (n * n) for n in range(20_000))
    assert len(compress(GZIP, noisy, level=9)) < len(compress(GZIP, noisy, level=1))
    assert len(compress(ZSTD, noisy, level=19)) < len(compress(ZSTD, noisy, level=-5))
    assert len(compress(LZ4, noisy, level=12)) < len(compress(LZ4, noisy))
    assert compress(GZIP, noisy, level=-1) == compress(GZIP, noisy)
    for packed, codec in ((compress(ZSTD, noisy, level=-131072), ZSTD), (compress(LZ4, noisy, level=17), LZ4)):
        assert bytes(decompress(codec, packed, at_most=len(noisy))) == noisy


@pytest.mark.parametrize("codec", CODECS)
def test_one_byte_more_than_allowed_is_refused(codec: int) -> None:
    with pytest.raises(Malformed):
        decompress(codec, compress(codec, TEXT), at_most=len(TEXT) - 1)


@pytest.mark.parametrize("codec", (GZIP, LZ4, ZSTD))
def test_a_bomb_is_refused_without_being_unpacked(codec: int) -> None:
    bomb = _a_bomb(codec, unpacked_mb=200)
    assert len(bomb) < 3_000_000
    before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(Malformed):
        decompress(codec, bomb, at_most=1_000_000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb < 64 * 1024


@pytest.mark.parametrize("framing", [b"", b"\x82SNAPPY\x00\0\0\0\x01\0\0\0\x01\0\0\0\x07"])
def test_a_snappy_block_that_claims_two_gigabytes_is_refused(framing: bytes) -> None:
    with pytest.raises(Malformed):
        decompress(SNAPPY, framing + b"\xff\xff\xff\xff\x07ab", at_most=1_000_000)


@pytest.mark.parametrize("codec", CODECS)
def test_truncated_bytes_are_malformed(codec: int) -> None:
    packed = compress(codec, TEXT)
    for length in (1, 5, 9, 17, len(packed) // 2, len(packed) - 1):
        with pytest.raises(Malformed):
            decompress(codec, packed[:length], at_most=len(TEXT) * 2)


def test_another_codec_s_bytes_are_malformed() -> None:
    with pytest.raises(Malformed):
        decompress(ZSTD, compress(GZIP, TEXT), at_most=len(TEXT))
    with pytest.raises(Malformed):
        decompress(GZIP, zlib.compress(TEXT), at_most=len(TEXT))


@pytest.mark.parametrize("codec", (5, 6, 7, -1))
def test_unknown_codecs_are_refused(codec: int) -> None:
    with pytest.raises(Malformed):
        compress(codec, TEXT)
    with pytest.raises(Malformed):
        decompress(codec, TEXT, at_most=len(TEXT))


def _a_bomb(codec: int, *, unpacked_mb: int) -> bytes:
    compressor = {GZIP: cramjam.gzip, LZ4: cramjam.lz4, ZSTD: cramjam.zstd}[codec].Compressor()
    for _ in range(unpacked_mb):
        compressor.compress(bytes(1_000_000))
    return bytes(compressor.finish())
