# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


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


class ApiVersionsResponse(Message, gc=False):
    api_key = 18
    versions = (0, 4)
    flexible_from = 3
    codec = Codec("api_versions_response")
    error_code: int = 0
    api_keys: list[ApiVersion] = msgspec.field(default_factory=list)
    throttle_time_ms: int = 0
    supported_features: list[SupportedFeatureKey] = msgspec.field(default_factory=list)
    finalized_features_epoch: int = -1
    finalized_features: list[FinalizedFeatureKey] = msgspec.field(default_factory=list)
    zk_migration_ready: bool = False
