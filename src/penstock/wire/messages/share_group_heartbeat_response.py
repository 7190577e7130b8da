# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class TopicPartitions(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    partitions: list[int] = msgspec.field(default_factory=list)


class Assignment(msgspec.Struct, gc=False):
    topic_partitions: list[TopicPartitions] = msgspec.field(default_factory=list)


class ShareGroupHeartbeatResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 76
    versions: ClassVar[tuple[int, int]] = (1, 1)
    flexible_from: ClassVar[int | None] = 0
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = None
    member_id: str | None = None
    member_epoch: int = 0
    heartbeat_interval_ms: int = 0
    assignment: Assignment | None = None

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ShareGroupHeartbeatResponse":
        return decode_whole(
            "ShareGroupHeartbeatResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ShareGroupHeartbeatResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, ShareGroupHeartbeatResponse]" = Codec("share_group_heartbeat_response")
