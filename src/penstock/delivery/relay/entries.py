"""What a home's log keeps of records on their way to another partition. Pure.

Each intent says all of its pair, so that a log whose start has passed the older ones can be replayed from there.
"""

from typing import Final, NamedTuple

import msgspec

from penstock.model import PartitionIndex, TopicId, TopicPartition

VERSION: Final = 1
NO_ID: Final = -1


class Target(NamedTuple):
    """Where records go. A topic that is made anew under the same name is another target."""

    topic: str
    topic_id: TopicId
    partition_index: int

    @property
    def partition(self) -> TopicPartition:
        return TopicPartition(self.topic, PartitionIndex(self.partition_index))

    def __str__(self) -> str:
        return str(self.partition)


class Intent(msgspec.Struct, frozen=True, array_like=True, tag="i"):
    """One batch that is to be at the target, under these sequences."""

    target: Target
    producer_id: int
    epoch: int
    sequence: int
    number: int
    count: int
    refs: bytes
    """Which records: the home's own way to say it."""
    done_through: int
    """Intents up to this number are at the target, and replicated there."""
    from_offset: int
    """No batch of an intent after `done_through` lies at the target below this offset."""


class Done(msgspec.Struct, frozen=True, array_like=True, tag="d"):
    """As intents say it, where no other intent follows soon."""

    target: Target
    done_through: int
    from_offset: int


class Restarted(msgspec.Struct, frozen=True, array_like=True, tag="r"):
    """The target has lost what was acknowledged: what is open goes out under the next epoch, from sequence 0 on."""

    target: Target
    epoch: int
    done_through: int
    from_offset: int


class Returned(msgspec.Struct, frozen=True, array_like=True, tag="g"):
    """The target is no more: what is open is the home's again."""

    target: Target
    done_through: int


Entry = Intent | Done | Restarted | Returned

_encoder = msgspec.msgpack.Encoder()
_decoder: msgspec.msgpack.Decoder[Entry] = msgspec.msgpack.Decoder(Entry)


def encode(entry: Entry) -> bytes:
    return bytes([VERSION]) + _encoder.encode(entry)


def decode(data: bytes) -> Entry:
    """ValueError for what is none, or of a later version."""
    if not data or data[0] != VERSION:
        raise ValueError(f"an entry of version {data[0] if data else 'none'}, this broker knows {VERSION}")
    try:
        return _decoder.decode(data[1:])
    except msgspec.MsgspecError as error:
        raise ValueError(str(error)) from None
