"""Records in and out of batches, and batches that lie."""

import struct

import pytest
from aiokafka.record.default_records import DefaultRecordBatch, DefaultRecordBatchBuilder

from penstock.wire.batch import CRC, CRC_AT, HEADER_SIZE, BatchHeader
from penstock.wire.malformed import Malformed
from penstock.wire.markers import Marker, MarkerType, build_marker, read_marker
from penstock.wire.records import Record, build_batch, check, crc_of, iterate

RECORDS = (
    Record(100, 1_700_000_000_000, b"k", b"v"),
    Record(101, 1_700_000_000_500, None, b"x" * 300, (("trace", b"1"), ("empty", b""), ("null", None))),
    Record(102, 1_699_999_999_999, b"gone", None),
    Record(103, 1_700_000_000_000, b"", b""),
)


@pytest.mark.parametrize("codec", range(5))
def test_records_come_back_as_they_were(codec: int) -> None:
    batch = build_batch(RECORDS, compression=codec, leader_epoch=7, producer_id=9, producer_epoch=1, base_sequence=4)
    assert tuple(iterate(batch)) == RECORDS
    header = check(batch)
    assert (header.base_offset, header.last_offset, header.record_count) == (100, 103, 4)
    assert (header.base_timestamp, header.max_timestamp) == (1_700_000_000_000, 1_700_000_000_500)
    assert (header.leader_epoch, header.producer_id, header.producer_epoch, header.base_sequence) == (7, 9, 1, 4)
    assert header.last_sequence == 7


@pytest.mark.parametrize("codec", range(5))
def test_a_batch_of_the_python_client_is_read(codec: int) -> None:
    builder = DefaultRecordBatchBuilder(
        magic=2,
        compression_type=codec,
        is_transactional=False,
        producer_id=5,
        producer_epoch=0,
        base_sequence=0,
        batch_size=1 << 20,
    )
    for delta, record in enumerate(RECORDS):
        builder.append(delta, record.timestamp, record.key, record.value, list(record.headers))
    read = tuple(iterate(builder.build()))
    assert read == tuple(Record(r.offset - 100, r.timestamp, r.key, r.value, r.headers) for r in RECORDS)


@pytest.mark.parametrize("codec", range(5))
def test_our_batch_is_read_by_the_python_client(codec: int) -> None:
    theirs = DefaultRecordBatch(bytes(build_batch(RECORDS, compression=codec)))
    assert theirs.validate_crc()
    read = [(r.offset, r.timestamp, r.key, r.value, tuple(r.headers)) for r in theirs]
    assert read == [(r.offset, r.timestamp, r.key, r.value, r.headers) for r in RECORDS]


def test_log_append_time_is_every_record_s_timestamp() -> None:
    batch = build_batch(RECORDS, log_append_time=1_800_000_000_000)
    assert {record.timestamp for record in iterate(batch)} == {1_800_000_000_000}
    assert BatchHeader.peek(batch).max_timestamp == 1_800_000_000_000


def test_a_delete_horizon_leaves_the_timestamps_alone() -> None:
    batch = build_batch(RECORDS, delete_horizon=1_900_000_000_000)
    assert BatchHeader.peek(batch).delete_horizon == 1_900_000_000_000
    assert tuple(iterate(batch)) == RECORDS


def test_gaps_are_kept_where_compaction_left_them_and_refused_from_producers() -> None:
    batch = build_batch(RECORDS[1:3], base_offset=100, last_offset=103)
    assert [record.offset for record in iterate(batch)] == [101, 102]
    assert check(batch, consecutive=False).last_offset == 103
    with pytest.raises(Malformed):
        check(batch)


def test_an_emptied_batch_has_a_header_and_nothing_else() -> None:
    batch = build_batch([], base_offset=100, last_offset=103, compression=4, max_timestamp=17)
    assert len(batch) == HEADER_SIZE
    assert list(iterate(batch)) == []
    assert check(batch, consecutive=False).max_timestamp == 17


def test_header_keys_that_are_not_utf8_survive() -> None:
    record = Record(0, 1, b"k", b"v", ((b"\xff\xfe".decode(errors="surrogateescape"), b"1"),))
    batch = build_batch([record])
    assert b"\xff\xfe" in batch
    assert tuple(iterate(batch)) == (record,)


