# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class UpdatableFeatureResult(msgspec.Struct, gc=False):
    feature: str = ""
    error_code: int = 0
    error_message: str | None = ""


class UpdateFeaturesResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 57
    versions: ClassVar[tuple[int, int]] = (0, 2)
    flexible_from: ClassVar[int | None] = 0
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""
    results: list[UpdatableFeatureResult] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "UpdateFeaturesResponse":
        return decode_whole(
            "UpdateFeaturesResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("UpdateFeaturesResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, UpdateFeaturesResponse]" = Codec("update_features_response")
