"""What stands before the dispatcher on listeners with SASL until a connection has logged in, and again when its login
is to be renewed or is over.

A gate answers one connection's frames as its machine says, and then hands the connection to the dispatcher. From there
on a login costs a request nothing: a session that ends does so by a timer, which puts another handler in the
dispatcher's place.
"""

import asyncio
import struct
from collections.abc import Awaitable, Callable
from typing import Protocol

from penstock.access.login_event import LoginEvent
from penstock.access.principal import Principal
from penstock.access.sasl.machine import (
    NAME_MAX,
    Answer,
    Failed,
    Former,
    LoggedIn,
    LoginMachine,
    Move,
    PassOn,
    State,
    Wait,
)
from penstock.access.sasl.steps import Check, Proved
from penstock.access.subject import Subject
from penstock.broker.connection import BadFrame, Connection, FrameHandler, Limits
from penstock.broker.outbox import Chunk
from penstock.broker.owed_answers import Handled
from penstock.wire.api import ApiKey
from penstock.wire.messages.sasl_handshake_response import SaslHandshakeResponse

_KEY = struct.Struct(">h")


class Registrar(Protocol):
    """What gates share."""

    def machine(self, connection: Connection, former: Former | None) -> LoginMachine: ...

    async def find_out(self, connection: Connection, check: Check) -> Proved | str: ...

    def delay_s(self) -> float:
        """How long the answer to a failure waits."""

    def entered(self, connection: Connection) -> None:
        """It has until a timeout to log in. Said again, it has that long from then on."""

    def left(self, connection: Connection) -> None: ...

    def tell(self, event: LoginEvent) -> None: ...


class LoginGate:
    """The frame handler of one connection that is logging in."""

    def __init__(
        self,
        registrar: Registrar,
        connection: Connection,
        handler: FrameHandler,
        limits: Limits,
        *,
        former: Former | None = None,
    ) -> None:
        """`handler` and `limits` are for afterwards."""
        self._registrar = registrar
        self._connection = connection
        self._handler = handler
        self._limits = limits
        self._asked_s = 0.0
        self.machine = registrar.machine(connection, former)
        registrar.entered(connection)
        connection.caller.on_closed = self.left

    def handle(self, frame: memoryview, connection: Connection) -> Handled:
        if self.machine.state is State.OVER:
            raise BadFrame("a login that failed")
        self._asked_s = asyncio.get_running_loop().time()
        move = self.machine.receive(bytes(frame))
        if isinstance(move, PassOn):
            return self._pass_on(frame)
        if isinstance(move, Wait):
            return self._wait(self._registrar.find_out(self._connection, move.check))
        if isinstance(move, Failed):
            return self._fail(move)
        return [self._concluded(move)]

    def bad_frame(self, reason: str) -> BadFrame:
        return self._handler.bad_frame(reason)

    def _concluded(self, move: Answer | LoggedIn) -> Chunk:
        if isinstance(move, LoggedIn):
            self._let_in(move)
        return move.frame

    async def _wait(self, found: Awaitable[Proved | str]) -> list[Chunk] | None:
        move: Move = self.machine.checked(await found)
        if isinstance(move, Failed):
            return await self._fail(move)
        assert isinstance(move, LoggedIn)
        return None if self._connection.is_closed else [self._concluded(move)]

    async def _fail(self, failed: Failed) -> list[Chunk] | None:
        self._tell(failed.reason, Principal("User", self.machine.user[:NAME_MAX]))
        await asyncio.sleep(_left_s(asyncio.get_running_loop().time() - self._asked_s, self._registrar.delay_s()))
        self._close_after_answer("login failed")
        return None if failed.frame is None else [failed.frame]

    def _close_after_answer(self, reason: str) -> None:
        """What is answered now is sent first: in this turn of the loop, or in the next."""
        loop = asyncio.get_running_loop()
        loop.call_soon(loop.call_soon, lambda: self._connection.close(reason))

    def _let_in(self, move: LoggedIn) -> None:
        proved, connection = move.proved, self._connection
        principal = Principal("User", proved.user)
        caller = connection.caller
        caller.subject = Subject(principal, host=caller.subject.host, groups=proved.groups, by_token=proved.by_token)
        self.left()
        if move.lifetime_ms:
            former = Former(self.machine.mechanism, proved.user)
            session = Session(self._again, connection, self._handler, former, lifetime_s=move.lifetime_ms / 1000)
            caller.session, caller.on_closed = session, session.closed
        connection.hand_to(self._handler, self._limits)
        self._tell("", principal, by_token=proved.by_token)

    def _again(self, former: Former) -> "LoginGate":
        return LoginGate(self._registrar, self._connection, self._handler, self._limits, former=former)

    def _tell(self, reason: str, principal: Principal, *, by_token: bool = False) -> None:
        connection, machine = self._connection, self.machine
        self._registrar.tell(
            LoginEvent(
                principal, machine.mechanism, connection.caller.subject.host, connection.listener,
                reason=reason, is_again=machine.is_again, by_token=by_token,
            )
        )  # fmt: skip

    # Brokers ----------------------------------------------------------------------------------------------------

    def _pass_on(self, frame: memoryview) -> Handled:
        """Asked by a broker, or by anybody who wants to know what there is to ask."""
        caller = self._connection.caller
        handled = self._handler.handle(frame, self._connection)
        if self.machine.state is not State.PEER:
            self._registrar.entered(self._connection)
        elif caller.is_broker:
            self.left()
            self._connection.hand_to(self._handler, self._limits)
        elif not caller.is_introducing and caller.exchange is None:
            self.machine.state = State.OVER
            self._close_after_answer("no broker of this cluster")
        return handled

    def left(self) -> None:
        """It has logged in, or is gone."""
        self._registrar.left(self._connection)
        self._connection.caller.on_closed = None


def _left_s(took_s: float, delay_s: float) -> float:
    """Until a whole number of delays is over since a client spoke: so how long a password took to check does not show,
    which tells of what kind its user's keys are, if there is such a user.
    """
    return delay_s - took_s % delay_s if delay_s > 0 else 0.0


class Session:
    """A login that ends, unless it is renewed before."""

    def __init__(
        self,
        again: Callable[[Former], LoginGate],
        connection: Connection,
        handler: FrameHandler,
        former: Former,
        *,
        lifetime_s: float,
    ) -> None:
        self._again = again
        self._connection = connection
        self._handler = handler
        self._former = former
        self._timer = asyncio.get_running_loop().call_later(lifetime_s, self._end)

    def begin_again(self, mechanism: str, version: int) -> SaslHandshakeResponse:
        self._timer.cancel()
        self._connection.caller.session = None
        gate = self._again(self._former)
        self._connection.hand_to(gate)
        return gate.machine.choose(mechanism, version)

    def closed(self) -> None:
        self._timer.cancel()

    def _end(self) -> None:
        self._connection.hand_to(EndedSession(self._handler))


class EndedSession:
    """Whose login is over may log in again, and nothing else."""

    def __init__(self, handler: FrameHandler) -> None:
        self._handler = handler

    def handle(self, frame: memoryview, connection: Connection) -> Handled:
        if len(frame) < _KEY.size or _KEY.unpack_from(frame)[0] != ApiKey.SASL_HANDSHAKE:
            raise BadFrame(f"the login of {connection.caller.principal} is over")
        return self._handler.handle(frame, connection)

    def bad_frame(self, reason: str) -> BadFrame:
        return self._handler.bad_frame(reason)
