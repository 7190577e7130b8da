"""Offsets committed within transactions that are still open: they count when the marker says so, and until then make
what was committed before them unstable.

Of several commits for one place the one that is written last counts, not the one whose transaction ends last:
compaction keeps the last one written, and replaying what it left must come to the same. So a pending offset is outdone
by a plain commit after it, and by a later one of another transaction that commits first.
"""

from collections.abc import Iterator

import msgspec

from penstock.coordinators.groups.records import OffsetRecord

Place = tuple[str, str, int]
"""Group, topic and partition."""


class PendingOffset(msgspec.Struct, gc=False):
    kept: OffsetRecord
    order: int
    """Counts up with every pending offset: which of two was written later."""
    is_outdone: bool = False


def place_of(kept: OffsetRecord) -> Place:
    return (kept.group_id, kept.topic, kept.partition)


class PendingOffsets:
    def __init__(self) -> None:
        self._by_producer: dict[int, dict[Place, PendingOffset]] = {}
        self._by_group: dict[str, dict[tuple[str, int], dict[int, None]]] = {}
        """The producers with something pending, by group, then by topic and partition."""
        self._written = 0

    def __len__(self) -> int:
        return sum(map(len, self._by_producer.values()))

    def __iter__(self) -> Iterator[OffsetRecord]:
        for places in self._by_producer.values():
            yield from (pending.kept for pending in places.values())

    # Questions --------------------------------------------------------------------------------------------------

    def is_open(self, group_id: str) -> bool:
        return group_id in self._by_group

    def has(self, group_id: str, topic: str, partition: int) -> bool:
        of_group = self._by_group.get(group_id)
        return of_group is not None and (topic, partition) in of_group

    def of_group(self, group_id: str) -> list[tuple[str, int]]:
        return list(self._by_group.get(group_id, ()))

    def of_topic(self, topic: str) -> Iterator[OffsetRecord]:
        return (kept for kept in self if kept.topic == topic)

    # Changes ----------------------------------------------------------------------------------------------------

    def add(self, producer_id: int, kept: OffsetRecord) -> None:
        self._written += 1
        self._by_producer.setdefault(producer_id, {})[place_of(kept)] = PendingOffset(kept, self._written)
        self._by_group.setdefault(kept.group_id, {}).setdefault((kept.topic, kept.partition), {})[producer_id] = None

    def outdo(self, place: Place, before: int | None = None) -> None:
        """Something that counts was written for this place, after those before it (None: after all of them)."""
        for producer_id in self._producers(place):
            pending = self._by_producer[producer_id][place]
            if before is None or pending.order < before:
                pending.is_outdone = True

    def forget(self, place: Place) -> None:
        """What was committed for this place is taken back, and what would be with it."""
        for producer_id in list(self._producers(place)):
            self._drop(producer_id, place)

    def end(self, producer_id: int, *, is_committed: bool) -> list[OffsetRecord]:
        """The transaction is over: the offsets that count now."""
        ended = dict(self._by_producer.get(producer_id, ()))
        for place in ended:
            self._drop(producer_id, place)
        if not is_committed:
            return []
        counting = [(place, pending) for place, pending in ended.items() if not pending.is_outdone]
        for place, pending in counting:
            self.outdo(place, before=pending.order)
        return [pending.kept for _, pending in counting]

    def _producers(self, place: Place) -> dict[int, None]:
        group_id, topic, partition = place
        of_group = self._by_group.get(group_id)
        return {} if of_group is None else of_group.get((topic, partition), {})

    def _drop(self, producer_id: int, place: Place) -> None:
        group_id, topic, partition = place
        places = self._by_producer[producer_id]
        del places[place]
        if not places:
            del self._by_producer[producer_id]
        of_group = self._by_group[group_id]
        producers = of_group[topic, partition]
        del producers[producer_id]
        if not producers:
            del of_group[topic, partition]
        if not of_group:
            del self._by_group[group_id]
