# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class BrokerState(msgspec.Struct, gc=False):
    broker_id: int = 0
    broker_epoch: int = -1


class PartitionData(msgspec.Struct, gc=False):
    partition_index: int = 0
    leader_epoch: int = 0
    new_isr: list[int] = msgspec.field(default_factory=list)
    new_isr_with_epochs: list[BrokerState] = msgspec.field(default_factory=list)
    leader_recovery_state: int = 0
    partition_epoch: int = 0


class TopicData(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionData] = msgspec.field(default_factory=list)


class AlterPartitionRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 56
    versions: ClassVar[tuple[int, int]] = (2, 3)
    flexible_from: ClassVar[int | None] = 0
    broker_id: int = 0
    broker_epoch: int = -1
    topics: list[TopicData] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "AlterPartitionRequest":
        return decode_whole(
            "AlterPartitionRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("AlterPartitionRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, AlterPartitionRequest]" = Codec("alter_partition_request")
