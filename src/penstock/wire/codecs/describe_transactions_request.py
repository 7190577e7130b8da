# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.malformed import null_refused
from penstock.wire.messages.describe_transactions_request import DescribeTransactionsRequest
from penstock.wire.primitives import Push, compact_strings, long_varint, read_compact_strings, skip_tags


def _decode_describe_transactions_request_v0(data: bytes, pos: int) -> tuple[DescribeTransactionsRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("transactional_ids")
    n -= 1
    transactional_ids, pos = read_compact_strings(data, pos, n)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeTransactionsRequest(transactional_ids), pos


def _encode_describe_transactions_request_v0(push: Push, this: DescribeTransactionsRequest) -> None:
    transactional_ids = this.transactional_ids
    push(compact_strings(transactional_ids))
    push(b"\0")


DECODERS = {
    0: _decode_describe_transactions_request_v0,
}
ENCODERS = {
    0: _encode_describe_transactions_request_v0,
}
