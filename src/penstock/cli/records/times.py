"""Moments as people write them: ISO 8601, "10m" ago, or milliseconds since 1970."""

import re
from datetime import datetime

_UNITS_MS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}
_PART = re.compile(r"(\d+)\s*(ms|s|m|h|d|w)")
_LENGTH = re.compile(rf"(?:{_PART.pattern}\s*)+")


def parse_length_ms(text: str) -> int:
    """A length of time in milliseconds."""
    text = text.strip()
    if not _LENGTH.fullmatch(text):
        raise ValueError(f"{text!r} is no length of time: write 90s, 10m, 2h30m or 7d")
    return sum(int(count) * _UNITS_MS[unit] for count, unit in _PART.findall(text))


def parse_time(text: str, *, now_ms: int) -> int:
    """Milliseconds since 1970. An ISO time without a zone is local time, as the person's own clock shows it."""
    text = text.strip()
    if text == "now":
        return now_ms
    if text.isdigit():
        return int(text)
    relative = text.removesuffix("ago").strip()
    if _LENGTH.fullmatch(relative):
        return now_ms - parse_length_ms(relative)
    try:
        return int(datetime.fromisoformat(text).timestamp() * 1_000)
    except ValueError:
        raise ValueError(
            f"{text!r} is no time: write 2026-01-31T12:00, 2026-01-31T12:00:00+01:00, a length of time back "
            f"from now such as 90s, 10m, 2h30m or 7d, or milliseconds since 1970"
        ) from None
