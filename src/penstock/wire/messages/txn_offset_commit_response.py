# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class TxnOffsetCommitResponsePartition(msgspec.Struct, gc=False):
    partition_index: int = 0
    error_code: int = 0


class TxnOffsetCommitResponseTopic(msgspec.Struct, gc=False):
    name: str = ""
    partitions: list[TxnOffsetCommitResponsePartition] = msgspec.field(default_factory=list)


class TxnOffsetCommitResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 28
    versions: ClassVar[tuple[int, int]] = (0, 5)
    flexible_from: ClassVar[int | None] = 3
    throttle_time_ms: int = 0
    topics: list[TxnOffsetCommitResponseTopic] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "TxnOffsetCommitResponse":
        return decode_whole(
            "TxnOffsetCommitResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("TxnOffsetCommitResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, TxnOffsetCommitResponse]" = Codec("txn_offset_commit_response")
