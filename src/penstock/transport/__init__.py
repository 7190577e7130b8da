"""Sockets, for whoever listens or connects: the one place where plain bytes become encrypted ones."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from penstock.transport.channel import MORE, Channel, SocketChannel

if TYPE_CHECKING:
    from penstock.transport.connecting import ContextOf, connect, without_tls
    from penstock.transport.listening import listen, prepare_accepted, serve_streams

__all__ = [
    "MORE",
    "Channel",
    "ContextOf",
    "SocketChannel",
    "connect",
    "listen",
    "prepare_accepted",
    "serve_streams",
    "without_tls",
]

_WITH_ASYNCIO = {
    "ContextOf": "connecting",
    "connect": "connecting",
    "without_tls": "connecting",
    "listen": "listening",
    "prepare_accepted": "listening",
    "serve_streams": "listening",
}
"""Loaded when they are asked for: a blocking client needs no event loop."""


def __getattr__(name: str) -> Any:
    if name not in _WITH_ASYNCIO:
        raise AttributeError(name)
    return getattr(import_module(f"penstock.transport.{_WITH_ASYNCIO[name]}"), name)
