"""Connections that came in over a limit, where brokers may be among them: who is one can only be told by asking.

Clients that use up `max.connections` must not keep other brokers out: without them nothing is replicated, and one that
cannot be asked whether it lives is declared lost. So a connection over a limit, on the listener of brokers, waits
here. It may ask what brokers ask before they have proved to be brokers, and nothing else: which versions there are, as
heartbeats do, and to authenticate (RULES 25), in frames as small as those of any stranger. Whoever has proved it comes
in, beyond all limits.

Bounds: so many at a time, of which a new one sends the oldest away, as proving takes milliseconds; and each for as long
only as it says something.
"""

import asyncio
import struct
from collections.abc import Callable

from penstock.broker.connection import BadFrame, Connection, FrameHandler
from penstock.broker.owed_answers import Handled
from penstock.wire.api import ApiKey

WAITING_MAX = 32
_KEY = struct.Struct(">h")
_MAY_ASK = frozenset({ApiKey.API_VERSIONS, ApiKey.SASL_HANDSHAKE, ApiKey.SASL_AUTHENTICATE})


class OverLimitConnections:
    """The frame handler of those who wait."""

    def __init__(self, handler: FrameHandler, *, patience_s: float, turned_away: Callable[[Connection], None]) -> None:
        self._handler = handler
        self._patience_s = patience_s
        self._turned_away = turned_away
        self._waiting: dict[Connection, asyncio.TimerHandle] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def wait(self, connection: Connection) -> None:
        if len(self._waiting) >= WAITING_MAX:
            self._turn_away(next(iter(self._waiting)))
        self._look_again(connection, self._patience_s)

    def left(self, connection: Connection) -> None:
        """It was closed, or has come in."""
        timer = self._waiting.pop(connection, None)
        if timer is not None:
            timer.cancel()

    def handle(self, frame: memoryview, connection: Connection) -> Handled:
        if len(frame) < _KEY.size or _KEY.unpack_from(frame)[0] not in _MAY_ASK:
            self._turned_away(connection)
            raise BadFrame("over the limit of connections")
        return self._handler.handle(frame, connection)

    def bad_frame(self, reason: str) -> BadFrame:
        return self._handler.bad_frame(reason)

    def _look_again(self, connection: Connection, after_s: float) -> None:
        self._waiting[connection] = asyncio.get_running_loop().call_later(after_s, self._look, connection)

    def _look(self, connection: Connection) -> None:
        left_s = self._patience_s - connection.idle_s(asyncio.get_running_loop().time())
        if left_s > 0:
            self._look_again(connection, left_s)
        else:
            self._turn_away(connection)

    def _turn_away(self, connection: Connection) -> None:
        self._turned_away(connection)
        connection.close("over the limit of connections")
