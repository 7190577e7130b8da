# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class ApiVersion(msgspec.Struct, gc=False):
    api_key: int = 0
    min_version: int = 0
    max_version: int = 0


class SupportedFeatureKey(msgspec.Struct, gc=False):
    name: str = ""
    min_version: int = 0
    max_version: int = 0


class FinalizedFeatureKey(msgspec.Struct, gc=False):
    name: str = ""
    max_version_level: int = 0
    min_version_level: int = 0


class ApiVersionsResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 18
    versions: ClassVar[tuple[int, int]] = (0, 4)
    flexible_from: ClassVar[int | None] = 3
    error_code: int = 0
    api_keys: list[ApiVersion] = msgspec.field(default_factory=list)
    throttle_time_ms: int = 0
    supported_features: list[SupportedFeatureKey] = msgspec.field(default_factory=list)
    finalized_features_epoch: int = -1
    finalized_features: list[FinalizedFeatureKey] = msgspec.field(default_factory=list)
    zk_migration_ready: bool = False

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ApiVersionsResponse":
        return decode_whole(
            "ApiVersionsResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ApiVersionsResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, ApiVersionsResponse]" = Codec("api_versions_response")
