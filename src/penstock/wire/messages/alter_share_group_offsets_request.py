# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class AlterShareGroupOffsetsRequestPartition(msgspec.Struct, gc=False):
    partition_index: int = 0
    start_offset: int = 0


class AlterShareGroupOffsetsRequestTopic(msgspec.Struct, gc=False):
    topic_name: str = ""
    partitions: list[AlterShareGroupOffsetsRequestPartition] = msgspec.field(default_factory=list)


class AlterShareGroupOffsetsRequest(Message, gc=False):
    api_key = 91
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("alter_share_group_offsets_request")
    group_id: str = ""
    topics: list[AlterShareGroupOffsetsRequestTopic] = msgspec.field(default_factory=list)
