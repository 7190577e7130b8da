# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class DeletableTopicResult(msgspec.Struct, gc=False):
    name: str | None = ""
    topic_id: bytes = ZERO_UUID
    error_code: int = 0
    error_message: str | None = None


class DeleteTopicsResponse(Message, gc=False):
    api_key = 20
    versions = (1, 6)
    flexible_from = 4
    codec = Codec("delete_topics_response")
    throttle_time_ms: int = 0
    responses: list[DeletableTopicResult] = msgspec.field(default_factory=list)
