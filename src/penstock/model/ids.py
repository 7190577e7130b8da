"""Kinds of int and bytes that must not be mistaken for one another; mypy keeps them apart, at no cost at run time.

Offsets, positions and sizes are plain ints: they are added, compared and packed in every other line.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import NamedTuple, NewType

LeaderEpoch = NewType("LeaderEpoch", int)
"""Up by one at each election; -1 where unknown."""

BrokerId = NewType("BrokerId", int)
PartitionIndex = NewType("PartitionIndex", int)

Millis = NewType("Millis", int)
"""Milliseconds: wall-clock time since 1970 where it is a time, a length where the name ends in _ms."""

TopicId = NewType("TopicId", bytes)
"""Sixteen bytes, as they travel on the wire; sixteen zeros mean "no id"."""


class TopicPartition(NamedTuple):
    topic: str
    partition: PartitionIndex

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


def topic_id_text(topic_id: TopicId) -> str:
    """The 22 characters in which Kafka's tools and files write an id."""
    return urlsafe_b64encode(topic_id).rstrip(b"=").decode()


def topic_id_from_text(text: str) -> TopicId:
    topic_id = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if len(topic_id) != 16:
        raise ValueError(f"a topic id has sixteen bytes, {text!r} has {len(topic_id)}")
    return TopicId(topic_id)
