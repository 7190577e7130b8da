"""ShareFetch's response, by hand: header bytes between file slices, as Fetch has it. Versions 1 and 2 are the same.

Equal to the generated codec (a test holds the two together).
"""

import struct
from collections.abc import Sequence
from typing import Any

import msgspec

from penstock.wire.primitives import uvarint
from penstock.wire.produce import Endpoint

_HEAD = struct.Struct(">ih")
_I16 = struct.Struct(">h")
_I32 = struct.Struct(">i")
_INDEX_AND_CODE = struct.Struct(">ih")
_LEADER = struct.Struct(">iix")
_ACQUIRED = struct.Struct(">qqhx")


class SharePartitionAnswer(msgspec.Struct):
    index: int
    error_code: int = 0
    error_message: str | None = None
    acknowledge_error_code: int = 0
    acknowledge_error_message: str | None = None
    current_leader: tuple[int, int] = (0, 0)
    records: Any = None
    acquired: Sequence[tuple[int, int, int]] = ()
    """First and last offset, and the how manieth delivery it is."""


def encode_response(
    topics: Sequence[tuple[bytes, Sequence[SharePartitionAnswer]]],
    *,
    error_code: int = 0,
    error_message: str | None = None,
    throttle_time_ms: int = 0,
    lock_timeout_ms: int = 0,
    endpoints: Sequence[Endpoint] = (),
) -> list[Any]:
    """Chunks to be sent in this order; records stay what they are."""
    chunks: list[Any] = []
    out = bytearray(_HEAD.pack(throttle_time_ms, error_code))
    out += _text(error_message)
    out += _I32.pack(lock_timeout_ms)
    out += uvarint(len(topics) + 1)
    for topic_id, answers in topics:
        out += topic_id
        out += uvarint(len(answers) + 1)
        for answer in answers:
            out += _INDEX_AND_CODE.pack(answer.index, answer.error_code)
            out += _text(answer.error_message)
            out += _I16.pack(answer.acknowledge_error_code)
            out += _text(answer.acknowledge_error_message)
            out += _LEADER.pack(*answer.current_leader)
            size = 0 if answer.records is None else answer.records.size
            out += uvarint(size + 1)
            if size:
                chunks += (out, answer.records)
                out = bytearray()
            out += uvarint(len(answer.acquired) + 1)
            for each in answer.acquired:
                out += _ACQUIRED.pack(*each)
            out += b"\x00"
        out += b"\x00"
    out += uvarint(len(endpoints) + 1)
    for endpoint in endpoints:
        out += _I32.pack(endpoint.node_id)
        out += _text(endpoint.host)
        out += _I32.pack(endpoint.port)
        out += _text(endpoint.rack)
        out += b"\x00"
    out += b"\x00"
    chunks.append(out)
    return chunks


def _text(text: str | None) -> bytes:
    if text is None:
        return b"\x00"
    sent = text.encode()
    return uvarint(len(sent) + 1) + sent
