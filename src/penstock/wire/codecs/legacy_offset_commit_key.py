# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import null_refused
from penstock.wire.messages.legacy_offset_commit_key import LegacyOffsetCommitKey
from penstock.wire.primitives import Push

_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack


def _decode_legacy_offset_commit_key_v0(data: bytes, pos: int) -> tuple[LegacyOffsetCommitKey, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("group")
    end = pos + n
    group = data[pos:end].decode()
    pos = end
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("topic")
    end = pos + n
    topic = data[pos:end].decode()
    pos = end
    (partition,) = _read_i(data, pos)
    pos += 4
    return LegacyOffsetCommitKey(group, topic, partition), pos


def _encode_legacy_offset_commit_key_v0(push: Push, this: LegacyOffsetCommitKey) -> None:
    group_sent = this.group.encode()
    n = len(group_sent)
    push(_pack_h(n))
    push(group_sent)
    topic_sent = this.topic.encode()
    n = len(topic_sent)
    push(_pack_h(n))
    push(topic_sent)
    push(_pack_i(this.partition))


DECODERS = {
    0: _decode_legacy_offset_commit_key_v0,
}
ENCODERS = {
    0: _encode_legacy_offset_commit_key_v0,
}
