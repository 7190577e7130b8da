"""Frames and headers: what stands before a request's or a response's body.

A frame is an int32 size, then that many bytes: header and body. Functions that make a frame put the size in front;
functions that take one expect it gone.
"""

import struct

import msgspec

from penstock.wire.api import request_header_version, response_header_version
from penstock.wire.malformed import Malformed
from penstock.wire.primitives import Buffer, skip_tags

SIZE = struct.Struct(">i")
_REQUEST_FIXED = struct.Struct(">hhi")  # api key, api version, correlation id
_INT16 = struct.Struct(">h")
_CORRELATION_ID = struct.Struct(">i")
_RESPONSE_V0 = struct.Struct(">ii")  # size, correlation id
_RESPONSE_V1 = struct.Struct(">iix")  # and no tagged fields


class UnknownApi(Malformed):
    """An API key that Kafka does not have: what follows it in the frame cannot be known."""


class RequestHeader(msgspec.Struct, frozen=True, gc=False):
    api_key: int
    api_version: int
    correlation_id: int
    client_id: str | None = None

    @classmethod
    def decode(cls, frame: Buffer) -> "tuple[RequestHeader, int]":
        """Read the header of any version; with it comes the position at which the body starts."""
        try:
            api_key, api_version, correlation_id = _REQUEST_FIXED.unpack_from(frame)
            version = request_header_version(api_key, api_version)
            if version == 0:
                return cls(api_key, api_version, correlation_id), 8
            # In every version the client id has a plain length, so that any broker can read a newer client's header.
            (length,) = _INT16.unpack_from(frame, 8)
            position = 10
            client_id = None
            if length >= 0:
                position += length
                client_id = str(frame[10:position], "utf-8", "replace")  # as Kafka reads it
            elif length != -1:
                raise Malformed(f"the client id has the length {length}")
            if version == 2:
                tags = frame[position]
                position += 1
                if tags:
                    position = skip_tags(frame, position, tags)
        except KeyError:
            raise UnknownApi(f"there is no API {api_key}") from None
        except (IndexError, struct.error):
            raise Malformed("the request header is truncated") from None
        if position > len(frame):
            raise Malformed("the request header is truncated")
        return cls(api_key, api_version, correlation_id, client_id), position

    def encode(self) -> bytes:
        """As a client writes it."""
        fixed = _REQUEST_FIXED.pack(self.api_key, self.api_version, self.correlation_id)
        version = request_header_version(self.api_key, self.api_version)
        if version == 0:
            return fixed
        if self.client_id is None:
            name = _INT16.pack(-1)
        else:
            encoded = self.client_id.encode()
            name = _INT16.pack(len(encoded)) + encoded
        return fixed + name + (b"\0" if version == 2 else b"")


def response_start(api_key: int, api_version: int, correlation_id: int, body_size: int) -> bytes:
    """Size and header of a response whose body, of `body_size` bytes, follows separately."""
    if response_header_version(api_key, api_version) == 0:
        return _RESPONSE_V0.pack(4 + body_size, correlation_id)
    return _RESPONSE_V1.pack(5 + body_size, correlation_id)


def response_frame(api_key: int, api_version: int, correlation_id: int, body: bytes) -> bytes:
    return response_start(api_key, api_version, correlation_id, len(body)) + body


def request_frame(header: RequestHeader, body: bytes) -> bytes:
    """What a client sends."""
    start = header.encode()
    return SIZE.pack(len(start) + len(body)) + start + body


def decode_response_header(api_key: int, api_version: int, frame: Buffer) -> tuple[int, int]:
    """The correlation id of a response, and where its body starts: the client's side."""
    try:
        (correlation_id,) = _CORRELATION_ID.unpack_from(frame)
        position = 4
        if response_header_version(api_key, api_version) == 1:
            position = skip_tags(frame, 5, frame[4])
    except (IndexError, struct.error):
        raise Malformed("the response header is truncated") from None
    return correlation_id, position
