# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class TxnOffsetCommitRequestPartition(msgspec.Struct, gc=False):
    partition_index: int = 0
    committed_offset: int = 0
    committed_leader_epoch: int = -1
    committed_metadata: str | None = ""


class TxnOffsetCommitRequestTopic(msgspec.Struct, gc=False):
    name: str = ""
    partitions: list[TxnOffsetCommitRequestPartition] = msgspec.field(default_factory=list)


class TxnOffsetCommitRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 28
    versions: ClassVar[tuple[int, int]] = (0, 5)
    flexible_from: ClassVar[int | None] = 3
    transactional_id: str = ""
    group_id: str = ""
    producer_id: int = 0
    producer_epoch: int = 0
    generation_id: int = -1
    member_id: str = ""
    group_instance_id: str | None = None
    topics: list[TxnOffsetCommitRequestTopic] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "TxnOffsetCommitRequest":
        return decode_whole(
            "TxnOffsetCommitRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("TxnOffsetCommitRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, TxnOffsetCommitRequest]" = Codec("txn_offset_commit_request")
