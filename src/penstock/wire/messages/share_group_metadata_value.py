# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Push, decode_whole, encode_whole, skip_tags

_read_iqB = Struct(">iqB").unpack_from
_pack_iqx = Struct(">iqx").pack


class ShareGroupMetadataValue(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 11
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    epoch: int = 0
    metadata_hash: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ShareGroupMetadataValue":
        return decode_whole(
            "ShareGroupMetadataValue", _DECODERS, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ShareGroupMetadataValue", _ENCODERS, self, version)


def _decode_share_group_metadata_value_v0(data: bytes, pos: int) -> tuple[ShareGroupMetadataValue, int]:
    epoch, metadata_hash, tags = _read_iqB(data, pos)
    pos += 13
    if tags:
        pos = skip_tags(data, pos, tags)
    return ShareGroupMetadataValue(epoch, metadata_hash), pos


def _encode_share_group_metadata_value_v0(push: Push, this: ShareGroupMetadataValue) -> None:
    push(_pack_iqx(this.epoch, this.metadata_hash))


_DECODERS = {
    0: _decode_share_group_metadata_value_v0,
}
_ENCODERS = {
    0: _encode_share_group_metadata_value_v0,
}
