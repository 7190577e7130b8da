# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.messages.share_group_metadata_value import ShareGroupMetadataValue
from penstock.wire.primitives import Push, skip_tags

_read_iqB = Struct(">iqB").unpack_from
_pack_iqx = Struct(">iqx").pack


def _decode_share_group_metadata_value_v0(data: bytes, pos: int) -> tuple[ShareGroupMetadataValue, int]:
    epoch, metadata_hash, tags = _read_iqB(data, pos)
    pos += 13
    if tags:
        pos = skip_tags(data, pos, tags)
    return ShareGroupMetadataValue(epoch, metadata_hash), pos


def _encode_share_group_metadata_value_v0(push: Push, this: ShareGroupMetadataValue) -> None:
    push(_pack_iqx(this.epoch, this.metadata_hash))


DECODERS = {
    0: _decode_share_group_metadata_value_v0,
}
ENCODERS = {
    0: _encode_share_group_metadata_value_v0,
}
