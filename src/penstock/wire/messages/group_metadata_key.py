# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct
from typing import ClassVar

import msgspec

from penstock.wire.malformed import null_refused
from penstock.wire.primitives import Buffer, Push, decode_whole, encode_whole

_read_h = Struct(">h").unpack_from
_pack_h = Struct(">h").pack


class GroupMetadataKey(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 2
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = None
    group: str = ""

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "GroupMetadataKey":
        return decode_whole(
            "GroupMetadataKey", _DECODERS, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("GroupMetadataKey", _ENCODERS, self, version)


def _decode_group_metadata_key_v0(data: bytes, pos: int) -> tuple[GroupMetadataKey, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("group")
    end = pos + n
    group = data[pos:end].decode()
    pos = end
    return GroupMetadataKey(group), pos


def _encode_group_metadata_key_v0(push: Push, this: GroupMetadataKey) -> None:
    group_sent = this.group.encode()
    n = len(group_sent)
    push(_pack_h(n))
    push(group_sent)


_DECODERS = {
    0: _decode_group_metadata_key_v0,
}
_ENCODERS = {
    0: _encode_group_metadata_key_v0,
}
