"""Sockets for the blocking driver: many at once, none ever waited for alone. The only file that touches them.

A line tries the addresses of its host one after the other; the connection it gets is a channel (`penstock.transport`).
Whatever happens is told to its wire from `poll`.
"""

import os
import selectors
import socket
from collections import deque
from collections.abc import Callable
from errno import EINPROGRESS
from typing import TYPE_CHECKING, Any, Final

from penstock.client.network import Wire
from penstock.transport import Channel, SocketChannel

if TYPE_CHECKING:
    import ssl

    from penstock.transport.tls import Stage

SENT_AT_ONCE_MAX: Final = 64
"""Frames of one send; the kernel takes a thousand pieces at most."""


class SocketLine:
    def __init__(self, sockets: "Sockets", host: str, port: int, wire: Wire) -> None:
        self._sockets = sockets
        self._place = (host, port)
        self._wire = wire
        self._untried: list[tuple[Any, ...]] | None = None
        self._connecting: socket.socket | None = None
        self._channel: Channel | None = None
        self._is_writing = False
        self._unsent: deque[memoryview] = deque()

    # What the client asks for ---------------------------------------------------------------------------------------

    def send(self, frames: list[bytes]) -> None:
        self._unsent.extend(map(memoryview, frames))
        if self._channel is not None:
            self._send()

    def close(self) -> None:
        self._give_up_connecting()
        if self._channel is not None:
            channel, self._channel = self._channel, None
            channel.stop_reading()
            channel.stop_writing()
            channel.close()
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
                self._connecting = sock = socket.socket(family, kind, protocol)
                sock.setblocking(False)
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                code = sock.connect_ex(address)
                if code in (0, EINPROGRESS):
                    self._sockets.add_writer(sock.fileno(), self._connected)
                    return
                self._give_up_connecting()
                reason = os.strerror(code)
        except (OSError, UnicodeError) as error:
            reason = getattr(error, "strerror", None) or str(error)
        self._lost(reason or "no address")

    def _give_up_connecting(self) -> None:
        if self._connecting is not None:
            self._sockets.remove_writer(self._connecting.fileno())
            self._connecting.close()
            self._connecting = None

    def _connected(self) -> None:
        assert self._connecting is not None
        code = self._connecting.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if code:
            self._give_up_connecting()
            self.try_next(os.strerror(code))
            return
        sock, self._connecting = self._connecting, None
        self._sockets.remove_writer(sock.fileno())
        try:
            self._channel = self._sockets.channel(sock, self._place[0])
        except OSError as error:
            self._lost(error.strerror or str(error))
            return
        self._channel.start_reading(self._receive)
        self._wire.opened()
        self._send()

    def _receive(self) -> None:
        if self._channel is None:
            return
        try:
            count = self._channel.receive_into(self._wire.buffer())
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
        channel = self._channel
        if channel is None:
            return
        try:
            while self._unsent:
                pieces = [self._unsent[index] for index in range(min(len(self._unsent), SENT_AT_ONCE_MAX))]
                sent = channel.send_many(pieces)
                while self._unsent and sent >= len(self._unsent[0]):
                    sent -= len(self._unsent.popleft())
                if sent:
                    self._unsent[0] = self._unsent[0][sent:]
        except BlockingIOError:
            pass
        except OSError as error:
            self._lost(error.strerror or str(error))
            return
        if self._is_writing != bool(self._unsent):
            self._is_writing = bool(self._unsent)
            if self._is_writing:
                channel.start_writing(self._send)
            else:
                channel.stop_writing()

    def _lost(self, reason: str) -> None:
        self.close()
        self._wire.lost(reason)


class Sockets:
    """All lines of one client, and the place to wait for them. To channels it is what an event loop would be."""

    def __init__(self, tls: "ssl.SSLContext | None" = None) -> None:
        self._tls = tls
        self._stage: Stage | None = None
        self._selector = selectors.DefaultSelector()
        self._starting: list[SocketLine] = []
        self._soon: list[Callable[[], None]] = []
        self._calls: dict[tuple[int, int], Callable[[], None]] = {}
        """By descriptor and event."""

    def open(self, host: str, port: int, wire: Wire) -> SocketLine:
        line = SocketLine(self, host, port, wire)
        self._starting.append(line)
        return line

    def channel(self, sock: socket.socket, host: str) -> Channel:
        if self._tls is None:
            return SocketChannel(sock, self)
        from penstock.transport.tls import Stage, TlsChannel  # noqa: PLC0415 - loads ssl

        self._stage = stage = self._stage or Stage()
        return TlsChannel.of_client(sock, self, stage, self._tls, host)

    def poll(self, timeout_s: float | None) -> None:
        """Wait until something happens on a line, at most so long, and tell it on."""
        starting, self._starting = self._starting, []
        for line in starting:
            line.try_next()
        soon, self._soon = self._soon, []
        for callback in soon:
            callback()
        for key, events in self._selector.select(0 if starting or soon else timeout_s):
            for event in (selectors.EVENT_READ, selectors.EVENT_WRITE):
                # What was called before may have ended this one.
                if events & event and (call := self._calls.get((key.fd, event))) is not None:
                    call()

    def add_reader(self, fd: int, callback: Callable[[], None]) -> None:
        self._watch(fd, selectors.EVENT_READ, callback)

    def remove_reader(self, fd: int) -> None:
        self._watch(fd, selectors.EVENT_READ, None)

    def add_writer(self, fd: int, callback: Callable[[], None]) -> None:
        self._watch(fd, selectors.EVENT_WRITE, callback)

    def remove_writer(self, fd: int) -> None:
        self._watch(fd, selectors.EVENT_WRITE, None)

    def call_soon(self, callback: Callable[[], None]) -> None:
        self._soon.append(callback)

    def _watch(self, fd: int, event: int, callback: Callable[[], None] | None) -> None:
        if callback is None:
            self._calls.pop((fd, event), None)
        else:
            self._calls[fd, event] = callback
        events = sum(each for each in (selectors.EVENT_READ, selectors.EVENT_WRITE) if (fd, each) in self._calls)
        known = self._selector.get_map().get(fd)
        if known is None:
            if events:
                self._selector.register(fd, events)
        elif not events:
            self._selector.unregister(fd)
        elif known.events != events:
            self._selector.modify(fd, events)

    def close(self) -> None:
        self._selector.close()
