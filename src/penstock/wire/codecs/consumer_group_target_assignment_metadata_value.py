# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import wrong_tag_size
from penstock.wire.messages.consumer_group_target_assignment_metadata_value import (
    ConsumerGroupTargetAssignmentMetadataValue,
)
from penstock.wire.primitives import Buffer, Push, long_varint, read_tag, tag_section, tagged_field

_read_iB = Struct(">iB").unpack_from
_read_q = Struct(">q").unpack_from
_pack_i = Struct(">i").pack
_pack_q = Struct(">q").pack


def _decode_consumer_group_target_assignment_metadata_value_v0(
    data: bytes, pos: int
) -> tuple[ConsumerGroupTargetAssignmentMetadataValue, int]:
    assignment_epoch, tags = _read_iB(data, pos)
    pos += 5
    item = ConsumerGroupTargetAssignmentMetadataValue(assignment_epoch)
    if tags:
        if tags > 127:
            tags, pos = long_varint(data, pos)
        for _ in range(tags):
            tag, tag_end, pos = read_tag(data, pos)
            if tag == 0:
                (assignment_timestamp,) = _read_q(data, pos)
                pos += 8
                item.assignment_timestamp = assignment_timestamp
                if pos != tag_end:
                    raise wrong_tag_size("assignment_timestamp")
            else:
                pos = tag_end
    return item, pos


def _encode_consumer_group_target_assignment_metadata_value_v0(
    push: Push, this: ConsumerGroupTargetAssignmentMetadataValue
) -> None:
    push(_pack_i(this.assignment_epoch))
    tagged: list[bytes] = []
    part: list[Buffer]
    if this.assignment_timestamp != 0:
        part = []
        part.append(_pack_q(this.assignment_timestamp))
        tagged.append(tagged_field(0, part))
    push(tag_section(tagged) if tagged else b"\0")


DECODERS = {
    0: _decode_consumer_group_target_assignment_metadata_value_v0,
}
ENCODERS = {
    0: _encode_consumer_group_target_assignment_metadata_value_v0,
}