def _with_fields(batch: bytearray, **fields: int) -> bytearray:
    """The batch with header fields overwritten and its CRC made right again."""
    places = {"last_offset_delta": (23, ">i"), "record_count": (57, ">i"), "length": (8, ">i"), "magic": (16, ">b")}
    changed = bytearray(batch)
    for name, value in fields.items():
        at, layout = places[name]
        struct.pack_into(layout, changed, at, value)
    CRC.pack_into(changed, CRC_AT, crc_of(changed))
    return changed


@pytest.mark.parametrize(
    "lie",
    [
        {"record_count": 3},
        {"record_count": 5},
        {"record_count": 2**31 - 1},
        {"record_count": -1},
        {"last_offset_delta": 2},
        {"last_offset_delta": 4},
        {"last_offset_delta": -1},
        {"length": 2**31 - 1},
        {"length": 48},
        {"length": -5},
        {"magic": 1},
    ],
    ids=str,
)
@pytest.mark.parametrize("codec", [0, 1])
def test_a_header_that_lies_is_malformed(lie: dict[str, int], codec: int) -> None:
    with pytest.raises(Malformed):
        check(_with_fields(build_batch(RECORDS, compression=codec), **lie))


def test_a_flipped_bit_anywhere_under_the_crc_is_found() -> None:
    batch = build_batch(RECORDS)
    for at in range(21, len(batch)):
        batch[at] ^= 0x10
        with pytest.raises(Malformed):
            check(batch)
        batch[at] ^= 0x10
    check(batch)


@pytest.mark.parametrize(
    "body",
    [
        bytes([2 * 6 + 2, 0, 0, 0, 1, 1, 0]),  # claims one byte more than there is
        bytes([2 * 5, 0, 0, 0, 1, 1]),  # no header count
        bytes([1, 0, 0, 0, 1, 1, 0]),  # a length of -1
        bytes([2 * 6, 0, 0, 1, 1, 1, 0]),  # offset delta -1
        bytes([2 * 6, 0, 0, 0, 3, 1, 0]),  # key length -2
        bytes([2 * 6, 0, 0, 0, 4, 1, 0]),  # the key takes in the rest
        bytes([2 * 6, 0, 0, 0, 1, 100, 0]),  # the value would run past the end
        bytes([2 * 6, 0, 0, 0, 1, 1, 2]),  # one header, and no room for it
        bytes([2 * 6, 0, 0, 0, 1, 1, 1]),  # -1 headers
        bytes([2 * 8, 0, 0, 0, 1, 1, 2, 1, 1]),  # a header key that is null
        bytes([2 * 16, 0, *([0xFF] * 10), 1, 0, 1, 1, 0]),  # a varint without an end
        bytes([2 * 11, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0, 1, 1, 0]),  # an offset delta beyond 32 bits
        bytes([2 * 6, 0, 0, 0, 1, 1, 0, 0]),  # a byte too many
    ],
)
def test_a_record_that_lies_is_malformed(body: bytes) -> None:
    batch = build_batch([Record(0, 0, None, None)])[:HEADER_SIZE] + body
    with pytest.raises(Malformed):
        check(_with_fields(batch, length=len(batch) - 12))


def test_markers_come_back_as_they_were() -> None:
    for type_ in MarkerType:
        batch = build_marker(Marker(type_, 12), producer_id=8, producer_epoch=3, timestamp=99, base_offset=55)
        header = check(batch)
        assert (header.is_control, header.is_transactional, header.producer_epoch) == (True, True, 3)
        assert read_marker(batch) == Marker(type_, 12)


def test_control_records_about_other_things_are_no_markers() -> None:
    leader_change = build_batch([Record(0, 0, struct.pack(">hh", 0, 2), b"")], control=True)
    assert read_marker(leader_change) is None
    assert read_marker(build_batch([], control=True)) is None
    with pytest.raises(Malformed):
        read_marker(build_batch([Record(0, 0, None, None)], control=True))
    with pytest.raises(Malformed):
        read_marker(build_batch([Record(0, 0, struct.pack(">hh", 0, 1), b"\0\0")], control=True))
