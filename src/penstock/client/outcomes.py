"""What became of each of several things that were asked for at once."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from penstock.errors import Refusal, refusal_for
from penstock.model import PartitionIndex, TopicPartition

K = TypeVar("K")
T = TypeVar("T")


class Outcomes(dict[K, T | Refusal]):
    """For each key its value, or the Refusal that it met. `all()` is for who wants all or an exception."""

    def all(self) -> dict[K, T]:
        """Every value; the first refusal is raised."""
        values: dict[K, T] = {}
        for key, outcome in self.items():
            if isinstance(outcome, Refusal):
                raise outcome
            values[key] = outcome
        return values

    @property
    def refused(self) -> dict[K, Refusal]:
        return {key: outcome for key, outcome in self.items() if isinstance(outcome, Refusal)}

    @property
    def done(self) -> dict[K, T]:
        return {key: outcome for key, outcome in self.items() if not isinstance(outcome, Refusal)}


def refusal(code: int, message: str | None = None) -> Refusal:
    kind = refusal_for(code)
    return kind(message) if message else kind()


def outcome(code: int, value: T, message: str | None = None) -> T | Refusal:
    return refusal(code, message) if code else value


def require_ok(answer: Any) -> None:
    """Raise what an answer as a whole was refused with."""
    if code := getattr(answer, "error_code", 0):
        raise refusal(code, getattr(answer, "error_message", None))


def place(topic: str, partition: int) -> TopicPartition:
    return TopicPartition(topic, PartitionIndex(partition))


def by_topic(places: Iterable[TopicPartition]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for topic, partition in places:
        found.setdefault(topic, []).append(partition)
    return found


def one(outcomes: Mapping[K, T | Refusal]) -> T:
    """The only outcome there is, raised if it is a refusal."""
    (found,) = outcomes.values()
    if isinstance(found, Refusal):
        raise found
    return found
