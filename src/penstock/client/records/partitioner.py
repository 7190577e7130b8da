"""Which partition a record goes to: by its key as Java's producer chooses, or one after the other without a key."""

import struct
from collections.abc import Mapping
from typing import Final

from penstock.client.metadata import PartitionInfo
from penstock.model import Dice

_SEED: Final = 0x9747B28C
_MULTIPLIER: Final = 0x5BD1E995
_MASK: Final = 0xFFFFFFFF
_WORD = struct.Struct("<I")


def murmur2(data: bytes) -> int:
    """The hash of Java's default partitioner, unsigned."""
    length = len(data)
    whole = length & ~3
    found = _SEED ^ length
    for (word,) in _WORD.iter_unpack(memoryview(data)[:whole]):
        word = word * _MULTIPLIER & _MASK
        word ^= word >> 24
        found = (found * _MULTIPLIER & _MASK) ^ (word * _MULTIPLIER & _MASK)
    if rest := data[whole:]:
        found = (found ^ int.from_bytes(rest, "little")) * _MULTIPLIER & _MASK
    found = (found ^ found >> 13) * _MULTIPLIER & _MASK
    return found ^ found >> 15


def partition_for(key: bytes, count: int) -> int:
    """A key's partition of so many: records of a key stay together, with those of Java's and librdkafka's producers."""
    return (murmur2(key) & 0x7FFFFFFF) % count


class StickyPartition:
    """Where keyless records of a topic go: to one partition until a batch is full, then to the next that has a leader.

    Full batches cost less than records spread thin. It begins at random, so that many short-lived producers do not all
    write to the first partition.
    """

    def __init__(self, dice: Dice, batch_bytes: int) -> None:
        self._batch_bytes = batch_bytes
        self._turn = int(dice.uniform(0, 1 << 30))
        self._chosen = -1
        self._left_bytes = 0

    def choose(self, partitions: Mapping[int, PartitionInfo], size_bytes: int) -> int:
        if self._left_bytes <= 0 or self._chosen not in partitions:
            led = [each.index for each in partitions.values() if each.leader >= 0] or list(partitions)
            self._chosen = led[self._turn % len(led)]
            self._turn += 1
            self._left_bytes = self._batch_bytes
        self._left_bytes -= size_bytes
        return self._chosen
