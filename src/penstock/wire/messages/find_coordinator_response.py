# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class Coordinator(msgspec.Struct, gc=False):
    key: str = ""
    node_id: int = 0
    host: str = ""
    port: int = 0
    error_code: int = 0
    error_message: str | None = ""


class FindCoordinatorResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 10
    versions: ClassVar[tuple[int, int]] = (0, 6)
    flexible_from: ClassVar[int | None] = 3
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""
    node_id: int = 0
    host: str = ""
    port: int = 0
    coordinators: list[Coordinator] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "FindCoordinatorResponse":
        return decode_whole(
            "FindCoordinatorResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("FindCoordinatorResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, FindCoordinatorResponse]" = Codec("find_coordinator_response")
