"""What a record of a schedule topic asks for, by its headers. Pure.

    penstock-deliver-at    epoch milliseconds, or RFC 3339 with an offset
    penstock-delay-ms      so long after the record's timestamp
    penstock-cron          again and again (cron.py), with penstock-time-zone and penstock-missed
    penstock-schedule-id   a name, with the record's key, by which it can be cancelled

A record without value that has a key and an id, and says no time, cancels what waits under them; with the header
penstock-fire-now it makes that due at once.
"""

import re
from datetime import UTC, datetime, timedelta, tzinfo
from enum import Enum
from hashlib import blake2b
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from penstock.delivery.schedules import cron
from penstock.delivery.schedules.retries import RetryRules
from penstock.wire.records import Record

DELIVER_AT: Final = "penstock-deliver-at"
DELAY_MS: Final = "penstock-delay-ms"
CRON: Final = "penstock-cron"
TIME_ZONE: Final = "penstock-time-zone"
MISSED: Final = "penstock-missed"
SCHEDULE_ID: Final = "penstock-schedule-id"
FIRE_NOW: Final = "penstock-fire-now"
HEADERS: Final = frozenset((DELIVER_AT, DELAY_MS, CRON, TIME_ZONE, MISSED, SCHEDULE_ID, FIRE_NOW))
"""They have acted when a record is fired, and do not travel."""

_TIMES: Final = (DELIVER_AT, DELAY_MS, CRON)
_RFC_3339: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_ID_BYTES_MAX: Final = 1024
NUMBER_MAX: Final = 1 << 53
"""Milliseconds; later than any calendar. Nothing is due later: what waits is kept as int64s."""


class Missed(Enum):
    """What of a recurring record's times passed while nobody could fire it."""

    ONCE = "once"
    SKIP = "skip"
    ALL = "all"


class Plan(msgspec.Struct, frozen=True, gc=False):
    due_ms: int
    id: bytes | None = None
    """A digest of key and id."""
    recurrence: cron.Recurrence | None = None
    missed: Missed = Missed.ONCE


class Cancel(msgspec.Struct, frozen=True, gc=False):
    id: bytes
    fires_at: int | None = None
    """What waits is not cancelled, but due then."""


Delay = int | RetryRules
"""How long records wait that say no time: milliseconds, -1 where they must say it, or by how often they failed."""


def read(record: Record, *, delay: Delay, stamped_ms: int | None = None) -> Plan | Cancel:
    """ValueError says what is wrong. `stamped_ms`: the time that the log will put on the record, where it does."""
    said: dict[str, str] = {}
    for name, value in record.headers:
        if name in HEADERS:
            if name in said:
                raise ValueError(f"{name} comes twice")
            said[name] = _text(name, value)
    times = [name for name in _TIMES if name in said]
    if len(times) > 1:
        raise ValueError(f"{times[0]} and {times[1]} exclude each other")
    schedule_id = _id(record, said)
    if record.value is None and schedule_id is not None:
        if times or TIME_ZONE in said or MISSED in said:
            raise ValueError(f"a record without value that has {SCHEDULE_ID} cancels: it takes no time")
        return Cancel(schedule_id, min(max(record.timestamp, 0), NUMBER_MAX) if FIRE_NOW in said else None)
    if FIRE_NOW in said:
        raise ValueError(f"{FIRE_NOW} is for records without value, with a key and {SCHEDULE_ID}")
    timestamp = record.timestamp if stamped_ms is None else stamped_ms
    if CRON in said:
        return _recurring(said, timestamp, schedule_id)
    for name in (TIME_ZONE, MISSED):
        if name in said:
            raise ValueError(f"{name} goes with {CRON}")
    if DELIVER_AT in said:
        return Plan(_moment(said[DELIVER_AT]), schedule_id)
    if DELAY_MS in said:
        delay_ms = _number(DELAY_MS, said[DELAY_MS])
    elif isinstance(delay, RetryRules):
        delay_ms = delay.delay_ms(record)
    elif delay >= 0:
        delay_ms = delay
    else:
        raise ValueError(f"the record says no time: it needs {DELIVER_AT}, {DELAY_MS} or {CRON}")
    return Plan(_within(_stamp(timestamp) + delay_ms), schedule_id)


def digest(key: bytes, schedule_id: bytes) -> bytes:
    return blake2b(len(key).to_bytes(4, "big") + key + schedule_id, digest_size=16).digest()


def _id(record: Record, said: dict[str, str]) -> bytes | None:
    if SCHEDULE_ID not in said:
        return None
    name = said[SCHEDULE_ID].encode()
    if record.key is None:
        raise ValueError(f"{SCHEDULE_ID} needs a key, so that a cancel comes to the same partition")
    if not 0 < len(name) <= _ID_BYTES_MAX:
        raise ValueError(f"{SCHEDULE_ID} has 1 to {_ID_BYTES_MAX} bytes, this one {len(name)}")
    return digest(record.key, name)


def _recurring(said: dict[str, str], timestamp: int, schedule_id: bytes | None) -> Plan:
    zone = _zone(said.get(TIME_ZONE, "UTC"))
    recurrence = cron.parse(said[CRON], zone)
    try:
        missed = Missed(said.get(MISSED, "once"))
    except ValueError:
        raise ValueError(f"{MISSED} is once, skip or all, not {said[MISSED]!r}") from None
    try:
        due_ms = recurrence.next_after(_stamp(timestamp))
    except (OverflowError, ValueError):
        raise ValueError(f"no calendar knows the record's timestamp {timestamp}") from None
    if due_ms is None:
        raise ValueError(f"{said[CRON]!r} is never due")
    return Plan(_within(due_ms), schedule_id, recurrence, missed)


def _zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(f"{TIME_ZONE}: there is no time zone {name!r}") from None


def _within(due_ms: int) -> int:
    if due_ms > NUMBER_MAX:
        raise ValueError(f"no calendar has the time at which it is due, {due_ms}")
    return due_ms


def _stamp(timestamp: int) -> int:
    if timestamp < 0:
        raise ValueError("a record without a timestamp has nothing to count from")
    return timestamp


def _text(name: str, value: bytes | None) -> str:
    try:
        return (value or b"").decode()
    except UnicodeDecodeError:
        raise ValueError(f"{name} is not UTF-8") from None


def _number(name: str, text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 16 or int(text) > NUMBER_MAX:
        raise ValueError(f"{name} is a number of milliseconds, not {text[:100]!r}")
    return int(text)


def _moment(text: str) -> int:
    if text.isascii() and text.isdigit():
        return _number(DELIVER_AT, text)
    if _RFC_3339.fullmatch(text) is None:
        raise ValueError(f"{DELIVER_AT} is epoch milliseconds or as 2027-01-31T09:00:00+01:00, not {text[:100]!r}")
    try:
        at = datetime.fromisoformat(text.upper())
        return max(0, -((_EPOCH - at) // timedelta(milliseconds=1)))
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{DELIVER_AT}: {text[:100]!r} is no time: {error}") from None
