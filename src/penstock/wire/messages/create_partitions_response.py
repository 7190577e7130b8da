# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class CreatePartitionsTopicResult(msgspec.Struct, gc=False):
    name: str = ""
    error_code: int = 0
    error_message: str | None = None


class CreatePartitionsResponse(Message, gc=False):
    api_key = 37
    versions = (0, 3)
    flexible_from = 2
    codec = Codec("create_partitions_response")
    throttle_time_ms: int = 0
    results: list[CreatePartitionsTopicResult] = msgspec.field(default_factory=list)
