# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class DescribeTransactionsRequest(Message, gc=False):
    api_key = 65
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("describe_transactions_request")
    transactional_ids: list[str] = msgspec.field(default_factory=list)
