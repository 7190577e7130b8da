"""When a recurring record is due: cron expressions of six fields, and @every. Pure.

    second minute hour day-of-month month day-of-week      0 30 9 * * MON-FRI
    @every 90s | 15m | 12h | 1h30m                          @hourly @daily @weekly @monthly @yearly

A field is * or ?, a number, a name (JAN, MON), a range, a list, each with /step. Day of week counts from Sunday, which
is 0 or 7. Where both days are restricted, either will do, as in every cron since 1987.

A time that the clocks skip in spring is that much later. One that comes twice in autumn is due the first time; but an
expression of every hour is due through both hours. Own, and not a library: those that exist guess differently at
both, or need more than they are worth here.
"""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Final, NamedTuple

LENGTH_MAX: Final = 256
YEARS_MAX: Final = 9
"""29 February on a given day of the week may be so far away; what never comes is found out by then."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MONTH_NAMES: Final = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_MONTHS: Final = {name: number for number, name in enumerate(_MONTH_NAMES, 1)}
_DAYS_OF: Final = dict(zip(_MONTHS.values(), (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31), strict=True))
_DAYS: Final = {name: number for number, name in enumerate(("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"))}
_ALIASES: Final = {
    "@hourly": "0 0 * * * *",
    "@daily": "0 0 0 * * *",
    "@midnight": "0 0 0 * * *",
    "@weekly": "0 0 0 * * 0",
    "@monthly": "0 0 0 1 * *",
    "@yearly": "0 0 0 1 1 *",
    "@annually": "0 0 0 1 1 *",
}
_EVERY: Final = re.compile(r"(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?(?:(\d{1,9})ms)?")
_UNITS: Final = (86_400_000, 3_600_000, 60_000, 1_000, 1)
EVERY_MS_MIN: Final = 1_000


class _Field(NamedTuple):
    name: str
    low: int
    high: int
    names: dict[str, int]


_FIELDS: Final = (
    _Field("second", 0, 59, {}),
    _Field("minute", 0, 59, {}),
    _Field("hour", 0, 23, {}),
    _Field("day of month", 1, 31, {}),
    _Field("month", 1, 12, _MONTHS),
    _Field("day of week", 0, 7, _DAYS),
)


class Every(NamedTuple):
    every_ms: int

    def next_after(self, at_ms: int) -> int | None:
        return at_ms + self.every_ms


class Cron(NamedTuple):
    seconds: tuple[int, ...]
    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    month_days: frozenset[int]
    months: frozenset[int]
    week_days: frozenset[int]
    either_day: bool
    zone: tzinfo

    def next_after(self, at_ms: int) -> int | None:
        """None where it never is again."""
        here = (_EPOCH + timedelta(milliseconds=at_ms)).astimezone(self.zone)
        if len(self.hours) == 24 and (found := self._next_of_any_hour(here)) is not None:
            return found
        naive = here.replace(tzinfo=None, fold=0)
        while (found_naive := self._next_naive(naive)) is not None:
            found = _millis(found_naive.replace(tzinfo=self.zone))
            if found > at_ms:
                return found
            naive = found_naive  # the second time that the clocks show it
        return None

    def _next_of_any_hour(self, here: datetime) -> int | None:
        """By the offset that holds now: clocks that change keep their minutes, nearly everywhere."""
        fixed = timezone(here.utcoffset() or timedelta())
        found = self._next_naive(here.replace(tzinfo=None, fold=0))
        if found is None:
            return None
        at = found.replace(tzinfo=fixed)
        return _millis(at) if self._matches(at.astimezone(self.zone)) else None

    def _matches(self, at: datetime) -> bool:
        return self._is_day(at) and at.hour in self.hours and at.minute in self.minutes and at.second in self.seconds

    def _is_day(self, at: datetime) -> bool:
        if at.month not in self.months:
            return False
        by_month, by_week = at.day in self.month_days, at.isoweekday() % 7 in self.week_days
        return by_month or by_week if self.either_day else by_month and by_week

    def _next_naive(self, after: datetime) -> datetime | None:
        """The next time on the clock, whatever the clocks do meanwhile."""
        at = after.replace(microsecond=0) + timedelta(seconds=1)
        day, last_year = at.replace(hour=0, minute=0, second=0), at.year + YEARS_MAX
        while day.year <= last_year:
            if day.month not in self.months:
                year, month = (day.year + 1, 1) if day.month == 12 else (day.year, day.month + 1)
                if year > 9998:
                    return None
                day = day.replace(year=year, month=month, day=1)
                continue
            if self._is_day(day):
                found = self._time_on(day, at if at.date() == day.date() else day)
                if found is not None:
                    return found
            if day.year >= 9998:
                return None
            day += timedelta(days=1)
        return None

    def _time_on(self, day: datetime, at: datetime) -> datetime | None:
        """The first time of a day that is not before `at`."""
        for hour in self.hours:
            if hour < at.hour:
                continue
            for minute in self.minutes:
                if (hour, minute) < (at.hour, at.minute):
                    continue
                for second in self.seconds:
                    if (hour, minute, second) >= (at.hour, at.minute, at.second):
                        return day.replace(hour=hour, minute=minute, second=second)
        return None


Recurrence = Every | Cron


def _millis(at: datetime) -> int:
    return (at - _EPOCH) // timedelta(milliseconds=1)


def parse(text: str, zone: tzinfo = UTC) -> Recurrence:
    """ValueError says what is wrong."""
    if len(text) > LENGTH_MAX:
        raise ValueError(f"a cron expression has at most {LENGTH_MAX} characters, this one has {len(text)}")
    if text.startswith("@every"):
        return _every(text.removeprefix("@every").strip())
    text = _ALIASES.get(text.strip().lower(), text)
    words = text.split()
    if len(words) != len(_FIELDS):
        raise ValueError(f"a cron expression has six fields, from second to day of week; {text!r} has {len(words)}")
    sets = [_parse_field(field, word) for field, word in zip(_FIELDS, words, strict=True)]
    week_days = frozenset(day % 7 for day in sets[5])
    either = words[3][0] not in "*?" and words[5][0] not in "*?"
    cron = Cron(
        tuple(sorted(sets[0])),
        tuple(sorted(sets[1])),
        tuple(sorted(sets[2])),
        frozenset(sets[3]),
        frozenset(sets[4]),
        week_days,
        either,
        zone,
    )
    if not either and min(sets[3]) > max(_DAYS_OF[month] for month in sets[4]):
        raise ValueError(f"{text!r} names a day that never comes")
    return cron


def _every(text: str) -> Every:
    match = _EVERY.fullmatch(text)
    if not text or match is None:
        raise ValueError(f"@every takes a time as 90s, 15m or 1h30m, not {text!r}")
    every_ms = sum(int(number or 0) * unit for number, unit in zip(match.groups(), _UNITS, strict=True))
    if every_ms < EVERY_MS_MIN:
        raise ValueError(f"@every is at least {EVERY_MS_MIN} ms, {text!r} is {every_ms}")
    return Every(every_ms)


def _parse_field(field: _Field, text: str) -> set[int]:
    found: set[int] = set()
    for part in text.split(","):
        span, slash, step_text = part.partition("/")
        step = _number(field, step_text, "a step") if slash else 1
        if step < 1:
            raise ValueError(f"the {field.name} has a step of {step}")
        if span in ("*", "?"):
            low, high = field.low, field.high
        else:
            low_text, dash, high_text = span.partition("-")
            low = _value(field, low_text)
            high = _value(field, high_text) if dash else field.high if slash else low
            if field.names is _DAYS and high < low and high == 0:
                high = 7  # FRI-SUN
            if high < low:
                raise ValueError(f"the {field.name} goes from {low} to {high}")
        found |= set(range(low, high + 1, step))
    return found


def _value(field: _Field, text: str) -> int:
    value = field.names.get(text.upper())
    if value is None:
        value = _number(field, text, "a value")
    if not field.low <= value <= field.high:
        raise ValueError(f"the {field.name} is from {field.low} to {field.high}, not {value}")
    return value


def _number(field: _Field, text: str, what: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 4:
        raise ValueError(f"the {field.name} has {text!r} for {what}")
    return int(text)
