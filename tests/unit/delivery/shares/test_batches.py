"""What is read, by its batch headers: aborted batches, and how much of a slice an answer keeps."""

import pytest

from penstock.delivery.shares.acquiring import BatchSpan
from penstock.delivery.shares.batches import FoundBatch, aborted_among, batches_in, cut
from penstock.delivery.shares.beginning import duration_ms
from penstock.errors import CorruptMessage
from penstock.replication import RecordBytes
from penstock.wire.batch import BASE_OFFSET, CONTROL, TRANSACTIONAL, BatchHeader
from penstock.wire.records import Record, build_batch


def batch(base: int, count: int = 1, *, producer: int = -1, transactional: bool = False) -> bytes:
    records = [Record(i, 0, b"k", b"v") for i in range(count)]
    made = build_batch(
        records,
        producer_id=producer,
        producer_epoch=0 if producer >= 0 else -1,
        base_sequence=0 if producer >= 0 else -1,
        transactional=transactional,
    )
    BASE_OFFSET.pack_into(made, 0, base)
    return bytes(made)


def header(base: int, last: int, *, producer: int, control: bool = False) -> FoundBatch:
    attributes = TRANSACTIONAL | (CONTROL if control else 0)
    return FoundBatch(BatchHeader(base, 0, 0, 2, 0, attributes, last - base, 0, 0, producer, 0, 0, 1), 0)


def test_headers_are_looked_at_as_far_as_they_matter() -> None:
    records = RecordBytes(batch(0, 3) + batch(3, 2) + batch(9))
    assert [each.span for each in batches_in(records, until=3)] == [BatchSpan(0, 2), BatchSpan(3, 4)]
    assert [each.span for each in batches_in(records, until=99)][-1] == BatchSpan(9, 9)


def test_an_answer_keeps_the_batches_that_hold_what_was_acquired() -> None:
    parts = [batch(0, 3), batch(3, 2), batch(5, 4)]
    records = RecordBytes(b"".join(parts))
    found = batches_in(records, until=99)
    for first, last, expected in ((0, 8, parts), (4, 4, parts[1:2]), (2, 3, parts[:2]), (5, 5, parts[2:])):
        kept = cut(records, found, first=first, last=last)
        assert isinstance(kept, RecordBytes) and kept == b"".join(expected)


def test_what_is_no_batch_is_said_to_be_none() -> None:
    with pytest.raises(CorruptMessage):
        batches_in(RecordBytes(batch(0)[:30]), until=5)


def test_batches_of_aborted_transactions_are_found_by_the_next_marker_of_their_producer() -> None:
    batches = [
        header(0, 1, producer=7),
        header(2, 2, producer=8),
        header(3, 3, producer=7, control=True),
        header(4, 5, producer=7),
        header(6, 6, producer=8),
        header(7, 7, producer=8, control=True),
        header(8, 8, producer=7),
    ]
    assert aborted_among(batches, [(7, 0)]) == [BatchSpan(0, 1)]
    assert aborted_among(batches, [(8, 2), (7, 8)]) == [BatchSpan(2, 2), BatchSpan(6, 6), BatchSpan(8, 8)]
    assert aborted_among(batches, []) == []


@pytest.mark.parametrize(
    ("reset", "expected"),
    [
        ("by_duration:PT1H", 3_600_000),
        ("by_duration:P1DT2H3M4.5S", 93_784_500),
        ("by_duration:PT0.25S", 250),
        ("latest", None),
        ("earliest", None),
    ],
)
def test_how_long_ago_a_group_begins(reset: str, expected: int | None) -> None:
    assert duration_ms(reset) == expected
