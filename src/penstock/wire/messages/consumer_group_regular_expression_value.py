# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class ConsumerGroupRegularExpressionValue(Message, gc=False):
    api_key = 16
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("consumer_group_regular_expression_value")
    topics: list[str] = msgspec.field(default_factory=list)
    version: int = 0
    timestamp: int = 0
