# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.voters_record import Endpoint, KRaftVersionFeature, Voter, VotersRecord
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_HB = Struct(">HB").unpack_from
_read_hB = Struct(">hB").unpack_from
_read_hhB = Struct(">hhB").unpack_from
_read_iuB = Struct(">i16sB").unpack_from
_pack_Hx = Struct(">Hx").pack
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hhx = Struct(">hhx").pack
_pack_iu = Struct(">i16s").pack
_pack_iuB = Struct(">i16sB").pack


def _decode_endpoint_v0(data: bytes, pos: int) -> tuple[Endpoint, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("name")
    end = pos + n - 1
    name = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("host")
    end = pos + n - 1
    host = data[pos:end].decode()
    pos = end
    port, tags = _read_HB(data, pos)
    pos += 3
    if tags:
        pos = skip_tags(data, pos, tags)
    return Endpoint(name, host, port), pos


def _decode_kraft_version_feature_v0(data: bytes, pos: int) -> tuple[KRaftVersionFeature, int]:
    min_supported_version, max_supported_version, tags = _read_hhB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return KRaftVersionFeature(min_supported_version, max_supported_version), pos


def _decode_voter_v0(data: bytes, pos: int) -> tuple[Voter, int]:
    voter_id, voter_directory_id, n = _read_iuB(data, pos)
    pos += 21
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("endpoints")
    n -= 1
    if n * 5 > len(data) - pos:
        raise absurd_count("endpoints", n)
    endpoints: list[Endpoint] = []
    for _ in range(n):
        endpoints_item, pos = _decode_endpoint_v0(data, pos)
        endpoints.append(endpoints_item)
    kraft_version_feature, pos = _decode_kraft_version_feature_v0(data, pos)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return Voter(voter_id, voter_directory_id, endpoints, kraft_version_feature), pos


def _decode_voters_record_v0(data: bytes, pos: int) -> tuple[VotersRecord, int]:
    version, n = _read_hB(data, pos)
    pos += 3
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("voters")
    n -= 1
    if n * 27 > len(data) - pos:
        raise absurd_count("voters", n)
    voters: list[Voter] = []
    for _ in range(n):
        voters_item, pos = _decode_voter_v0(data, pos)
        voters.append(voters_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return VotersRecord(version, voters), pos


def _encode_endpoint_v0(push: Push, this: Endpoint) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    host_sent = this.host.encode()
    n = len(host_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(host_sent)
    push(_pack_Hx(this.port))


def _encode_kraft_version_feature_v0(push: Push, this: KRaftVersionFeature) -> None:
    push(_pack_hhx(this.min_supported_version, this.max_supported_version))


def _encode_voter_v0(push: Push, this: Voter) -> None:
    endpoints = this.endpoints
    n = len(endpoints) + 1
    push(
        _pack_iuB(this.voter_id, this.voter_directory_id, n)
        if n < 128
        else _pack_iu(this.voter_id, this.voter_directory_id) + uvarint(n)
    )
    for endpoints_item in endpoints:
        _encode_endpoint_v0(push, endpoints_item)
    _encode_kraft_version_feature_v0(push, this.kraft_version_feature)
    push(b"\0")


def _encode_voters_record_v0(push: Push, this: VotersRecord) -> None:
    voters = this.voters
    n = len(voters) + 1
    push(_pack_hB(this.version, n) if n < 128 else _pack_h(this.version) + uvarint(n))
    for voters_item in voters:
        _encode_voter_v0(push, voters_item)
    push(b"\0")


DECODERS = {
    0: _decode_voters_record_v0,
}
ENCODERS = {
    0: _encode_voters_record_v0,
}
