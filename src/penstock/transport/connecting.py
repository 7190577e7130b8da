"""Connections to others, for those who speak through an asyncio protocol: brokers among themselves, probes, clients."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import ssl

P = TypeVar("P", bound=asyncio.BaseProtocol)

ContextOf = Callable[[str], "ssl.SSLContext | None"]
"""What encrypts connections to other brokers, by Kafka's name of their protocol; OSError where that cannot be."""


def without_tls(protocol: str) -> None:
    """For those who reach nobody that encrypts."""


async def connect(make: Callable[[], P], host: str, port: int, *, tls: "ssl.SSLContext | None" = None) -> P:
    """The protocol, connected, and encrypted where `tls` is given. OSError where nobody is there."""
    loop = asyncio.get_running_loop()
    try:
        if tls is None:  # a simulated loop makes plain connections and knows no other
            _, protocol = await loop.create_connection(make, host, port)
        else:
            _, protocol = await loop.create_connection(make, host, port, ssl=tls)
    except ValueError as error:  # a name with two dots in a row, for one
        if isinstance(error, OSError):  # a certificate that is not believed is both
            raise
        raise OSError(f"{host!r} cannot be a host's name: {error}") from error
    return protocol
