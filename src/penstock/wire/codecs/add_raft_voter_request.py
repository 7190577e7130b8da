# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, field_refused, null_refused
from penstock.wire.messages.add_raft_voter_request import AddRaftVoterRequest, Listener
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_tB = Struct(">?B").unpack_from
_read_HB = Struct(">HB").unpack_from
_read_iiuB = Struct(">ii16sB").unpack_from
_pack_tx = Struct(">?x").pack
_pack_Hx = Struct(">Hx").pack
_pack_iiu = Struct(">ii16s").pack
_pack_iiuB = Struct(">ii16sB").pack


def _decode_listener_v0(data: bytes, pos: int) -> tuple[Listener, int]:
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
    return Listener(name, host, port), pos


def _decode_add_raft_voter_request_v0(data: bytes, pos: int) -> tuple[AddRaftVoterRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    cluster_id: str | None = None
    if n:
        end = pos + n - 1
        cluster_id = data[pos:end].decode()
        pos = end
    timeout_ms, voter_id, voter_directory_id, n = _read_iiuB(data, pos)
    pos += 25
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("listeners")
    n -= 1
    if n * 5 > len(data) - pos:
        raise absurd_count("listeners", n)
    listeners: list[Listener] = []
    for _ in range(n):
        listeners_item, pos = _decode_listener_v0(data, pos)
        listeners.append(listeners_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AddRaftVoterRequest(cluster_id, timeout_ms, voter_id, voter_directory_id, listeners), pos


def _decode_add_raft_voter_request_v1(data: bytes, pos: int) -> tuple[AddRaftVoterRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    cluster_id: str | None = None
    if n:
        end = pos + n - 1
        cluster_id = data[pos:end].decode()
        pos = end
    timeout_ms, voter_id, voter_directory_id, n = _read_iiuB(data, pos)
    pos += 25
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("listeners")
    n -= 1
    if n * 5 > len(data) - pos:
        raise absurd_count("listeners", n)
    listeners: list[Listener] = []
    for _ in range(n):
        listeners_item, pos = _decode_listener_v0(data, pos)
        listeners.append(listeners_item)
    ack_when_committed, tags = _read_tB(data, pos)
    pos += 2
    if tags:
        pos = skip_tags(data, pos, tags)
    return AddRaftVoterRequest(cluster_id, timeout_ms, voter_id, voter_directory_id, listeners, ack_when_committed), pos


def _encode_listener_v0(push: Push, this: Listener) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    host_sent = this.host.encode()
    n = len(host_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(host_sent)
    push(_pack_Hx(this.port))


def _encode_add_raft_voter_request_v0(push: Push, this: AddRaftVoterRequest) -> None:
    if not this.ack_when_committed:
        raise field_refused("ack_when_committed")
    cluster_id = this.cluster_id
    if cluster_id is None:
        cluster_id_sent = b""
        n = 0
    else:
        cluster_id_sent = cluster_id.encode()
        n = len(cluster_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(cluster_id_sent)
    listeners = this.listeners
    n = len(listeners) + 1
    push(
        _pack_iiuB(this.timeout_ms, this.voter_id, this.voter_directory_id, n)
        if n < 128
        else _pack_iiu(this.timeout_ms, this.voter_id, this.voter_directory_id) + uvarint(n)
    )
    for listeners_item in listeners:
        _encode_listener_v0(push, listeners_item)
    push(b"\0")


def _encode_add_raft_voter_request_v1(push: Push, this: AddRaftVoterRequest) -> None:
    cluster_id = this.cluster_id
    if cluster_id is None:
        cluster_id_sent = b""
        n = 0
    else:
        cluster_id_sent = cluster_id.encode()
        n = len(cluster_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(cluster_id_sent)
    listeners = this.listeners
    n = len(listeners) + 1
    push(
        _pack_iiuB(this.timeout_ms, this.voter_id, this.voter_directory_id, n)
        if n < 128
        else _pack_iiu(this.timeout_ms, this.voter_id, this.voter_directory_id) + uvarint(n)
    )
    for listeners_item in listeners:
        _encode_listener_v0(push, listeners_item)
    push(_pack_tx(this.ack_when_committed))


DECODERS = {
    0: _decode_add_raft_voter_request_v0,
    1: _decode_add_raft_voter_request_v1,
}
ENCODERS = {
    0: _encode_add_raft_voter_request_v0,
    1: _encode_add_raft_voter_request_v1,
}
