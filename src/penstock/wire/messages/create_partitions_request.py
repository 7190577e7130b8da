# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class CreatePartitionsAssignment(msgspec.Struct, gc=False):
    broker_ids: list[int] = msgspec.field(default_factory=list)


class CreatePartitionsTopic(msgspec.Struct, gc=False):
    name: str = ""
    count: int = 0
    assignments: list[CreatePartitionsAssignment] | None = msgspec.field(default_factory=list)


class CreatePartitionsRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 37
    versions: ClassVar[tuple[int, int]] = (0, 3)
    flexible_from: ClassVar[int | None] = 2
    topics: list[CreatePartitionsTopic] = msgspec.field(default_factory=list)
    timeout_ms: int = 0
    validate_only: bool = False

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "CreatePartitionsRequest":
        return decode_whole(
            "CreatePartitionsRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("CreatePartitionsRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, CreatePartitionsRequest]" = Codec("create_partitions_request")
