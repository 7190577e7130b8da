# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.messages.remove_raft_voter_request import RemoveRaftVoterRequest
from penstock.wire.primitives import BYTE, Push, long_string_length, skip_tags, string_length

_read_iuB = Struct(">i16sB").unpack_from
_pack_iux = Struct(">i16sx").pack


def _decode_remove_raft_voter_request_v0(data: bytes, pos: int) -> tuple[RemoveRaftVoterRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    cluster_id: str | None = None
    if n:
        end = pos + n - 1
        cluster_id = data[pos:end].decode()
        pos = end
    voter_id, voter_directory_id, tags = _read_iuB(data, pos)
    pos += 21
    if tags:
        pos = skip_tags(data, pos, tags)
    return RemoveRaftVoterRequest(cluster_id, voter_id, voter_directory_id), pos


def _encode_remove_raft_voter_request_v0(push: Push, this: RemoveRaftVoterRequest) -> None:
    cluster_id = this.cluster_id
    if cluster_id is None:
        cluster_id_sent = b""
        n = 0
    else:
        cluster_id_sent = cluster_id.encode()
        n = len(cluster_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(cluster_id_sent)
    push(_pack_iux(this.voter_id, this.voter_directory_id))


DECODERS = {
    0: _decode_remove_raft_voter_request_v0,
}
ENCODERS = {
    0: _encode_remove_raft_voter_request_v0,
}
