"""Connections between brokers: bytes in order, or none, as TCP brings them.

What is lost on the way is sent again, after pauses that grow, as long as both ends are there: so a network that is cut
makes an answer late, or leaves a connection that one end takes for whole. A process that ends has its connections
closed by the kernel, which the other end hears of unless that is lost; a machine without power tells nobody, and says
so to whoever still sends to it. Frames come in pieces, and several of them at once.
"""

import asyncio
import contextvars
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Protocol

from simulation.loop import OWNER, WORLD, SimulatedLoop

if TYPE_CHECKING:
    from simulation.network import Network

SENT_AGAIN_FIRST_S: Final = 0.2
SENT_AGAIN_MAX_S: Final = 2.0
CONNECTED_AGAIN_S: Final = 1.0
BREAKS_BEFORE_S: Final = 1.0
"""How long what was sent may be on its way after a connection broke."""


class Receiver(Protocol):
    """What is at one end of a connection."""

    def feed(self, data: bytes) -> None: ...

    def connection_lost(self, exc: Exception | None) -> None: ...


class Listener(Protocol):
    """A process that others connect to."""

    id: Any
    is_dead: bool
    context: contextvars.Context

    def accept(self, end: "End") -> Receiver: ...


class End(asyncio.Transport):
    """One end of a connection, as the process there has it."""

    def __init__(self, streams: "Streams", process: Any) -> None:
        super().__init__()
        self._streams = streams
        self.process = process
        self.receiver: Receiver | None = None
        """None while the connection is being made."""
        self.other: End
        self.is_open = True
        self.hold_up: Callable[[], asyncio.Future[None] | None] = lambda: None
        """Asked before something is sent: what it is to wait for."""
        self.breaks: Callable[[], bool] = lambda: False
        """Asked before something is sent: whether the connection breaks behind it."""
        self._out = bytearray()
        self._is_sending = False
        self._held = 0
        """Bytes that were held up: what comes after them is sent later."""
        self._pause_s = SENT_AGAIN_FIRST_S

    # What a process does with it ------------------------------------------------------------------------------------

    def write(self, data: Any) -> None:
        if not self.is_open:
            return
        self._out += data
        if self._is_sending:
            return  # it comes after what is on its way
        if self.breaks():
            self._break_behind()
        elif (held := self.hold_up()) is not None:
            self._is_sending = True
            self._streams.loop.spawn(self._send_after(held))
        else:
            self._send()

    def abort(self) -> None:
        """Nothing more leaves; the other end is told, once."""
        if self.is_open:
            self.is_open = False
            self._streams.tell_closed(self.other)

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return default

    # On the way -----------------------------------------------------------------------------------------------------

    def _break_behind(self) -> None:
        """This end hears that the connection is gone, and begins another. What it has just sent is still on its way,
        and comes to an end that takes the connection for whole.
        """
        streams, piece = self._streams, bytes(self._out)
        self._out.clear()
        late_s = BREAKS_BEFORE_S * (0.05 + streams.dice.random())
        streams.later(late_s, self._arrive, piece)
        streams.later(late_s + BREAKS_BEFORE_S, streams.tell_closed, self.other)
        streams.loop.call_soon(self.lost, context=self.process.context)

    async def _send_after(self, held: "asyncio.Future[None]") -> None:
        self._held = len(self._out)
        await asyncio.wait([held], timeout=self._streams.held_up_max_s)
        self._send()

    def _send(self) -> None:
        self._is_sending = bool(self._out) and self.is_open
        if not self._is_sending:
            return
        streams = self._streams
        if not streams.passes(self, self.other):
            self._pause_s = min(2 * self._pause_s, SENT_AGAIN_MAX_S)
            streams.later(self._pause_s, self._send)
            return
        self._pause_s = SENT_AGAIN_FIRST_S
        size = self._held or len(self._out)
        if streams.dice.random() < 0.1:
            size = streams.dice.randint(1, size)
        self._held -= min(size, self._held)
        piece = bytes(self._out[:size])
        del self._out[:size]
        streams.later(streams.network.delay_s(), self._arrive, piece)

    def _arrive(self, piece: bytes) -> None:
        other = self.other
        if other.process.is_dead or not other.is_open:
            if self.is_open:
                self._streams.tell_closed(self)
        else:
            self._streams.loop.call_soon(other.received, piece, context=other.process.context)
        self._send()

    def received(self, piece: bytes) -> None:
        if self.is_open and self.receiver is not None:
            self.receiver.feed(piece)

    def lost(self) -> None:
        if self.is_open:
            self.is_open = False
            if self.receiver is not None:
                self.receiver.connection_lost(ConnectionResetError("closed by the other end"))


class Streams:
    """All connections of a world."""

    held_up_max_s: float = 1.4

    def __init__(self, loop: SimulatedLoop, network: "Network", find: Callable[[int], Any]) -> None:
        self.loop = loop
        self.network = network
        self.dice = network.dice
        self._find = find
        self._ends: dict[End, None] = {}
        self.hold_up: Callable[[Any, int], asyncio.Future[None] | None] = lambda _follower, _leader: None
        self.hold_up_answer: Callable[[Any, int], asyncio.Future[None] | None] = lambda _follower, _leader: None
        self.breaks: Callable[[Any, int], bool] = lambda _process, _leader: False

    async def connect(self, make: Callable[[], Any], _host: str, port: int) -> tuple[End, Any]:
        """As `loop.create_connection`, for the process that asks."""
        process: Any = OWNER.get()
        while not self.network.passes(process.id, port):
            await asyncio.sleep(CONNECTED_AGAIN_S)
        await asyncio.sleep(self.network.delay_s())
        listener: Listener | None = self._find(port)
        if listener is None:
            raise ConnectionRefusedError(f"nobody at {port}")
        near, far = End(self, process), End(self, listener)
        near.other, far.other = far, near
        far.receiver = listener.accept(far)
        self._ends |= {near: None, far: None}
        await asyncio.sleep(self.network.delay_s())
        if not near.is_open:
            raise ConnectionResetError("closed while it was made")
        near.hold_up = lambda: self.hold_up(process, port)
        far.hold_up = lambda: self.hold_up_answer(process, port)
        near.breaks = lambda: self.breaks(process, port)
        protocol = make()
        near.receiver = _Buffered(protocol)
        protocol.connection_made(near)
        return near, protocol

    def passes(self, end: End, other: End) -> bool:
        return self.network.passes(end.process.id, other.process.id)

    def later(self, delay_s: float, callback: Callable[..., None], *arguments: Any) -> None:
        self.loop.call_later(delay_s, callback, *arguments, context=WORLD)

    def tell_closed(self, end: End) -> None:
        """By one packet, which may be lost."""
        self._ends.pop(end, None)
        if self.passes(end.other, end):
            self.loop.call_later(self.network.delay_s(), end.lost, context=end.process.context)

    def process_ended(self, process: Any, *, is_told: bool) -> None:
        for end in [end for end in self._ends if end.process is process]:
            del self._ends[end]
            if is_told:
                end.abort()
            end.is_open = False


class _Buffered:
    """Gives what has arrived to an `asyncio.BufferedProtocol`."""

    def __init__(self, protocol: Any) -> None:
        self._protocol = protocol

    def feed(self, data: bytes) -> None:
        left = memoryview(data)
        while left and not self._protocol.lost.done():
            room = self._protocol.get_buffer(-1)
            size = min(len(room), len(left))
            room[:size] = left[:size]
            left = left[size:]
            self._protocol.buffer_updated(size)

    def connection_lost(self, exc: Exception | None) -> None:
        self._protocol.connection_lost(exc)
