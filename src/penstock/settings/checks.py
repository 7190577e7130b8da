"""What a setting's value must satisfy. A check raises ValueError with the rule; its `text` is the rule for the
reference.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Check(Generic[T]):
    """A rule in words and the test for it."""

    __slots__ = ("_holds", "text")

    def __init__(self, text: str, holds: Callable[[T], bool]) -> None:
        self.text = text
        self._holds = holds

    def __call__(self, value: T) -> None:
        if not self._holds(value):
            raise ValueError(f"must be {self.text}")


def at_least(low: float) -> Check[Any]:
    return Check(f"at least {low}", lambda value: value >= low)


def between(low: float, high: float) -> Check[Any]:
    return Check(f"between {low} and {high}", lambda value: low <= value <= high)


def between_or(low: int, high: int, *, exception: int) -> Check[Any]:
    return Check(f"between {low} and {high}, or {exception}", lambda value: low <= value <= high or value == exception)


def one_of(*choices: str) -> Check[Any]:
    return Check(f"one of {', '.join(choices)}", lambda value: value in choices)


def each_of(*choices: str) -> Check[Any]:
    return Check(f"a list of {', '.join(choices)}", lambda value: all(item in choices for item in value))


def matching(pattern: str, *, text: str) -> Check[Any]:
    compiled = re.compile(pattern)
    return Check(text, lambda value: compiled.fullmatch(value) is not None)


def not_internal() -> Check[Any]:
    """As Kafka has it for dead-letter topics."""
    return Check("a topic's name that does not begin with __", lambda name: not name.startswith("__"))


_REPLICA = re.compile(r"[0-9]+:[0-9]+")


def _are_replicas(entries: Iterable[str]) -> bool:
    listed = tuple(entries)
    return listed == ("*",) or all(_REPLICA.fullmatch(entry) for entry in listed)


def throttled_replicas() -> Check[Any]:
    return Check("* or a list of partition:broker pairs such as 0:101,1:102", _are_replicas)


_CLIENT_MATCHES = frozenset(
    (
        "client_instance_id",
        "client_id",
        "client_software_name",
        "client_software_version",
        "client_source_address",
        "client_source_port",
    )
)


def _is_client_match(entry: str) -> bool:
    name, equals, pattern = entry.partition("=")
    if not equals or "=" in pattern or name.strip() not in _CLIENT_MATCHES:
        return False
    try:
        re.compile(pattern.strip())
    except re.error:
        return False
    return True


def client_matches() -> Check[Any]:
    return Check(
        f"a list of name=regular expression, with names from {', '.join(sorted(_CLIENT_MATCHES))}",
        lambda value: all(_is_client_match(entry) for entry in value),
    )


_DURATION = re.compile(r"by_duration:P(?=.)([0-9]+D)?(T(?=.)([0-9]+H)?([0-9]+M)?([0-9]+(\.[0-9]{1,9})?S)?)?")


def offset_reset() -> Check[Any]:
    return Check(
        "earliest, latest or by_duration:PnDTnHnMn.nS",
        lambda value: value in ("earliest", "latest") or _DURATION.fullmatch(value) is not None,
    )


_PRIORITY = re.compile(r"([A-Za-z0-9._-]{1,249}):([0-9]{1,9})")
PRIORITIES_MAX = 1_000


def priorities() -> Check[Any]:
    return Check(
        "a list of topic:priority, with whole numbers from 0 on and each topic once",
        lambda value: len(value) <= PRIORITIES_MAX and _are_priorities(value),
    )


def _are_priorities(entries: Iterable[str]) -> bool:
    topics = [found[1] for entry in entries if (found := _PRIORITY.fullmatch(entry))]
    return len(topics) == len(list(entries)) == len(set(topics)) and not {".", ".."} & set(topics)
