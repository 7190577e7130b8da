# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct
from typing import ClassVar

import msgspec

from penstock.wire.malformed import null_refused
from penstock.wire.primitives import ZERO_UUID, Buffer, Push, decode_whole, encode_whole

_read_ui = Struct(">16si").unpack_from
_read_h = Struct(">h").unpack_from
_pack_ui = Struct(">16si").pack
_pack_h = Struct(">h").pack


class ShareUpdateKey(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 1
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = None
    group_id: str = ""
    topic_id: bytes = ZERO_UUID
    partition: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ShareUpdateKey":
        return decode_whole(
            "ShareUpdateKey", _DECODERS, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ShareUpdateKey", _ENCODERS, self, version)


def _decode_share_update_key_v0(data: bytes, pos: int) -> tuple[ShareUpdateKey, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("group_id")
    end = pos + n
    group_id = data[pos:end].decode()
    pos = end
    topic_id, partition = _read_ui(data, pos)
    pos += 20
    return ShareUpdateKey(group_id, topic_id, partition), pos


def _encode_share_update_key_v0(push: Push, this: ShareUpdateKey) -> None:
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent)
    push(_pack_h(n))
    push(group_id_sent)
    push(_pack_ui(this.topic_id, this.partition))


_DECODERS = {
    0: _decode_share_update_key_v0,
}
_ENCODERS = {
    0: _encode_share_update_key_v0,
}
