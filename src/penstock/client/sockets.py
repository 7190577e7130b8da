"""Plain sockets for the blocking driver: many at once, none ever waited for alone. The only file that touches them.

A line tries the addresses of its host one after the other. Whatever happens is told to its wire from `poll`.
"""

import os
import selectors
import socket
from collections import deque
from errno import EINPROGRESS
from typing import Any, Final

from penstock.client.network import Wire

SENT_AT_ONCE_MAX: Final = 64
"""Frames of one sendmsg; the kernel takes a thousand pieces at most."""


class SocketLine:
    def __init__(self, sockets: "Sockets", host: str, port: int, wire: Wire) -> None:
        self._sockets = sockets
        self._place = (host, port)
        self._wire = wire
        self._untried: list[tuple[Any, ...]] | None = None
        self._socket: socket.socket | None = None
        self._unsent: deque[memoryview] = deque()
        self.is_open = False

    # What the client asks for ---------------------------------------------------------------------------------------

    def send(self, frames: list[bytes]) -> None:
        self._unsent.extend(map(memoryview, frames))
        if self.is_open:
            self._send()

    def close(self) -> None:
        if self._socket is not None:
            self._sockets.unwatch(self._socket)
            self._socket.close()
            self._socket = None
        self._unsent.clear()
        self._untried = []

    # What happens on the socket -------------------------------------------------------------------------------------

    def try_next(self, reason: str = "") -> None:
        """Begin to connect to the next address of the host; the last one's failure is the line's."""
        try:
            if self._untried is None:
                self._untried = socket.getaddrinfo(*self._place, type=socket.SOCK_STREAM)
            while self._untried:
                family, kind, protocol, _, address = self._untried.pop(0)
                self._socket = socket.socket(family, kind, protocol)
                self._socket.setblocking(False)
                self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                code = self._socket.connect_ex(address)
                if code in (0, EINPROGRESS):
                    self._sockets.watch(self._socket, selectors.EVENT_WRITE, self)
                    return
                self._socket.close()
                self._socket, reason = None, os.strerror(code)
        except (OSError, UnicodeError) as error:
            reason = getattr(error, "strerror", None) or str(error)
        self._lost(reason or "no address")

    def happened(self, events: int) -> None:
        if self._socket is None:
            return
        if not self.is_open:
            self._connected()
            return
        if events & selectors.EVENT_READ:
            self._receive()
        if events & selectors.EVENT_WRITE and self._socket is not None:
            self._send()

    def _connected(self) -> None:
        assert self._socket is not None
        code = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if code:
            self._sockets.unwatch(self._socket)
            self._socket.close()
            self._socket = None
            self.try_next(os.strerror(code))
            return
        self.is_open = True
        self._wire.opened()
        self._send()

    def _receive(self) -> None:
        assert self._socket is not None
        try:
            count = self._socket.recv_into(self._wire.buffer())
        except BlockingIOError:
            return
        except OSError as error:
            self._lost(error.strerror or str(error))
            return
        if count:
            self._wire.received(count)
        else:
            self._lost("the broker closed the connection")

    def _send(self) -> None:
        assert self._socket is not None
        try:
            while self._unsent:
                pieces = [self._unsent[index] for index in range(min(len(self._unsent), SENT_AT_ONCE_MAX))]
                sent = self._socket.sendmsg(pieces)
                while self._unsent and sent >= len(self._unsent[0]):
                    sent -= len(self._unsent.popleft())
                if sent:
                    self._unsent[0] = self._unsent[0][sent:]
        except BlockingIOError:
            pass
        except OSError as error:
            self._lost(error.strerror or str(error))
            return
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._unsent else 0)
        self._sockets.watch(self._socket, events, self)

    def _lost(self, reason: str) -> None:
        self.close()
        self._wire.lost(reason)


class Sockets:
    """All lines of one client, and the place to wait for them."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._starting: list[SocketLine] = []

    def open(self, host: str, port: int, wire: Wire) -> SocketLine:
        line = SocketLine(self, host, port, wire)
        self._starting.append(line)
        return line

    def poll(self, timeout_s: float | None) -> None:
        """Wait until something happens on a line, at most so long, and tell it on."""
        starting, self._starting = self._starting, []
        for line in starting:
            line.try_next()
        for key, events in self._selector.select(0 if starting else timeout_s):
            line = key.data
            line.happened(events)

    def watch(self, sock: socket.socket, events: int, line: SocketLine) -> None:
        known = self._selector.get_map().get(sock)
        if known is None:
            self._selector.register(sock, events, line)
        elif known.events != events:
            self._selector.modify(sock, events, line)

    def unwatch(self, sock: socket.socket) -> None:
        if sock in self._selector.get_map():
            self._selector.unregister(sock)

    def close(self) -> None:
        self._selector.close()
