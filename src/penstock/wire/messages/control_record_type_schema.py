# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class ControlRecordTypeSchema(msgspec.Struct, gc=False):
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = None
    type: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ControlRecordTypeSchema":
        return decode_whole(
            "ControlRecordTypeSchema", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ControlRecordTypeSchema", _CODEC, self, version)


_CODEC: "Codec[bytes, ControlRecordTypeSchema]" = Codec("control_record_type_schema")
