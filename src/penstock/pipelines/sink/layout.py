"""Which target partitions a batch may write to, numbered: row -> slot is a pure function of row and layout.

That is what makes a batch repeatable: however many tasks come before, and however they are cut, a row's slot is the
same, and with it the transaction that the row belongs to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any


@dataclass(frozen=True, slots=True)
class TopicShape:
    name: str
    topic_id: str
    """Tells a topic from another of the same name that was made after this one was deleted."""
    partitions: int


@dataclass(frozen=True, slots=True)
class Target:
    topic: str
    topic_id: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}/{self.partition}"


@dataclass(frozen=True)
class Layout:
    """The topics in order of their names; slots count their partitions through."""

    topics: tuple[TopicShape, ...]

    @staticmethod
    def of(topics: Iterable[TopicShape]) -> Layout:
        return Layout(tuple(sorted(topics, key=lambda shape: shape.name)))

    @cached_property
    def first_slots(self) -> tuple[int, ...]:
        firsts, next_slot = [], 0
        for shape in self.topics:
            firsts.append(next_slot)
            next_slot += shape.partitions
        return tuple(firsts)

    @property
    def slots(self) -> int:
        return sum(shape.partitions for shape in self.topics)

    @cached_property
    def targets(self) -> tuple[Target, ...]:
        """By slot."""
        return tuple(
            Target(shape.name, shape.topic_id, partition)
            for shape in self.topics
            for partition in range(shape.partitions)
        )

    def kept_for(self, now: Layout) -> Layout:
        """The layout with which a batch that was begun with this one is run again, topics being as `now` by now.

        A topic keeps the number of partitions that the batch was begun with, though it has grown since: with another
        number, rows would go elsewhere than those that are written already. A topic that was deleted and made anew took
        what was written along: its new shape counts.
        """
        before = {shape.name: shape for shape in self.topics}

        def kept(shape: TopicShape) -> TopicShape:
            earlier = before.get(shape.name)
            return earlier if earlier is not None and earlier.topic_id == shape.topic_id else shape

        return Layout.of(kept(shape) for shape in now.topics)

    def to_json(self) -> list[dict[str, Any]]:
        return [
            {"topic": shape.name, "topic_id": shape.topic_id, "partitions": shape.partitions} for shape in self.topics
        ]

    @staticmethod
    def from_json(rows: Iterable[Mapping[str, Any]]) -> Layout:
        return Layout.of(TopicShape(row["topic"], row["topic_id"], row["partitions"]) for row in rows)
