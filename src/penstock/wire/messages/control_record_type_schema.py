# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Push, decode_whole, encode_whole

_read_h = Struct(">h").unpack_from
_pack_h = Struct(">h").pack


class ControlRecordTypeSchema(msgspec.Struct, gc=False):
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = None
    type: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ControlRecordTypeSchema":
        return decode_whole(
            "ControlRecordTypeSchema", _DECODERS, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ControlRecordTypeSchema", _ENCODERS, self, version)


def _decode_control_record_type_schema_v0(data: bytes, pos: int) -> tuple[ControlRecordTypeSchema, int]:
    (type,) = _read_h(data, pos)
    pos += 2
    return ControlRecordTypeSchema(type), pos


def _encode_control_record_type_schema_v0(push: Push, this: ControlRecordTypeSchema) -> None:
    push(_pack_h(this.type))


_DECODERS = {
    0: _decode_control_record_type_schema_v0,
}
_ENCODERS = {
    0: _encode_control_record_type_schema_v0,
}
