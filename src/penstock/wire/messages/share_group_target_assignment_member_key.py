# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class ShareGroupTargetAssignmentMemberKey(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 13
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = None
    group_id: str = ""
    member_id: str = ""

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ShareGroupTargetAssignmentMemberKey":
        return decode_whole(
            "ShareGroupTargetAssignmentMemberKey",
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ShareGroupTargetAssignmentMemberKey", _CODEC, self, version)


_CODEC: "Codec[bytes, ShareGroupTargetAssignmentMemberKey]" = Codec("share_group_target_assignment_member_key")
