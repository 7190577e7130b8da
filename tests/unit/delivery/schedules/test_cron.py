from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from penstock.delivery.schedules import cron


def ms(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp() * 1000)


def following(text: str, zone: str, after: str, count: int) -> list[str]:
    recurrence = cron.parse(text, ZoneInfo(zone))
    at, found = ms(after), []
    for _ in range(count):
        following_at = recurrence.next_after(at)
        assert following_at is not None
        at = following_at
        found.append(datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
    return found


@pytest.mark.parametrize(
    ("text", "zone", "after", "expected"),
    [
        ("*/20 * * * * *", "UTC", "2026-01-01T00:00:05Z", ["2026-01-01T00:00:20Z", "2026-01-01T00:00:40Z"]),
        ("0 30 9 * * MON-FRI", "UTC", "2026-11-20T09:30:00Z", ["2026-11-23T09:30:00Z", "2026-11-24T09:30:00Z"]),
        ("0 0 0 29 2 ?", "UTC", "2026-01-01T00:00:00Z", ["2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"]),
        ("0 0 12 1 JAN,JUL *", "UTC", "2026-01-01T12:00:00Z", ["2026-07-01T12:00:00Z", "2027-01-01T12:00:00Z"]),
        ("0 0 0 13 * FRI", "UTC", "2026-02-01T00:00:00Z", ["2026-02-06T00:00:00Z", "2026-02-13T00:00:00Z"]),
        ("0 0 8 * * 7", "UTC", "2026-11-19T00:00:00Z", ["2026-11-22T08:00:00Z", "2026-11-29T08:00:00Z"]),
        ("0 0 8 * * FRI-SUN", "UTC", "2026-11-21T09:00:00Z", ["2026-11-22T08:00:00Z", "2026-11-27T08:00:00Z"]),
        ("@hourly", "UTC", "2026-11-19T00:00:00.5Z", ["2026-11-19T01:00:00Z", "2026-11-19T02:00:00Z"]),
        ("@every 1h30m", "UTC", "2026-11-19T00:00:00Z", ["2026-11-19T01:30:00Z", "2026-11-19T03:00:00Z"]),
        # The clocks of Berlin skip from 2 to 3 on 29 March 2026, and go back from 3 to 2 on 25 October.
        ("0 30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", ["2026-03-29T01:30:00Z", "2026-03-30T00:30:00Z"]),
        ("0 30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"]),
        ("0 0 9 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", ["2026-03-29T07:00:00Z", "2026-03-30T07:00:00Z"]),
        ("0 */30 * * * *", "Europe/Berlin", "2026-03-29T00:30:00Z", ["2026-03-29T01:00:00Z", "2026-03-29T01:30:00Z"]),
        (
            "0 */30 * * * *",
            "Europe/Berlin",
            "2026-10-25T00:00:00Z",
            ["2026-10-25T00:30:00Z", "2026-10-25T01:00:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:00:00Z"],
        ),
        # Those of Lord Howe Island change by half an hour.
        (
            "0 0 * * * *",
            "Australia/Lord_Howe",
            "2026-04-04T14:00:00Z",
            ["2026-04-04T15:30:00Z", "2026-04-04T16:30:00Z"],
        ),
    ],
)
def test_the_next_times(text: str, zone: str, after: str, expected: list[str]) -> None:
    assert following(text, zone, after, len(expected)) == expected


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("soon", "six fields"),
        ("* * * * *", "six fields"),
        ("60 * * * * *", "from 0 to 59"),
        ("* * 24 * * *", "from 0 to 23"),
        ("* * * 0 * *", "from 1 to 31"),
        ("* * * * 13 *", "from 1 to 12"),
        ("* * * * * 8", "from 0 to 7"),
        ("*/0 * * * * *", "step of 0"),
        ("5-1 * * * * *", "goes from 5 to 1"),
        ("x * * * * *", "'x' for a value"),
        ("², * * * * *", "for a value"),
        ("0 0 0 31 2 *", "never comes"),
        ("0 0 0 30-31 2 ?", "never comes"),
        ("0 0 0 31 2,4,6,9,11 *", "never comes"),
        ("@every", "@every takes"),
        ("@every soon", "@every takes"),
        ("@every 10ms", "at least"),
        ("0 " * 200, "characters"),
    ],
)
def test_what_is_no_expression_is_refused_in_words(text: str, what: str) -> None:
    with pytest.raises(ValueError, match=what):
        cron.parse(text)


@pytest.mark.parametrize("text", ["0 0 0 29 2 *", "0 0 0 30 2,4 *", "0 0 0 31 */2 *", "0 0 0 31 2 MON"])
def test_a_rare_day_comes(text: str) -> None:
    """Also where the day of the month is none of that month's: a day of the week will do then."""
    assert cron.parse(text).next_after(ms("2096-03-01T00:00:00Z")) is not None


def test_each_time_is_later_than_the_one_before_it_through_years_of_changing_clocks() -> None:
    for text in ("0 */7 * * * *", "0 15 1,2,3 * * *", "30 59 23 * * *"):
        for zone in ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"):
            recurrence = cron.parse(text, ZoneInfo(zone))
            at = ms("2026-03-07T00:00:00Z")
            for _ in range(600):
                following_at = recurrence.next_after(at)
                assert following_at is not None and following_at > at
                at = following_at
