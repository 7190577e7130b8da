# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class DescribableLogDirTopic(msgspec.Struct, gc=False):
    topic: str = ""
    partitions: list[int] = msgspec.field(default_factory=list)


class DescribeLogDirsRequest(Message, gc=False):
    api_key = 35
    versions = (1, 5)
    flexible_from = 2
    codec = Codec("describe_log_dirs_request")
    topics: list[DescribableLogDirTopic] | None = msgspec.field(default_factory=list)
