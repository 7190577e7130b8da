# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import null_refused
from penstock.wire.messages.group_metadata_key import GroupMetadataKey
from penstock.wire.primitives import Push

_read_h = Struct(">h").unpack_from
_pack_h = Struct(">h").pack


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


DECODERS = {
    0: _decode_group_metadata_key_v0,
}
ENCODERS = {
    0: _encode_group_metadata_key_v0,
}
