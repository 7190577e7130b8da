# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class UpdatableFeatureResult(msgspec.Struct, gc=False):
    feature: str = ""
    error_code: int = 0
    error_message: str | None = ""


class UpdateFeaturesResponse(Message, gc=False):
    api_key = 57
    versions = (0, 2)
    flexible_from = 0
    codec = Codec("update_features_response")
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""
    results: list[UpdatableFeatureResult] = msgspec.field(default_factory=list)
