# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.malformed import null_refused
from penstock.wire.primitives import (
    Buffer,
    Push,
    compact_strings,
    decode_whole,
    encode_whole,
    long_varint,
    read_compact_strings,
    skip_tags,
)


class DescribeTransactionsRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 65
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    transactional_ids: list[str] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DescribeTransactionsRequest":
        return decode_whole(
            "DescribeTransactionsRequest",
            _DECODERS,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DescribeTransactionsRequest", _ENCODERS, self, version)


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


_DECODERS = {
    0: _decode_describe_transactions_request_v0,
}
_ENCODERS = {
    0: _encode_describe_transactions_request_v0,
}
