"""The dead letter of a record, and how many go out together. Pure."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

import msgspec

from penstock.delivery.relay.batches import moved, size_of
from penstock.delivery.shares.archiving import Given, Reason, reason_of
from penstock.wire.records import Header, Record

RECORDS_MAX: Final = 500
"""In one intent: its note of them stays small however scattered they are."""
BYTES_MAX: Final = 900_000
ADDED_BYTES: Final = 128
"""What a batch itself takes, and the time that is added."""

PREFIX: Final = "__dlq.errors."
MESSAGES: Final[Mapping[Reason, str]] = {
    Reason.NONE: "Given up.",
    Reason.REJECTED: "Offset rejected by client.",
    Reason.DELIVERY_LIMIT: "Offset delivery count exceeded the threshold.",
    Reason.LOCK_TIMEOUT: "Acquisition lock timed out.",
    Reason.EXPIRED: "Offset expired before it was acquired.",
}
"""Apache Kafka's words, where it has them."""


class Origin(msgspec.Struct, frozen=True):
    """Where the records of a share partition come from."""

    group: str
    topic: str
    partition: int


class Letter(msgspec.Struct, frozen=True):
    record: Record
    is_pointer: bool
    """It says only where the record is, though it was to hold it."""

    @property
    def size(self) -> int:
        return size_of(self.record)


def headers_of(origin: Origin, offset: int, reason: Reason, deliveries: int) -> tuple[Header, ...]:
    """Kafka's six."""
    values = {
        "topic": origin.topic,
        "partition": str(origin.partition),
        "offset": str(offset),
        "group": origin.group,
        "message": MESSAGES[reason],
        "delivery.count": str(deliveries),
    }
    return tuple((PREFIX + name, value.encode()) for name, value in values.items())


def letter(
    origin: Origin, offset: int, reason: Reason, deliveries: int, record: Record | None, *, copies: bool, size_max: int
) -> Letter:
    """`record`: None where the log has it no longer. Its own headers come first."""
    headers = headers_of(origin, offset, reason, deliveries)
    if record is not None and copies:
        whole = moved(record, (*record.headers, *headers))
        if size_of(whole) + ADDED_BYTES <= size_max:
            return Letter(whole, is_pointer=False)
    empty = Record(0, 0 if record is None else record.timestamp, None, None, ())
    return Letter(moved(empty, headers), is_pointer=copies)


def letters(
    origin: Origin, rows: Sequence[Given], found: Mapping[int, Record], *, copies: bool, size_max: int
) -> list[Letter]:
    """One for each record of these rows, be it there or not."""
    return [
        letter(origin, offset, reason_of(state), count, found.get(offset), copies=copies, size_max=size_max)
        for first, last, state, count in rows
        for offset in range(first, last + 1)
    ]


def choose(
    rows: Sequence[Given], looked_at: Collection[int], sizes: Mapping[int, int], size_max: int
) -> tuple[list[Given], list[Given]]:
    """Which records one batch takes, and of the offsets passed those that have none (control batches, compaction).

    `looked_at`: offsets that were looked for in the log. `sizes`: of the letters, for those that were found.
    """
    chosen: list[Given] = []
    nothing: list[Given] = []
    count = size = 0
    size_max = min(size_max, BYTES_MAX) - ADDED_BYTES
    for first, last, state, deliveries in rows:
        for offset in range(first, last + 1):
            if offset not in looked_at:
                continue
            if offset not in sizes:
                _add(nothing, offset, state, deliveries)
                continue
            size += sizes[offset]
            if chosen and (size > size_max or count >= RECORDS_MAX):
                return chosen, nothing
            _add(chosen, offset, state, deliveries)
            count += 1
    return chosen, nothing


def _add(rows: list[Given], offset: int, state: int, deliveries: int) -> None:
    if rows and rows[-1][1] + 1 == offset and rows[-1][2:] == (state, deliveries):
        rows[-1] = (rows[-1][0], offset, state, deliveries)
    else:
        rows.append((offset, offset, state, deliveries))
