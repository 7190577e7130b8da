# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class FeatureUpdateKey(msgspec.Struct, gc=False):
    feature: str = ""
    max_version_level: int = 0
    allow_downgrade: bool = False
    upgrade_type: int = 1


class UpdateFeaturesRequest(Message, gc=False):
    api_key = 57
    versions = (0, 2)
    flexible_from = 0
    codec = Codec("update_features_request")
    timeout_ms: int = 60000
    feature_updates: list[FeatureUpdateKey] = msgspec.field(default_factory=list)
    validate_only: bool = False
