# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class MetadataRequestTopic(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    name: str | None = ""


class MetadataRequest(Message, gc=False):
    api_key = 3
    versions = (0, 13)
    flexible_from = 9
    codec = Codec("metadata_request")
    topics: list[MetadataRequestTopic] | None = msgspec.field(default_factory=list)
    allow_auto_topic_creation: bool = True
    include_cluster_authorized_operations: bool = False
    include_topic_authorized_operations: bool = False
