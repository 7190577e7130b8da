"""Moments as people write them."""

from datetime import datetime

import pytest

from penstock.cli.records import parse_time

NOW_MS = 1_700_000_000_000


@pytest.mark.parametrize(
    ("text", "expected_ms"),
    [
        ("now", NOW_MS),
        ("10m", NOW_MS - 600_000),
        ("2h30m", NOW_MS - 9_000_000),
        ("1d ago", NOW_MS - 86_400_000),
        ("1w", NOW_MS - 604_800_000),
        ("250ms", NOW_MS - 250),
        ("1699999999999", 1_699_999_999_999),
        ("2023-11-14T22:13:20+00:00", NOW_MS),
        ("2023-11-14T22:13:20Z", NOW_MS),
        ("2023-11-14T23:13:20+01:00", NOW_MS),
    ],
)
def test_a_time_is_milliseconds_since_1970(text: str, expected_ms: int) -> None:
    assert parse_time(text, now_ms=NOW_MS) == expected_ms


def test_a_time_without_a_zone_is_local_time() -> None:
    local = datetime(2023, 11, 14, 12, 0)
    assert parse_time("2023-11-14T12:00", now_ms=NOW_MS) == int(local.timestamp() * 1_000)


@pytest.mark.parametrize("text", ["", "yesterday", "10x", "2023-13-01", "-5m"])
def test_what_is_no_time_is_refused_with_examples(text: str) -> None:
    with pytest.raises(ValueError, match="is no time: write 2026-01-31T12:00"):
        parse_time(text, now_ms=NOW_MS)
