# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import field_refused, null_refused, wrong_tag_size
from penstock.wire.messages.broker_heartbeat_request import BrokerHeartbeatRequest
from penstock.wire.primitives import (
    Buffer,
    Push,
    compact_uuids,
    long_varint,
    read_tag,
    read_uuids,
    skip_tags,
    tag_section,
    tagged_field,
)

_read_iqqttB = Struct(">iqq??B").unpack_from
_pack_iqqtt = Struct(">iqq??").pack
_pack_iqqttx = Struct(">iqq??x").pack


def _decode_broker_heartbeat_request_v0(data: bytes, pos: int) -> tuple[BrokerHeartbeatRequest, int]:
    broker_id, broker_epoch, current_metadata_offset, want_fence, want_shut_down, tags = _read_iqqttB(data, pos)
    pos += 23
    if tags:
        pos = skip_tags(data, pos, tags)
    return BrokerHeartbeatRequest(broker_id, broker_epoch, current_metadata_offset, want_fence, want_shut_down), pos


def _decode_broker_heartbeat_request_v1(data: bytes, pos: int) -> tuple[BrokerHeartbeatRequest, int]:
    broker_id, broker_epoch, current_metadata_offset, want_fence, want_shut_down, tags = _read_iqqttB(data, pos)
    pos += 23
    item = BrokerHeartbeatRequest(broker_id, broker_epoch, current_metadata_offset, want_fence, want_shut_down)
    if tags:
        if tags > 127:
            tags, pos = long_varint(data, pos)
        for _ in range(tags):
            tag, tag_end, pos = read_tag(data, pos)
            if tag == 0:
                n = data[pos]
                pos += 1
                if n > 127:
                    n, pos = long_varint(data, pos)
                if not n:
                    raise null_refused("offline_log_dirs")
                n -= 1
                offline_log_dirs = read_uuids(data, pos, n)
                pos += 16 * n
                item.offline_log_dirs = offline_log_dirs
                if pos != tag_end:
                    raise wrong_tag_size("offline_log_dirs")
            else:
                pos = tag_end
    return item, pos


def _decode_broker_heartbeat_request_v2(data: bytes, pos: int) -> tuple[BrokerHeartbeatRequest, int]:
    broker_id, broker_epoch, current_metadata_offset, want_fence, want_shut_down, tags = _read_iqqttB(data, pos)
    pos += 23
    item = BrokerHeartbeatRequest(broker_id, broker_epoch, current_metadata_offset, want_fence, want_shut_down)
    if tags:
        if tags > 127:
            tags, pos = long_varint(data, pos)
        for _ in range(tags):
            tag, tag_end, pos = read_tag(data, pos)
            if tag == 0:
                n = data[pos]
                pos += 1
                if n > 127:
                    n, pos = long_varint(data, pos)
                if not n:
                    raise null_refused("offline_log_dirs")
                n -= 1
                offline_log_dirs = read_uuids(data, pos, n)
                pos += 16 * n
                item.offline_log_dirs = offline_log_dirs
                if pos != tag_end:
                    raise wrong_tag_size("offline_log_dirs")
            elif tag == 1:
                n = data[pos]
                pos += 1
                if n > 127:
                    n, pos = long_varint(data, pos)
                cordoned_log_dirs: list[bytes] | None = None
                if n:
                    n -= 1
                    cordoned_log_dirs = read_uuids(data, pos, n)
                    pos += 16 * n
                item.cordoned_log_dirs = cordoned_log_dirs
                if pos != tag_end:
                    raise wrong_tag_size("cordoned_log_dirs")
            else:
                pos = tag_end
    return item, pos


def _encode_broker_heartbeat_request_v0(push: Push, this: BrokerHeartbeatRequest) -> None:
    if len(this.offline_log_dirs):
        raise field_refused("offline_log_dirs")
    if this.cordoned_log_dirs is not None:
        raise field_refused("cordoned_log_dirs")
    push(
        _pack_iqqttx(
            this.broker_id, this.broker_epoch, this.current_metadata_offset, this.want_fence, this.want_shut_down
        )
    )


def _encode_broker_heartbeat_request_v1(push: Push, this: BrokerHeartbeatRequest) -> None:
    if this.cordoned_log_dirs is not None:
        raise field_refused("cordoned_log_dirs")
    push(
        _pack_iqqtt(
            this.broker_id, this.broker_epoch, this.current_metadata_offset, this.want_fence, this.want_shut_down
        )
    )
    tagged: list[bytes] = []
    part: list[Buffer]
    if len(this.offline_log_dirs):
        part = []
        offline_log_dirs = this.offline_log_dirs
        part.append(compact_uuids(offline_log_dirs))
        tagged.append(tagged_field(0, part))
    push(tag_section(tagged) if tagged else b"\0")


def _encode_broker_heartbeat_request_v2(push: Push, this: BrokerHeartbeatRequest) -> None:
    push(
        _pack_iqqtt(
            this.broker_id, this.broker_epoch, this.current_metadata_offset, this.want_fence, this.want_shut_down
        )
    )
    tagged: list[bytes] = []
    part: list[Buffer]
    if len(this.offline_log_dirs):
        part = []
        offline_log_dirs = this.offline_log_dirs
        part.append(compact_uuids(offline_log_dirs))
        tagged.append(tagged_field(0, part))
    if this.cordoned_log_dirs is not None:
        part = []
        cordoned_log_dirs = this.cordoned_log_dirs
        part.append(compact_uuids(cordoned_log_dirs))
        tagged.append(tagged_field(1, part))
    push(tag_section(tagged) if tagged else b"\0")


DECODERS = {
    0: _decode_broker_heartbeat_request_v0,
    1: _decode_broker_heartbeat_request_v1,
    2: _decode_broker_heartbeat_request_v2,
}
ENCODERS = {
    0: _encode_broker_heartbeat_request_v0,
    1: _encode_broker_heartbeat_request_v1,
    2: _encode_broker_heartbeat_request_v2,
}
