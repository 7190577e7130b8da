# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.messages.control_record_type_schema import ControlRecordTypeSchema
from penstock.wire.primitives import Push

_read_h = Struct(">h").unpack_from
_pack_h = Struct(">h").pack


def _decode_control_record_type_schema_v0(data: bytes, pos: int) -> tuple[ControlRecordTypeSchema, int]:
    (type,) = _read_h(data, pos)
    pos += 2
    return ControlRecordTypeSchema(type), pos


def _encode_control_record_type_schema_v0(push: Push, this: ControlRecordTypeSchema) -> None:
    push(_pack_h(this.type))


DECODERS = {
    0: _decode_control_record_type_schema_v0,
}
ENCODERS = {
    0: _encode_control_record_type_schema_v0,
}
