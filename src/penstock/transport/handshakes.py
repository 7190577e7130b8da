"""Connections to a listener with TLS, from when they are accepted until their handshake is made.

Whoever is here is a stranger and may be of ill will, so everything has a bound, and what a bound does is done to
strangers: those who are served already notice nothing.
- `half_open_max` at once. The oldest is closed for a new one: an honest handshake takes milliseconds.
- `per_second_max` begun in a second. Others wait their turn, unread.
- `timeout_s` for one, however it dawdles.
- One step of one handshake a turn of the loop (0.6 ms of CPU), so that whoever else has something to say gets its turn.

The first byte tells TLS from Kafka's own frames. To whoever does not encrypt nothing is said: a Java client would take
the alert for the size of a frame and run out of memory (KAFKA-4090). Where encryption is optional it is let in.
"""

import socket
from collections import deque
from collections.abc import Callable
from typing import NamedTuple, Protocol

from penstock.transport.channel import Channel, SocketChannel, Watcher
from penstock.transport.tls import TlsFailed

_HANDSHAKE: bytes = b"\x16"
_PATIENCE_S = 0.05
"""How soon those who wait for their second are looked at again."""


class TlsServerChannel(Channel, Protocol):
    def shake_hands(self) -> None: ...

    @property
    def peer_certificate(self) -> bytes | None: ...


class Cancellable(Protocol):
    def cancel(self) -> None: ...


class Loop(Watcher, Protocol):
    def time(self) -> float: ...

    def call_later(self, delay: float, callback: Callable[[], None], /) -> Cancellable: ...


class Bounds(NamedTuple):
    half_open_max: int
    per_second_max: int
    timeout_s: float


class Why(NamedTuple):
    """A handshake came to nothing."""

    kind: str
    """`plaintext`, `timeout`, `limit`, `failed`, or `gone` for who closed without having said anything."""
    text: str


class Handshake:
    """One connection that is not open yet."""

    __slots__ = ("_channel", "_of", "deadline_s", "failed", "is_optional", "is_waiting", "make", "ready", "sock")

    def __init__(
        self,
        of: "Handshakes",
        sock: socket.socket,
        *,
        make: Callable[[], TlsServerChannel],
        is_optional: bool,
        ready: Callable[[Channel, bytes | None], None],
        failed: Callable[[Why], None],
    ) -> None:
        self._of = of
        self._channel: TlsServerChannel | None = None
        self.sock = sock
        self.make = make
        self.is_optional = is_optional
        self.ready = ready
        self.failed = failed
        self.deadline_s = 0.0
        self.is_waiting = False
        """Whether it is in line for a step."""

    @property
    def has_begun(self) -> bool:
        return self._channel is not None

    def readable(self) -> None:
        """Something came, or the peer is gone."""
        if self._channel is None:
            try:
                first = self.sock.recv(1, socket.MSG_PEEK)
            except BlockingIOError:
                return
            except OSError as error:
                self._of.end(self, Why("gone", str(error)))
                return
            if not first:
                self._of.end(self, Why("gone", "closed before it said anything"))
                return
            if first != _HANDSHAKE:
                self._is_plain()
                return
        self._of.wait_for_step(self)

    def _is_plain(self) -> None:
        if self.is_optional:
            self._of.leave(self)
            self.ready(SocketChannel(self.sock, self._of.loop), None)
        else:
            self._of.end(self, Why("plaintext", "it does not encrypt"))

    def step(self) -> None:
        """As far as what has come allows."""
        try:
            if self._channel is None:
                self._channel = self.make()
            channel = self._channel
            channel.shake_hands()
        except BlockingIOError:
            self._of.watch(self)
            return
        except TlsFailed as error:
            self._of.end(self, Why("failed", str(error)))
            return
        except OSError as error:
            self._of.end(self, Why("gone", str(error)))
            return
        self._of.leave(self)
        self.ready(channel, channel.peer_certificate)

    def close(self) -> None:
        if self._channel is None:
            self.sock.close()
        else:
            self._channel.close()


