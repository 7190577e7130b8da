# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class DeleteTopicState(msgspec.Struct, gc=False):
    name: str | None = None
    topic_id: bytes = ZERO_UUID


class DeleteTopicsRequest(Message, gc=False):
    api_key = 20
    versions = (1, 6)
    flexible_from = 4
    codec = Codec("delete_topics_request")
    topics: list[DeleteTopicState] = msgspec.field(default_factory=list)
    topic_names: list[str] = msgspec.field(default_factory=list)
    timeout_ms: int = 0
