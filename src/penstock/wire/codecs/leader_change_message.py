# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, field_refused, null_refused
from penstock.wire.messages.leader_change_message import LeaderChangeMessage, Voter
from penstock.wire.primitives import BYTE, ZERO_UUID, Push, long_varint, skip_tags, uvarint

_read_hiB = Struct(">hiB").unpack_from
_read_iuB = Struct(">i16sB").unpack_from
_read_iB = Struct(">iB").unpack_from
_pack_hi = Struct(">hi").pack
_pack_hiB = Struct(">hiB").pack
_pack_iux = Struct(">i16sx").pack
_pack_ix = Struct(">ix").pack


def _decode_voter_v0(data: bytes, pos: int) -> tuple[Voter, int]:
    voter_id, tags = _read_iB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return Voter(voter_id), pos


def _decode_leader_change_message_v0(data: bytes, pos: int) -> tuple[LeaderChangeMessage, int]:
    version, leader_id, n = _read_hiB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("voters")
    n -= 1
    if n * 5 > len(data) - pos:
        raise absurd_count("voters", n)
    voters: list[Voter] = []
    for _ in range(n):
        voters_item, pos = _decode_voter_v0(data, pos)
        voters.append(voters_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("granting_voters")
    n -= 1
    if n * 5 > len(data) - pos:
        raise absurd_count("granting_voters", n)
    granting_voters: list[Voter] = []
    for _ in range(n):
        granting_voters_item, pos = _decode_voter_v0(data, pos)
        granting_voters.append(granting_voters_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return LeaderChangeMessage(version, leader_id, voters, granting_voters), pos


def _decode_voter_v1(data: bytes, pos: int) -> tuple[Voter, int]:
    voter_id, voter_directory_id, tags = _read_iuB(data, pos)
    pos += 21
    if tags:
        pos = skip_tags(data, pos, tags)
    return Voter(voter_id, voter_directory_id), pos


def _decode_leader_change_message_v1(data: bytes, pos: int) -> tuple[LeaderChangeMessage, int]:
    version, leader_id, n = _read_hiB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("voters")
    n -= 1
    if n * 21 > len(data) - pos:
        raise absurd_count("voters", n)
    voters: list[Voter] = []
    for _ in range(n):
        voters_item, pos = _decode_voter_v1(data, pos)
        voters.append(voters_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("granting_voters")
    n -= 1
    if n * 21 > len(data) - pos:
        raise absurd_count("granting_voters", n)
    granting_voters: list[Voter] = []
    for _ in range(n):
        granting_voters_item, pos = _decode_voter_v1(data, pos)
        granting_voters.append(granting_voters_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return LeaderChangeMessage(version, leader_id, voters, granting_voters), pos


def _encode_voter_v0(push: Push, this: Voter) -> None:
    if this.voter_directory_id != ZERO_UUID:
        raise field_refused("voter_directory_id")
    push(_pack_ix(this.voter_id))


def _encode_leader_change_message_v0(push: Push, this: LeaderChangeMessage) -> None:
    voters = this.voters
    n = len(voters) + 1
    push(_pack_hiB(this.version, this.leader_id, n) if n < 128 else _pack_hi(this.version, this.leader_id) + uvarint(n))
    for voters_item in voters:
        _encode_voter_v0(push, voters_item)
    granting_voters = this.granting_voters
    n = len(granting_voters) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for granting_voters_item in granting_voters:
        _encode_voter_v0(push, granting_voters_item)
    push(b"\0")


def _encode_voter_v1(push: Push, this: Voter) -> None:
    push(_pack_iux(this.voter_id, this.voter_directory_id))


def _encode_leader_change_message_v1(push: Push, this: LeaderChangeMessage) -> None:
    voters = this.voters
    n = len(voters) + 1
    push(_pack_hiB(this.version, this.leader_id, n) if n < 128 else _pack_hi(this.version, this.leader_id) + uvarint(n))
    for voters_item in voters:
        _encode_voter_v1(push, voters_item)
    granting_voters = this.granting_voters
    n = len(granting_voters) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for granting_voters_item in granting_voters:
        _encode_voter_v1(push, granting_voters_item)
    push(b"\0")


DECODERS = {
    0: _decode_leader_change_message_v0,
    1: _decode_leader_change_message_v1,
}
ENCODERS = {
    0: _encode_leader_change_message_v0,
    1: _encode_leader_change_message_v1,
}
