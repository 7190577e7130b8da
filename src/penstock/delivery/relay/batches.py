"""The batch that goes out for an intent. Pure."""

from collections.abc import Sequence
from typing import Final

from penstock.wire.compression import LZ4
from penstock.wire.records import Header, Record, build_batch

SENT_AT: Final = "penstock-sent-at"
COMPRESSED_FROM: Final = 16 * 1024


def moved(record: Record, headers: Sequence[Header]) -> Record:
    """`headers` are all that it has from now on, but for when it was sent first."""
    sent_at = (SENT_AT, b"%d" % record.timestamp)
    return Record(0, 0, record.key, record.value, (*headers, sent_at))


def size_of(record: Record) -> int:
    """About what a record takes of a batch, never less."""
    headers = sum(len(name) * 4 + len(value or b"") + 10 for name, value in record.headers)
    return 64 + len(record.key or b"") + len(record.value or b"") + headers


def build(records: Sequence[Record], *, producer_id: int, epoch: int, sequence: int, now: int, size: int) -> bytearray:
    """With the time of now: by their own records might be too old for the target to keep them at all."""
    numbered = [Record(place, now, record.key, record.value, record.headers) for place, record in enumerate(records)]
    return build_batch(
        numbered,
        compression=LZ4 if size >= COMPRESSED_FROM else 0,
        level=1,
        producer_id=producer_id,
        producer_epoch=epoch,
        base_sequence=sequence,
    )
