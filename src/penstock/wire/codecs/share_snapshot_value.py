# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused, wrong_tag_size
from penstock.wire.messages.share_snapshot_value import ShareSnapshotValue, StateBatch
from penstock.wire.primitives import BYTE, Buffer, Push, long_varint, read_tag, tag_section, tagged_field, uvarint

_read_b = Struct(">b").unpack_from
_read_i = Struct(">i").unpack_from
_read_iiiqqqB = Struct(">iiiqqqB").unpack_from
_read_q = Struct(">q").unpack_from
_read_qqbhB = Struct(">qqbhB").unpack_from
_pack_b = Struct(">b").pack
_pack_i = Struct(">i").pack
_pack_iiiqqq = Struct(">iiiqqq").pack
_pack_iiiqqqB = Struct(">iiiqqqB").pack
_pack_q = Struct(">q").pack
_pack_qqbh = Struct(">qqbh").pack


def _decode_state_batch_v0(data: bytes, pos: int) -> tuple[StateBatch, int]:
    first_offset, last_offset, delivery_state, delivery_count, tags = _read_qqbhB(data, pos)
    pos += 20
    item = StateBatch(first_offset, last_offset, delivery_state, delivery_count)
    if tags:
        if tags > 127:
            tags, pos = long_varint(data, pos)
        for _ in range(tags):
            tag, tag_end, pos = read_tag(data, pos)
            if tag == 10000:
                (not_before_ms,) = _read_q(data, pos)
                pos += 8
                item.not_before_ms = not_before_ms
                if pos != tag_end:
                    raise wrong_tag_size("not_before_ms")
            elif tag == 10010:
                (dead_letter_reason,) = _read_b(data, pos)
                pos += 1
                item.dead_letter_reason = dead_letter_reason
                if pos != tag_end:
                    raise wrong_tag_size("dead_letter_reason")
            else:
                pos = tag_end
    return item, pos


def _decode_share_snapshot_value_v0(data: bytes, pos: int) -> tuple[ShareSnapshotValue, int]:
    snapshot_epoch, state_epoch, leader_epoch, start_offset, create_timestamp, write_timestamp, n = _read_iiiqqqB(
        data, pos
    )
    pos += 37
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("state_batches")
    n -= 1
    if n * 20 > len(data) - pos:
        raise absurd_count("state_batches", n)
    state_batches: list[StateBatch] = []
    for _ in range(n):
        state_batches_item, pos = _decode_state_batch_v0(data, pos)
        state_batches.append(state_batches_item)
    tags = data[pos]
    pos += 1
    item = ShareSnapshotValue(
        snapshot_epoch,
        state_epoch,
        leader_epoch,
        start_offset,
        create_timestamp=create_timestamp,
        write_timestamp=write_timestamp,
        state_batches=state_batches,
    )
    if tags:
        if tags > 127:
            tags, pos = long_varint(data, pos)
        for _ in range(tags):
            tag, tag_end, pos = read_tag(data, pos)
            if tag == 0:
                (delivery_complete_count,) = _read_i(data, pos)
                pos += 4
                item.delivery_complete_count = delivery_complete_count
                if pos != tag_end:
                    raise wrong_tag_size("delivery_complete_count")
            elif tag == 10011:
                n = data[pos]
                pos += 1
                if n > 127:
                    n, pos = long_varint(data, pos)
                if not n:
                    raise null_refused("relay")
                end = pos + n - 1
                relay = data[pos:end]
                pos = end
                item.relay = relay
                if pos != tag_end:
                    raise wrong_tag_size("relay")
            else:
                pos = tag_end
    return item, pos


def _encode_state_batch_v0(push: Push, this: StateBatch) -> None:
    push(_pack_qqbh(this.first_offset, this.last_offset, this.delivery_state, this.delivery_count))
    tagged: list[bytes] = []
    part: list[Buffer]
    if this.not_before_ms != 0:
        part = []
        part.append(_pack_q(this.not_before_ms))
        tagged.append(tagged_field(10000, part))
    if this.dead_letter_reason != 0:
        part = []
        part.append(_pack_b(this.dead_letter_reason))
        tagged.append(tagged_field(10010, part))
    push(tag_section(tagged) if tagged else b"\0")


def _encode_share_snapshot_value_v0(push: Push, this: ShareSnapshotValue) -> None:
    state_batches = this.state_batches
    n = len(state_batches) + 1
    push(
        _pack_iiiqqqB(
            this.snapshot_epoch,
            this.state_epoch,
            this.leader_epoch,
            this.start_offset,
            this.create_timestamp,
            this.write_timestamp,
            n,
        )
        if n < 128
        else _pack_iiiqqq(
            this.snapshot_epoch,
            this.state_epoch,
            this.leader_epoch,
            this.start_offset,
            this.create_timestamp,
            this.write_timestamp,
        )
        + uvarint(n)
    )
    for state_batches_item in state_batches:
        _encode_state_batch_v0(push, state_batches_item)
    tagged: list[bytes] = []
    part: list[Buffer]
    if this.delivery_complete_count != -1:
        part = []
        part.append(_pack_i(this.delivery_complete_count))
        tagged.append(tagged_field(0, part))
    if len(this.relay):
        part = []
        relay_sent = this.relay
        n = len(relay_sent) + 1
        part.append(BYTE[n] if n < 128 else uvarint(n))
        part.append(relay_sent)
        tagged.append(tagged_field(10011, part))
    push(tag_section(tagged) if tagged else b"\0")


DECODERS = {
    0: _decode_share_snapshot_value_v0,
}
ENCODERS = {
    0: _encode_share_snapshot_value_v0,
}
