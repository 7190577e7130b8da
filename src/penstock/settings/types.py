"""The kinds of value a setting can have: how each is read from text and written back, exactly as Kafka does.

`parse` raises ValueError with words that tell what would have been right; `format` gives the text that Kafka's tools
show.
"""

import re
from collections.abc import Callable
from enum import IntEnum
from typing import Generic, TypeVar

T = TypeVar("T")


class Kind(IntEnum):
    """A setting's type as DescribeConfigs numbers it."""

    UNKNOWN = 0
    BOOLEAN = 1
    STRING = 2
    INT = 3
    SHORT = 4
    LONG = 5
    DOUBLE = 6
    LIST = 7
    CLASS = 8
    PASSWORD = 9


class ValueType(Generic[T]):
    __slots__ = ("format", "kind", "parse")

    def __init__(self, kind: Kind, parse: Callable[[str], T], format_: Callable[[T], str]) -> None:
        self.kind = kind
        self.parse = parse
        self.format = format_

    def __repr__(self) -> str:
        return self.kind.name


_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+")
_DECIMAL_NUMBER = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[fFdD]?")


def _parse_boolean(text: str) -> bool:
    match text.strip().lower():
        case "true":
            return True
        case "false":
            return False
    raise ValueError("neither true nor false")


def _integer(bits: int) -> Callable[[str], int]:
    limit = 1 << (bits - 1)

    def parse(text: str) -> int:
        digits = text.strip()
        if not _WHOLE_NUMBER.fullmatch(digits):
            raise ValueError("not a whole number")
        # Long before int() would refuse it: nothing that long is in range.
        if len(digits) > 64 or not -limit <= (value := int(digits)) < limit:
            raise ValueError(f"not a number of {bits} bits")
        return value

    return parse


def _parse_double(text: str) -> float:
    match = _DECIMAL_NUMBER.fullmatch(text.strip())
    if not match:
        raise ValueError("not a number")
    return float(match[1])


def _format_double(value: float) -> str:
    """As Java writes it: plain between a thousandth and ten million, else 1.5E10."""
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return repr(float(value))
    from decimal import Decimal  # noqa: PLC0415 - for settings that hardly anybody has

    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    head, tail = str(digits[0]), "".join(map(str, digits[1:])) or "0"
    return f"{'-' if sign else ''}{head}.{tail}E{int(exponent) + len(digits) - 1}"


def _parse_list(text: str) -> tuple[str, ...]:
    trimmed = text.strip()
    if not trimmed:
        return ()
    parts = tuple(part.strip() for part in trimmed.split(","))
    if not all(parts):
        raise ValueError("the list has an empty entry")
    return parts


BOOLEAN = ValueType[bool](Kind.BOOLEAN, _parse_boolean, lambda value: "true" if value else "false")
STRING = ValueType[str](Kind.STRING, str.strip, str)
INT = ValueType[int](Kind.INT, _integer(32), str)
SHORT = ValueType[int](Kind.SHORT, _integer(16), str)
LONG = ValueType[int](Kind.LONG, _integer(64), str)
DOUBLE = ValueType[float](Kind.DOUBLE, _parse_double, _format_double)
LIST = ValueType[tuple[str, ...]](Kind.LIST, _parse_list, ",".join)
CLASS = ValueType[str](Kind.CLASS, str.strip, str)
PASSWORD = ValueType[str](Kind.PASSWORD, str.strip, str)
FOREIGN = ValueType[str](Kind.UNKNOWN, str, str)

LONG_MAX = (1 << 63) - 1
INT_MAX = (1 << 31) - 1


def seconds(count: int) -> int:
    return count * 1_000


def minutes(count: int) -> int:
    return count * 60_000


def hours(count: int) -> int:
    return count * 3_600_000


def days(count: int) -> int:
    return count * 86_400_000


def kib(count: int) -> int:
    return count << 10


def mib(count: int) -> int:
    return count << 20


def gib(count: int) -> int:
    return count << 30
