# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class FeatureUpdateKey(msgspec.Struct, gc=False):
    feature: str = ""
    max_version_level: int = 0
    allow_downgrade: bool = False
    upgrade_type: int = 1


class UpdateFeaturesRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 57
    versions: ClassVar[tuple[int, int]] = (0, 2)
    flexible_from: ClassVar[int | None] = 0
    timeout_ms: int = 60000
    feature_updates: list[FeatureUpdateKey] = msgspec.field(default_factory=list)
    validate_only: bool = False

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "UpdateFeaturesRequest":
        return decode_whole(
            "UpdateFeaturesRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("UpdateFeaturesRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, UpdateFeaturesRequest]" = Codec("update_features_request")
