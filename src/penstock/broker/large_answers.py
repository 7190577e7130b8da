"""Answers so long that putting them into bytes would keep everybody else waiting: that is done in a thread."""

import asyncio
from typing import Any, Final, TypeVar, cast

LARGE: Final = 1_000
"""Things that an answer lists, from which on it is long."""

Response = TypeVar("Response")


class Encoded:
    """A response that is bytes already."""

    def __init__(self, response: object, body: bytes) -> None:
        self.response = response
        self._body = body

    def encode(self, version: int) -> bytes:
        return self._body


async def encoded_if_large(response: Response, api_version: int, *, size: int) -> Response:
    if size < LARGE:
        return response
    encode = cast(Any, response).encode
    return cast(Response, Encoded(response, await asyncio.to_thread(encode, api_version)))


def as_said(response: Any) -> Any:
    """What it says, whether or not it is bytes already."""
    return response.response if isinstance(response, Encoded) else response
