# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class ShareGroupMemberMetadataValue(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 10
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    rack_id: str | None = ""
    client_id: str = ""
    client_host: str = ""
    subscribed_topic_names: list[str] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ShareGroupMemberMetadataValue":
        return decode_whole(
            "ShareGroupMemberMetadataValue", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ShareGroupMemberMetadataValue", _CODEC, self, version)


_CODEC: "Codec[bytes, ShareGroupMemberMetadataValue]" = Codec("share_group_member_metadata_value")
