"""Records that are older than their own header allows when somebody would get them. Pure."""

from collections.abc import Iterable, Sequence
from math import inf
from typing import Final

from penstock.delivery.shares.acquiring import Acquired
from penstock.delivery.shares.archiving import Reason
from penstock.delivery.shares.ranges import ACQUIRED, AVAILABLE, NOBODY, Before, Step, Window
from penstock.delivery.shares.rules import ShareRules
from penstock.wire.batch import BatchHeader
from penstock.wire.malformed import Malformed
from penstock.wire.records import Record, iterate

TTL: Final = "penstock-ttl-ms"
DIGITS_MAX: Final = 18


def expired_in(data: bytes, acquired: Sequence[Acquired], now_ms: int) -> tuple[list[int], int]:
    """The offsets of those of the acquired records that are too old, and how many say nonsense of how old they may be:
    these live on, as nobody knows what was meant.
    """
    expired: list[int] = []
    nonsense = 0
    for record in _records(data, acquired):
        for name, value in record.headers:
            if name == TTL:
                ttl_ms = _parsed(value)
                if ttl_ms is None:
                    nonsense += 1
                elif now_ms - record.timestamp > ttl_ms:
                    expired.append(record.offset)
                break
    return expired, nonsense


def _parsed(value: bytes | None) -> int | None:
    if value is None or not value.isdigit() or len(value) > DIGITS_MAX:
        return None
    return int(value)


def _records(data: bytes, acquired: Sequence[Acquired]) -> Iterable[Record]:
    position = place = 0
    while position < len(data) and place < len(acquired):
        header = BatchHeader.peek(data, position)
        batch = data[position : position + header.size]
        position += header.size
        while place < len(acquired) and acquired[place].last < header.base_offset:
            place += 1
        if place == len(acquired) or header.is_control or acquired[place].first > header.last_offset:
            continue
        try:
            records = list(iterate(batch))
        except Malformed:
            continue  # whoever gets it will say so
        yield from (each for each in records if any(one.first <= each.offset <= one.last for one in acquired[place:]))


def give_up(
    window: Window, acquired: Sequence[Acquired], expired: Sequence[int], rules: ShareRules
) -> tuple[list[Acquired], Step]:
    """What is left of what was acquired just now; and what is to be written: those records were never delivered."""
    step = Step()
    state = rules.given_up(Reason.EXPIRED)
    for first, last in _runs(expired):
        for each in window.within(first, last):
            if each.state == ACQUIRED and each.step is None:
                each.before = Before(AVAILABLE, each.count - 1, NOBODY, -inf)
                each.step = step
                step.ranges.append(each)
                window.change(each, state, each.count - 1)
                step.row(each.first, each.last, state, each.count)
    gone = set(expired)
    left = [piece for each in acquired for piece in _without(each, gone)]
    return left, step


def _runs(offsets: Sequence[int]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for offset in offsets:
        if runs and runs[-1][1] + 1 == offset:
            runs[-1] = (runs[-1][0], offset)
        else:
            runs.append((offset, offset))
    return runs


def _without(acquired: Acquired, gone: set[int]) -> list[Acquired]:
    kept = [offset for offset in range(acquired.first, acquired.last + 1) if offset not in gone]
    return [Acquired(first, last, acquired.deliveries) for first, last in _runs(kept)]
