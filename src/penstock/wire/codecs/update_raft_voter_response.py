# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import null_refused, wrong_tag_size
from penstock.wire.messages.update_raft_voter_response import CurrentLeader, UpdateRaftVoterResponse
from penstock.wire.primitives import (
    Buffer,
    Push,
    long_string_length,
    long_varint,
    read_tag,
    skip_tags,
    string_length,
    tag_section,
    tagged_field,
)

_read_iB = Struct(">iB").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_read_iiB = Struct(">iiB").unpack_from
_pack_ih = Struct(">ih").pack
_pack_ii = Struct(">ii").pack
_pack_iiB = Struct(">iiB").pack
_pack_ix = Struct(">ix").pack


def _decode_current_leader_v0(data: bytes, pos: int) -> tuple[CurrentLeader, int]:
    leader_id, leader_epoch, n = _read_iiB(data, pos)
    pos += 9
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("host")
    end = pos + n - 1
    host = data[pos:end].decode()
    pos = end
    port, tags = _read_iB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return CurrentLeader(leader_id, leader_epoch, host, port), pos


def _decode_update_raft_voter_response_v0(data: bytes, pos: int) -> tuple[UpdateRaftVoterResponse, int]:
    throttle_time_ms, error_code, tags = _read_ihB(data, pos)
    pos += 7
    item = UpdateRaftVoterResponse(throttle_time_ms, error_code)
    if tags:
        if tags > 127:
            tags, pos = long_varint(data, pos)
        for _ in range(tags):
            tag, tag_end, pos = read_tag(data, pos)
            if tag == 0:
                current_leader, pos = _decode_current_leader_v0(data, pos)
                item.current_leader = current_leader
                if pos != tag_end:
                    raise wrong_tag_size("current_leader")
            else:
                pos = tag_end
    return item, pos


def _encode_current_leader_v0(push: Push, this: CurrentLeader) -> None:
    host_sent = this.host.encode()
    n = len(host_sent) + 1
    push(
        _pack_iiB(this.leader_id, this.leader_epoch, n)
        if n < 128
        else _pack_ii(this.leader_id, this.leader_epoch) + string_length(n)
    )
    push(host_sent)
    push(_pack_ix(this.port))


def _encode_update_raft_voter_response_v0(push: Push, this: UpdateRaftVoterResponse) -> None:
    push(_pack_ih(this.throttle_time_ms, this.error_code))
    tagged: list[bytes] = []
    part: list[Buffer]
    if this.current_leader != _DEFAULT_CURRENT_LEADER:
        part = []
        _encode_current_leader_v0(part.append, this.current_leader)
        tagged.append(tagged_field(0, part))
    push(tag_section(tagged) if tagged else b"\0")


DECODERS = {
    0: _decode_update_raft_voter_response_v0,
}
ENCODERS = {
    0: _encode_update_raft_voter_response_v0,
}

_DEFAULT_CURRENT_LEADER = CurrentLeader()
