# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class DeleteShareGroupOffsetsRequestTopic(msgspec.Struct, gc=False):
    topic_name: str = ""


class DeleteShareGroupOffsetsRequest(Message, gc=False):
    api_key = 92
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("delete_share_group_offsets_request")
    group_id: str = ""
    topics: list[DeleteShareGroupOffsetsRequestTopic] = msgspec.field(default_factory=list)
