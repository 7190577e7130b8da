# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct
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

_read_tB = Struct(">?B").unpack_from
_pack_tx = Struct(">?x").pack


class StreamsGroupDescribeRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 89
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    group_ids: list[str] = msgspec.field(default_factory=list)
    include_authorized_operations: bool = False

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "StreamsGroupDescribeRequest":
        return decode_whole(
            "StreamsGroupDescribeRequest",
            _DECODERS,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("StreamsGroupDescribeRequest", _ENCODERS, self, version)


def _decode_streams_group_describe_request_v0(data: bytes, pos: int) -> tuple[StreamsGroupDescribeRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("group_ids")
    n -= 1
    group_ids, pos = read_compact_strings(data, pos, n)
    include_authorized_operations, tags = _read_tB(data, pos)
    pos += 2
    if tags:
        pos = skip_tags(data, pos, tags)
    return StreamsGroupDescribeRequest(group_ids, include_authorized_operations), pos


def _encode_streams_group_describe_request_v0(push: Push, this: StreamsGroupDescribeRequest) -> None:
    group_ids = this.group_ids
    push(compact_strings(group_ids))
    push(_pack_tx(this.include_authorized_operations))


_DECODERS = {
    0: _decode_streams_group_describe_request_v0,
}
_ENCODERS = {
    0: _encode_streams_group_describe_request_v0,
}
