# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import null_refused
from penstock.wire.messages.share_snapshot_key import ShareSnapshotKey
from penstock.wire.primitives import Push

_read_ui = Struct(">16si").unpack_from
_read_h = Struct(">h").unpack_from
_pack_ui = Struct(">16si").pack
_pack_h = Struct(">h").pack


def _decode_share_snapshot_key_v0(data: bytes, pos: int) -> tuple[ShareSnapshotKey, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("group_id")
    end = pos + n
    group_id = data[pos:end].decode()
    pos = end
    topic_id, partition = _read_ui(data, pos)
    pos += 20
    return ShareSnapshotKey(group_id, topic_id, partition), pos


def _encode_share_snapshot_key_v0(push: Push, this: ShareSnapshotKey) -> None:
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent)
    push(_pack_h(n))
    push(group_id_sent)
    push(_pack_ui(this.topic_id, this.partition))


DECODERS = {
    0: _decode_share_snapshot_key_v0,
}
ENCODERS = {
    0: _encode_share_snapshot_key_v0,
}
