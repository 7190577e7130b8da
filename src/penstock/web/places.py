"""Where a reader of a topic begins: at an end of it, at a time, or where a cursor says."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

from penstock.client import AsyncClient, OffsetSpec, TopicInfo, place
from penstock.client.outcomes import one
from penstock.web import cursor
from penstock.web.problems import Problem

EARLIEST: Final = "earliest"
LATEST: Final = "latest"
_MS: Final = re.compile(r"[0-9]{1,15}")
_OFFSET: Final = re.compile(r"offset:([0-9]{1,19})")
CURSOR: Final = r"^[A-Za-z0-9_:.+-]*$"
CURSOR_MAX: Final = 32_768
"""Characters: those of some 5,000 partitions, and what a request's head has room for."""
FORMS: Final = "earliest, latest, a cursor, offset:N (with a partition), or time:T (RFC 3339, or ms since 1970)"


class Begin(NamedTuple):
    topic: TopicInfo
    kind: int
    """Of the cursors that are made of it."""
    offsets: dict[int, int]
    """By partition: where to read from."""

    @property
    def is_whole(self) -> bool:
        return self.kind == cursor.WHOLE

    def cursor(self, offsets: dict[int, int]) -> str:
        return cursor.packed(self.kind, self.topic.id, offsets)


async def begin_of(client: AsyncClient, topic: str, start: str, partition: int | None) -> Begin:
    info = one(await client.describe_topics([topic]))
    wanted = sorted(info.partitions) if partition is None else [partition]
    if partition is not None and partition not in info.partitions:
        raise Problem(404, "unknown-partition", f"{topic} has {len(info.partitions)} partitions, counted from 0")
    kind = cursor.WHOLE if partition is None else cursor.CHOSEN
    if start in (EARLIEST, LATEST):
        spec = OffsetSpec.EARLIEST if start == EARLIEST else OffsetSpec.LATEST
        return Begin(info, kind, await _looked_up(client, topic, wanted, spec))
    if found := _OFFSET.fullmatch(start):
        if partition is None or int(found[1]) > cursor.OFFSET_MAX:
            raise Problem(400, "no-place", "offset:N goes with a partition")
        return Begin(info, kind, {partition: int(found[1])})
    if start.startswith("time:"):
        return Begin(info, kind, await _looked_up(client, topic, wanted, _time_ms(start.removeprefix("time:"))))
    kind, offsets = cursor.unpacked(start, info.id, len(info.partitions))
    if kind == cursor.WHOLE and (new := [each for each in info.partitions if each not in offsets]):
        offsets |= await _looked_up(client, topic, new, OffsetSpec.EARLIEST)  # they were added since
    if partition is not None:
        if partition not in offsets:
            raise Problem(400, "no-place", f"The cursor is not about partition {partition}")
        return Begin(info, cursor.CHOSEN, {partition: offsets[partition]})
    return Begin(info, kind, offsets)


async def _looked_up(client: AsyncClient, topic: str, partitions: Sequence[int], at: int) -> dict[int, int]:
    found = (await client.list_offsets({place(topic, each): at for each in partitions}, read_committed=True)).all()
    offsets: dict[int, int] = {where.partition: each.offset for where, each in found.items()}
    late = [partition for partition, offset in offsets.items() if offset < 0]  # no record is that young
    return offsets | await _looked_up(client, topic, late, OffsetSpec.LATEST) if late else offsets


def _time_ms(text: str) -> int:
    if _MS.fullmatch(text):
        return int(text)
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        when = None
    if when is None or when.tzinfo is None or when.timestamp() < 0:
        raise Problem(400, "no-time", "A time is RFC 3339 with a zone (2026-11-19T12:00:00Z), or ms since 1970")
    return int(when.timestamp() * 1000)
