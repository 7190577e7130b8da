"""Metadata of more than a few hundred partitions, made and encoded a piece at a time.

Every client asks for metadata, some for all of it: 100,000 partitions take a third of a second to describe and to write
down. In one step nobody would be served meanwhile, and a few such requests in a row would cost a broker its lease. So
topics are taken in turns, each as it is in its turn, a large one's partitions too, and their bytes are put together at
the end.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Final

import msgspec

from penstock.cluster import PartitionImage, TopicImage
from penstock.wire.messages.metadata_response import MetadataResponse, MetadataResponseTopic
from penstock.wire.primitives import uvarint

PARTITIONS_A_TURN: Final = 500
"""Some two milliseconds."""

FLEXIBLE_FROM: Final = 9
_COUNT_BYTES: Final = 4


class PiecewiseMetadata(MetadataResponse):
    """An answer whose topics are encoded already, for one version; all else is as in any other."""

    version: int = 0
    pieces: list[bytes] = msgspec.field(default_factory=list)
    count: int = 0

    def add(self, topics: list[MetadataResponseTopic]) -> None:
        self.pieces.append(self._encoded(topics))
        self.count += len(topics)

    def begin(self, topic: MetadataResponseTopic, partitions: int) -> None:
        """A topic that has no partitions yet, of which so many will follow (`add_partitions`, then `end`)."""
        encoded = self._encoded([topic])
        tail = len(encoded) - _bytes_after_partitions(self.version)
        head = tail - len(_encode_count(0, self.version))
        self.pieces += (encoded[:head], _encode_count(partitions, self.version))
        self.count += 1

    def add_partitions(self, some: MetadataResponseTopic) -> None:
        """The next partitions of the topic that was begun: the topic with these alone."""
        encoded, nothing = (self._encoded([topic]) for topic in (some, msgspec.structs.replace(some, partitions=[])))
        tail_bytes = _bytes_after_partitions(self.version)
        head_bytes = len(nothing) - tail_bytes - len(_encode_count(0, self.version))
        start = head_bytes + len(_encode_count(len(some.partitions), self.version))
        self.pieces.append(encoded[start : len(encoded) - tail_bytes])

    def end(self, topic: MetadataResponseTopic) -> None:
        encoded = self._encoded([topic])
        self.pieces.append(encoded[len(encoded) - _bytes_after_partitions(self.version) :])

    def _encoded(self, topics: list[MetadataResponseTopic]) -> bytes:
        encoded, nothing = (MetadataResponse(topics=these).encode(self.version) for these in (topics, []))
        tail_bytes = _bytes_after_topics(self.version)
        head_bytes = len(nothing) - tail_bytes - len(_encode_count(0, self.version))
        start = head_bytes + len(_encode_count(len(topics), self.version))
        return encoded[start : len(encoded) - tail_bytes]

    def encode(self, version: int) -> bytes:
        if version != self.version:
            raise ValueError(f"made for version {self.version}, not for {version}")
        rest = super().encode(version)
        tail = len(rest) - _bytes_after_topics(version)
        head = tail - len(_encode_count(0, version))
        return b"".join((rest[:head], _encode_count(self.count, version), *self.pieces, rest[tail:]))


def _encode_count(count: int, version: int) -> bytes:
    return uvarint(count + 1) if version >= FLEXIBLE_FROM else count.to_bytes(_COUNT_BYTES, "big")


def _bytes_after_topics(version: int) -> int:
    operations = 4 if 8 <= version <= 10 else 0
    error_code = 2 if version >= 13 else 0
    tags = 1 if version >= FLEXIBLE_FROM else 0
    return operations + error_code + tags


def _bytes_after_partitions(version: int) -> int:
    operations = 4 if version >= 8 else 0
    tags = 1 if version >= FLEXIBLE_FROM else 0
    return operations + tags


Describe = Callable[[TopicImage, Sequence[PartitionImage]], MetadataResponseTopic]
"""What is to be said of a topic, with these of its partitions."""


async def describe_in_turns(
    topics: Iterable[TopicImage],
    describe: Describe,
    *,
    version: int,
    before: list[MetadataResponseTopic],
    after: list[MetadataResponseTopic],
) -> PiecewiseMetadata:
    """What `describe` says of each topic, others being served meanwhile, between what else there is to say."""
    answer = PiecewiseMetadata(version=version)
    some, partitions = before, 0
    for topic in topics:
        if len(topic.partitions) > PARTITIONS_A_TURN:
            answer.add(some)
            some, partitions = [], 0
            await _describe_one(answer, topic, describe)
            continue
        some.append(describe(topic, topic.partitions))
        partitions += len(topic.partitions)
        if partitions >= PARTITIONS_A_TURN:
            answer.add(some)
            some, partitions = [], 0
            await asyncio.sleep(0)
    answer.add([*some, *after])
    return answer


async def _describe_one(answer: PiecewiseMetadata, topic: TopicImage, describe: Describe) -> None:
    parts = list(topic.partitions)  # it may grow between two turns
    without = describe(topic, ())
    answer.begin(without, len(parts))
    for start in range(0, len(parts), PARTITIONS_A_TURN):
        answer.add_partitions(describe(topic, parts[start : start + PARTITIONS_A_TURN]))
        await asyncio.sleep(0)
    answer.end(without)


def is_large(topics: Iterable[TopicImage]) -> bool:
    """Whether it takes more than one turn; looks no further than that takes to know."""
    partitions = 0
    for topic in topics:
        partitions += len(topic.partitions)
        if partitions > PARTITIONS_A_TURN:
            return True
    return False
