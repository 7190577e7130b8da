# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import Codec, Message


class ConsumerGroupRegularExpressionKey(Message, gc=False):
    api_key = 16
    versions = (0, 0)
    flexible_from = None
    codec = Codec("consumer_group_regular_expression_key")
    group_id: str = ""
    regular_expression: str = ""
