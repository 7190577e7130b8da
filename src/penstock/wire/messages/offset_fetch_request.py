# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class OffsetFetchRequestTopic(msgspec.Struct, gc=False):
    name: str = ""
    partition_indexes: list[int] = msgspec.field(default_factory=list)


class OffsetFetchRequestTopics(msgspec.Struct, gc=False):
    name: str = ""
    topic_id: bytes = ZERO_UUID
    partition_indexes: list[int] = msgspec.field(default_factory=list)


class OffsetFetchRequestGroup(msgspec.Struct, gc=False):
    group_id: str = ""
    member_id: str | None = None
    member_epoch: int = -1
    topics: list[OffsetFetchRequestTopics] | None = msgspec.field(default_factory=list)


class OffsetFetchRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 9
    versions: ClassVar[tuple[int, int]] = (1, 10)
    flexible_from: ClassVar[int | None] = 6
    group_id: str = ""
    topics: list[OffsetFetchRequestTopic] | None = msgspec.field(default_factory=list)
    groups: list[OffsetFetchRequestGroup] = msgspec.field(default_factory=list)
    require_stable: bool = False

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "OffsetFetchRequest":
        return decode_whole(
            "OffsetFetchRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("OffsetFetchRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, OffsetFetchRequest]" = Codec("offset_fetch_request")
