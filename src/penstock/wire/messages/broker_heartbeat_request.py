# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class BrokerHeartbeatRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 63
    versions: ClassVar[tuple[int, int]] = (0, 2)
    flexible_from: ClassVar[int | None] = 0
    broker_id: int = 0
    broker_epoch: int = -1
    current_metadata_offset: int = 0
    want_fence: bool = False
    want_shut_down: bool = False
    offline_log_dirs: list[bytes] = msgspec.field(default_factory=list)
    cordoned_log_dirs: list[bytes] | None = None

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "BrokerHeartbeatRequest":
        return decode_whole(
            "BrokerHeartbeatRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("BrokerHeartbeatRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, BrokerHeartbeatRequest]" = Codec("broker_heartbeat_request")
