"""Sockets, for whoever listens or connects: the one place where plain bytes will become encrypted ones."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from penstock.transport.channel import MORE, Channel, SocketChannel

if TYPE_CHECKING:
    from penstock.transport.connecting import connect
    from penstock.transport.listening import listen, prepare_accepted, serve_streams

__all__ = ["MORE", "Channel", "SocketChannel", "connect", "listen", "prepare_accepted", "serve_streams"]

_WITH_ASYNCIO = {
    "connect": "connecting",
    "listen": "listening",
    "prepare_accepted": "listening",
    "serve_streams": "listening",
}
"""Loaded when they are asked for: a blocking client needs no event loop."""


def __getattr__(name: str) -> Any:
    if name not in _WITH_ASYNCIO:
        raise AttributeError(name)
    return getattr(import_module(f"penstock.transport.{_WITH_ASYNCIO[name]}"), name)
