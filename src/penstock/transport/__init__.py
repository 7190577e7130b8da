"""Sockets, for whoever listens or connects: the one place where plain bytes will become encrypted ones."""

from penstock.transport.channel import MORE, Channel, SocketChannel
from penstock.transport.connecting import connect
from penstock.transport.listening import listen, prepare_accepted, serve_streams

__all__ = ["MORE", "Channel", "SocketChannel", "connect", "listen", "prepare_accepted", "serve_streams"]
