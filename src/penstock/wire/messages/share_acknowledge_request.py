# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class AcknowledgementBatch(msgspec.Struct, gc=False):
    first_offset: int = 0
    last_offset: int = 0
    acknowledge_types: list[int] = msgspec.field(default_factory=list)


class AcknowledgePartition(msgspec.Struct, gc=False):
    partition_index: int = 0
    acknowledgement_batches: list[AcknowledgementBatch] = msgspec.field(default_factory=list)


class AcknowledgeTopic(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    partitions: list[AcknowledgePartition] = msgspec.field(default_factory=list)


class ShareAcknowledgeRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 79
    versions: ClassVar[tuple[int, int]] = (1, 2)
    flexible_from: ClassVar[int | None] = 0
    group_id: str | None = None
    member_id: str | None = ""
    share_session_epoch: int = 0
    is_renew_ack: bool = False
    topics: list[AcknowledgeTopic] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ShareAcknowledgeRequest":
        return decode_whole(
            "ShareAcknowledgeRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ShareAcknowledgeRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, ShareAcknowledgeRequest]" = Codec("share_acknowledge_request")
