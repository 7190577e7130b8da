# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class PartitionProduceData(msgspec.Struct, gc=False):
    index: int = 0
    records: bytes | bytearray | memoryview | None = None


class TopicProduceData(msgspec.Struct, gc=False):
    name: str = ""
    topic_id: bytes = ZERO_UUID
    partition_data: list[PartitionProduceData] = msgspec.field(default_factory=list)


class ProduceRequest(Message, gc=False):
    api_key = 0
    versions = (3, 13)
    flexible_from = 9
    codec = Codec("produce_request", memoryview)
    transactional_id: str | None = None
    acks: int = 0
    timeout_ms: int = 0
    topic_data: list[TopicProduceData] = msgspec.field(default_factory=list)
