"""What a consumer makes of the bytes that a broker answers with."""

from __future__ import annotations

import pytest

from penstock.client.records.fetched import Fetched
from penstock.errors import CorruptMessage, UnsupportedForMessageFormat
from penstock.wire.compression import CODECS_BY_NAME
from penstock.wire.markers import Marker, MarkerType, build_marker
from penstock.wire.records import Record, build_batch

HEALTHY, DOOMED = 1, 2


def a_batch(first: int, *values: bytes, producer: int = -1, compression: int = 0, epoch: int = 3) -> bytes:
    records = [Record(first + index, 1000 + index, None, value) for index, value in enumerate(values)]
    return bytes(
        build_batch(
            records,
            producer_id=producer,
            producer_epoch=0,
            base_sequence=0,
            transactional=producer >= 0,
            compression=compression,
            leader_epoch=epoch,
        )
    )


def a_marker(offset: int, producer: int, kind: MarkerType) -> bytes:
    return bytes(build_marker(Marker(kind, 0), producer_id=producer, producer_epoch=0, timestamp=0, base_offset=offset))


def values(fetched: Fetched, at_most: int = 100) -> list[bytes | None]:
    return [record.value for record in fetched.take(at_most)]


TRANSACTIONS = b"".join(
    [
        a_batch(0, b"a0", b"a1", producer=DOOMED),
        a_batch(2, b"c2", producer=HEALTHY),
        a_batch(3, b"p3"),
        a_marker(4, DOOMED, MarkerType.ABORT),
        a_batch(5, b"c5", producer=DOOMED),
        a_marker(6, HEALTHY, MarkerType.COMMIT),
        a_marker(7, DOOMED, MarkerType.COMMIT),
    ]
)


def test_records_of_aborted_transactions_and_markers_are_left_out() -> None:
    fetched = Fetched("t", 0, TRANSACTIONS, 0, [(DOOMED, 0)])
    assert values(fetched) == [b"c2", b"p3", b"c5"]
    assert fetched.position == 8, "what is for nobody is not asked for again"


def test_who_reads_uncommitted_records_gets_all_but_the_markers() -> None:
    fetched = Fetched("t", 0, TRANSACTIONS, 0, None)
    assert values(fetched) == [b"a0", b"a1", b"c2", b"p3", b"c5"]


def test_records_below_the_position_are_left_out_and_some_are_handed_out_at_a_time() -> None:
    fetched = Fetched("t", 7, a_batch(10, b"0", b"1", b"2", b"3") + a_batch(14, b"4"), 12, None)
    (first,) = fetched.take(1)
    assert (first.topic, first.partition, first.offset, first.timestamp_ms, first.leader_epoch) == ("t", 7, 12, 1002, 3)
    assert (fetched.position, fetched.leader_epoch) == (13, 3)
    assert values(fetched) == [b"3", b"4"]
    assert (values(fetched), fetched.position) == ([], 15)


def test_a_batch_that_is_cut_off_is_asked_for_again() -> None:
    whole, cut = a_batch(0, b"0"), a_batch(1, b"1")
    for end in (1, 16, 61, len(cut) - 1):
        fetched = Fetched("t", 0, whole + cut[:end], 0, None)
        assert (values(fetched), fetched.position) == ([b"0"], 1)


@pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4", "zstd"])
def test_compressed_batches_are_read(codec: str) -> None:
    batch = a_batch(0, b"x" * 1000, compression=CODECS_BY_NAME[codec])
    assert values(Fetched("t", 0, batch, 0, None)) == [b"x" * 1000]


def test_a_batch_that_is_damaged_is_told_with_its_place() -> None:
    damaged = bytearray(a_batch(5, b"value"))
    damaged[-3] ^= 1
    with pytest.raises(CorruptMessage, match="t-0: the checksum of the batch at 5 is wrong"):
        Fetched("t", 0, damaged, 5, None).take(1)
    old = bytearray(a_batch(5, b"value"))
    old[16] = 1
    with pytest.raises(UnsupportedForMessageFormat, match="version 1"):
        Fetched("t", 0, old, 5, None).take(1)
