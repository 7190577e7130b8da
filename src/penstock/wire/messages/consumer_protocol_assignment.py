# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class TopicPartition(msgspec.Struct, gc=False):
    topic: str = ""
    partitions: list[int] = msgspec.field(default_factory=list)


class ConsumerProtocolAssignment(Message, gc=False):
    versions = (0, 3)
    flexible_from = None
    codec = Codec("consumer_protocol_assignment")
    assigned_partitions: list[TopicPartition] = msgspec.field(default_factory=list)
    user_data: bytes | None = None
