"""Metadata of more than a few hundred partitions, made and encoded a piece at a time.

Every client asks for metadata, some for all of it: 100,000 partitions take a third of a second to describe and to write
down. In one step nobody would be served meanwhile, and a few such requests in a row would cost a broker its lease. So
topics are taken in turns, each as it is in its turn, and their bytes are put together at the end.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import Final

import msgspec

from penstock.cluster import TopicImage
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
        encoded, nothing = (MetadataResponse(topics=these).encode(self.version) for these in (topics, []))
        tail_bytes = _bytes_after_topics(self.version)
        head_bytes = len(nothing) - tail_bytes - len(_encode_count(0, self.version))
        start = head_bytes + len(_encode_count(len(topics), self.version))
        self.pieces.append(encoded[start : len(encoded) - tail_bytes])
        self.count += len(topics)

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


async def describe_in_turns(
    topics: Iterable[TopicImage],
    describe: Callable[[TopicImage], MetadataResponseTopic],
    *,
    version: int,
    before: list[MetadataResponseTopic],
    after: list[MetadataResponseTopic],
) -> PiecewiseMetadata:
    """What `describe` says of each topic, others being served meanwhile, between what else there is to say."""
    answer = PiecewiseMetadata(version=version)
    some, partitions = before, 0
    for topic in topics:
        some.append(describe(topic))
        partitions += len(topic.partitions)
        if partitions >= PARTITIONS_A_TURN:
            answer.add(some)
            some, partitions = [], 0
            await asyncio.sleep(0)
    answer.add([*some, *after])
    return answer


def is_large(topics: Iterable[TopicImage]) -> bool:
    """Whether it takes more than one turn; looks no further than that takes to know."""
    partitions = 0
    for topic in topics:
        partitions += len(topic.partitions)
        if partitions > PARTITIONS_A_TURN:
            return True
    return False
