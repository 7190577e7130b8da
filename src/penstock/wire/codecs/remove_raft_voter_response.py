# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.messages.remove_raft_voter_response import RemoveRaftVoterResponse
from penstock.wire.primitives import Push, long_string_length, skip_tags, string_length

_read_ihB = Struct(">ihB").unpack_from
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack


def _decode_remove_raft_voter_response_v0(data: bytes, pos: int) -> tuple[RemoveRaftVoterResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_string_length(data, pos)
    error_message: str | None = None
    if n:
        end = pos + n - 1
        error_message = data[pos:end].decode()
        pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return RemoveRaftVoterResponse(throttle_time_ms, error_code, error_message), pos


def _encode_remove_raft_voter_response_v0(push: Push, this: RemoveRaftVoterResponse) -> None:
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(
        _pack_ihB(this.throttle_time_ms, this.error_code, n)
        if n < 128
        else _pack_ih(this.throttle_time_ms, this.error_code) + string_length(n)
    )
    push(error_message_sent)
    push(b"\0")


DECODERS = {
    0: _decode_remove_raft_voter_response_v0,
}
ENCODERS = {
    0: _encode_remove_raft_voter_response_v0,
}
