# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class ShareGroupHeartbeatRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 76
    versions: ClassVar[tuple[int, int]] = (1, 1)
    flexible_from: ClassVar[int | None] = 0
    group_id: str = ""
    member_id: str = ""
    member_epoch: int = 0
    rack_id: str | None = None
    subscribed_topic_names: list[str] | None = None

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ShareGroupHeartbeatRequest":
        return decode_whole(
            "ShareGroupHeartbeatRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ShareGroupHeartbeatRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, ShareGroupHeartbeatRequest]" = Codec("share_group_heartbeat_request")
