"""Records round-trip through every codec, and no bytes raise anything but Malformed."""

from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.wire.batch import CRC, CRC_AT, HEADER_SIZE
from penstock.wire.compression import decompress
from penstock.wire.malformed import Malformed
from penstock.wire.markers import read_marker
from penstock.wire.records import Record, build_batch, check, crc_of, iterate

INT64 = st.integers(min_value=-(1 << 62), max_value=(1 << 62) - 1)
BYTES = st.none() | st.binary(max_size=200)
HEADERS = st.lists(st.tuples(st.text(max_size=10), st.none() | st.binary(max_size=20)), max_size=3).map(tuple)


PREFIXES = (
    b"",
    b"\x1f\x8b\x08\x00",  # gzip
    b"\x82SNAPPY\x00\0\0\0\x01\0\0\0\x01",
    b"\x04\x22\x4d\x18",  # lz4
    b"\x28\xb5\x2f\xfd",  # zstd
)


@st.composite
def records_of_a_batch(draw: st.DrawFn) -> list[Record]:
    offset = draw(st.integers(0, 1 << 40))
    records = []
    for _ in range(draw(st.integers(0, 12))):
        records.append(Record(offset, draw(INT64), draw(BYTES), draw(BYTES), draw(HEADERS)))
        offset += draw(st.integers(1, 1 << 20))
    return records


@settings(deadline=None)
@given(records_of_a_batch(), st.integers(0, 4), st.integers(0, 1000), st.none() | INT64)
def test_records_round_trip(records: list[Record], codec: int, gap: int, horizon: int | None) -> None:
    base = records[0].offset - min(gap, records[0].offset) if records else 5
    last = (records[-1].offset if records else base) + gap
    batch = build_batch(records, base_offset=base, last_offset=last, compression=codec, delete_horizon=horizon)
    assert list(iterate(batch)) == records
    header = check(batch, consecutive=False)
    assert (header.base_offset, header.last_offset) == (base, last)


@st.composite
def damaged_batches(draw: st.DrawFn) -> bytearray:
    """Real batches with some bytes overwritten and the CRC made right again: past the CRC the parser is on its own."""
    batch = build_batch(draw(records_of_a_batch()), compression=draw(st.integers(0, 4)))
    for _ in range(draw(st.integers(1, 4))):
        batch[draw(st.integers(0, len(batch) - 1))] = draw(st.integers(0, 255))
    if draw(st.booleans()):
        del batch[draw(st.integers(0, len(batch))) :]
    if len(batch) >= HEADER_SIZE:
        CRC.pack_into(batch, CRC_AT, crc_of(batch))
    return batch


@settings(max_examples=400, deadline=None)
@given(damaged_batches() | st.binary(max_size=200))
def test_no_bytes_raise_anything_but_malformed(data: bytes) -> None:
    for read in (lambda: check(data), lambda: list(iterate(data)), lambda: read_marker(data)):
        try:
            read()
        except Malformed:
            pass


@settings(max_examples=300, deadline=None)
@given(st.integers(-1, 7), st.binary(max_size=300))
def test_no_bytes_make_a_decompressor_raise_anything_but_malformed(codec: int, data: bytes) -> None:
    for prefix in (
        b"",
        b"\x1f\x8b\x08\x00",
        b"\x82SNAPPY\x00\0\0\0\x01\0\0\0\x01",
        b"\x04\x22\x4d\x18",
        b"\x28\xb5\x2f\xfd",
    ):
        try:
            assert len(decompress(codec, prefix + data, at_most=100_000)) <= 100_000
        except Malformed:
            pass
