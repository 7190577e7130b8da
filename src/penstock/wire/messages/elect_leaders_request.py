# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class TopicPartitions(msgspec.Struct, gc=False):
    topic: str = ""
    partitions: list[int] = msgspec.field(default_factory=list)


class ElectLeadersRequest(Message, gc=False):
    api_key = 43
    versions = (0, 2)
    flexible_from = 2
    codec = Codec("elect_leaders_request")
    election_type: int = 0
    topic_partitions: list[TopicPartitions] | None = msgspec.field(default_factory=list)
    timeout_ms: int = 60000
