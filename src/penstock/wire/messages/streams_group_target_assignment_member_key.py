# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct
from typing import ClassVar

import msgspec

from penstock.wire.malformed import null_refused
from penstock.wire.primitives import Buffer, Push, decode_whole, encode_whole

_read_h = Struct(">h").unpack_from
_pack_h = Struct(">h").pack


class StreamsGroupTargetAssignmentMemberKey(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 21
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = None
    group_id: str = ""
    member_id: str = ""

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "StreamsGroupTargetAssignmentMemberKey":
        return decode_whole(
            "StreamsGroupTargetAssignmentMemberKey",
            _DECODERS,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("StreamsGroupTargetAssignmentMemberKey", _ENCODERS, self, version)


def _decode_streams_group_target_assignment_member_key_v0(
    data: bytes, pos: int
) -> tuple[StreamsGroupTargetAssignmentMemberKey, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("group_id")
    end = pos + n
    group_id = data[pos:end].decode()
    pos = end
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("member_id")
    end = pos + n
    member_id = data[pos:end].decode()
    pos = end
    return StreamsGroupTargetAssignmentMemberKey(group_id, member_id), pos


def _encode_streams_group_target_assignment_member_key_v0(
    push: Push, this: StreamsGroupTargetAssignmentMemberKey
) -> None:
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent)
    push(_pack_h(n))
    push(group_id_sent)
    member_id_sent = this.member_id.encode()
    n = len(member_id_sent)
    push(_pack_h(n))
    push(member_id_sent)


_DECODERS = {
    0: _decode_streams_group_target_assignment_member_key_v0,
}
_ENCODERS = {
    0: _encode_streams_group_target_assignment_member_key_v0,
}
