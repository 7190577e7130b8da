"""Connections to others, for those who speak through an asyncio protocol: brokers among themselves, probes, clients."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

P = TypeVar("P", bound=asyncio.BaseProtocol)


async def connect(make: Callable[[], P], host: str, port: int) -> P:
    """The protocol, connected. OSError where nobody is there."""
    try:
        _, protocol = await asyncio.get_running_loop().create_connection(make, host, port)
    except ValueError as error:  # a name with two dots in a row, for one
        raise OSError(f"{host!r} cannot be a host's name: {error}") from error
    return protocol
