"""What a member of a share group says of the records it was lent, and how that is told to their broker.

A broker lends ranges of offsets. Each offset is acknowledged, also those without a record (a transaction's marker, what
compaction left out): else it stays lent until its time is over.
"""

from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import Final

from penstock.client.records.fetched import ConsumedRecord


class Ack(IntEnum):
    ACCEPT = 1
    """Done: nobody of the group gets it again."""
    RELEASE = 2
    """Not done: it is lent again, to anybody, unless it was lent as often as the group may."""
    REJECT = 3
    """Never to be done: nobody of the group gets it again."""
    RENEW = 4
    """Still at work: its time begins anew."""


GAP: Final = 0
"""There is no record at this offset. Said by the client itself."""


class SharedRecord(ConsumedRecord, frozen=True, gc=False):
    delivery_count: int = 1
    """How often it was lent, this time included."""


Acks = dict[int, int]
"""What is said of each offset of a partition."""


def ack_ranges(acks: Mapping[int, int]) -> list[tuple[int, int, list[int]]]:
    """First offset, last offset, and what is said: one word for all, or one for each."""
    ranges: list[tuple[int, int, list[int]]] = []
    for offset in sorted(acks):
        first, last, said = ranges[-1] if ranges else (offset, offset - 2, [])
        if last + 1 == offset:
            said.append(acks[offset])
            ranges[-1] = (first, offset, said)
        else:
            ranges.append((offset, offset, [acks[offset]]))
    return [(first, last, said[:1] if len(set(said)) == 1 else said) for first, last, said in ranges]


def lent(
    records: Iterable[ConsumedRecord], ranges: Iterable[tuple[int, int, int]], *, read_to: int
) -> tuple[list[SharedRecord], Acks]:
    """The records that were lent, and what is to be said at once of the other offsets.

    `ranges`: first and last offset, and how often lent. Batches come whole, with records that are lent to others or
    done. What is lent, but from `read_to` on, could not be read: it is given back.
    """
    by_offset = {each.offset: each for each in records}
    shown: list[SharedRecord] = []
    acks: Acks = {}
    for first, last, count in ranges:
        for offset in range(first, last + 1):
            found = by_offset.get(offset)
            if found is None:
                acks[offset] = GAP if offset < read_to else Ack.RELEASE
                continue
            shown.append(
                SharedRecord(
                    found.topic, found.partition, offset, found.timestamp_ms, found.key, found.value, found.headers,
                    found.leader_epoch, count,
                )
            )  # fmt: skip
    return shown, acks