class Handshakes:
    def __init__(self, loop: Loop, bounds: Callable[[], Bounds]) -> None:
        """`bounds` may change while it runs."""
        self.loop = loop
        self._bounds = bounds
        self._half_open: dict[Handshake, int] = {}
        """The oldest first, and the descriptor of each."""
        self._next: deque[Handshake] = deque()
        """Who goes on as soon as may be."""
        self._fresh: deque[Handshake] = deque()
        """Who would begin."""
        self._tokens = 0.0
        self._counted_s = loop.time()
        self._is_due = False
        self._clock: Cancellable | None = None
        self.begun = 0

    def __len__(self) -> int:
        return len(self._half_open)

    def begin(
        self,
        sock: socket.socket,
        *,
        make: Callable[[], TlsServerChannel],
        is_optional: bool,
        ready: Callable[[Channel, bytes | None], None],
        failed: Callable[[Why], None],
    ) -> None:
        """Either `ready` is called with the channel and the peer's certificate, or `failed`, when the socket is closed.
        `make` is called when the peer begins to shake hands.
        """
        bounds = self._bounds()
        if len(self._half_open) >= bounds.half_open_max:
            self.end(next(iter(self._half_open)), Why("limit", "penstock.tls.half.open.max"))
        one = Handshake(self, sock, make=make, is_optional=is_optional, ready=ready, failed=failed)
        one.deadline_s = self.loop.time() + bounds.timeout_s
        self._half_open[one] = sock.fileno()
        self.watch(one)
        if self._clock is None:
            self._clock = self.loop.call_later(bounds.timeout_s, self._end_late)

    def watch(self, one: Handshake) -> None:
        """Until its peer has said more."""
        self.loop.add_reader(self._half_open[one], one.readable)

    # Turns ----------------------------------------------------------------------------------------------------------

    def wait_for_step(self, one: Handshake) -> None:
        if one.is_waiting:
            return
        one.is_waiting = True
        self.loop.remove_reader(self._half_open[one])
        (self._next if one.has_begun else self._fresh).append(one)
        self._see_to_it()

    def _see_to_it(self) -> None:
        if not self._is_due:
            self._is_due = True
            self.loop.call_soon(self._turn)

    def _turn(self) -> None:
        """One step of one of them."""
        self._is_due = False
        one = self._choose()
        if one is not None:
            one.step()
        if self._next or (self._fresh and self._tokens >= 1):
            self._see_to_it()
        elif self._fresh and not self._is_due:
            self._is_due = True
            self.loop.call_later(_PATIENCE_S, self._turn)

    def _choose(self) -> Handshake | None:
        one = None
        if self._next:
            one = self._next.popleft()
        elif self._fresh and self._may_begin():
            one = self._fresh.popleft()
            self.begun += 1
        if one is not None:
            one.is_waiting = False
        return one

    def _may_begin(self) -> bool:
        now, per_second = self.loop.time(), self._bounds().per_second_max
        # What a second allows is not saved up: a tenth of it at most may come at once.
        self._tokens = min(self._tokens + (now - self._counted_s) * per_second, max(per_second / 10, 1.0))
        self._counted_s = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True

    # Ends -----------------------------------------------------------------------------------------------------------

    def leave(self, one: Handshake) -> None:
        descriptor = self._half_open.pop(one)
        if one.is_waiting:
            one.is_waiting = False
            (self._next if one.has_begun else self._fresh).remove(one)
        else:
            self.loop.remove_reader(descriptor)

    def end(self, one: Handshake, why: Why) -> None:
        self.leave(one)
        one.close()
        one.failed(why)

    def _end_late(self) -> None:
        self._clock = None
        now = self.loop.time()
        while self._half_open:
            oldest = next(iter(self._half_open))
            if oldest.deadline_s > now:
                self._clock = self.loop.call_later(oldest.deadline_s - now, self._end_late)
                return
            self.end(oldest, Why("timeout", "penstock.tls.handshake.timeout.ms"))

    def close(self) -> None:
        for one in list(self._half_open):
            self.end(one, Why("gone", "the broker stops"))
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None
