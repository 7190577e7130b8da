"""What a connection of a SASL listener may say until it is known who asks, and what it is answered.

    START         ApiVersions once, or SaslHandshake
    HANDSHAKE     SaslHandshake
    AUTHENTICATE  SaslAuthenticate, or bare tokens where SaslHandshake was of version 0
    CHECKING      nothing: a password or a token is being checked
    PEER          what brokers of the cluster say to prove themselves; another answers that
    OVER          nothing: it is known who asks, or the connection ends

Whatever else is said ends the connection, as in Kafka. A mechanism is chosen once: there is no way back to another.
Logging in again (KIP-368) begins with a SaslHandshake in HANDSHAKE, by the same mechanism, and has to prove the same
user.

A failure tells the client that it failed, and not why: the reason is for our own log. So a user that there is cannot be
told from one that there is not.
"""

from collections.abc import Callable, Mapping
from enum import Enum, auto
from typing import Final

import msgspec

from penstock.access.sasl.steps import PLAIN, Challenge, Check, Exchange, Proved
from penstock.errors import IllegalSaslState, Refusal, SaslAuthenticationFailed, UnsupportedSaslMechanism
from penstock.wire.api import API_VERSIONS, ApiKey, response_type
from penstock.wire.framing import SIZE, RequestHeader, response_frame
from penstock.wire.malformed import Malformed, Unencodable
from penstock.wire.messages.sasl_authenticate_request import SaslAuthenticateRequest
from penstock.wire.messages.sasl_authenticate_response import SaslAuthenticateResponse
from penstock.wire.messages.sasl_handshake_request import SaslHandshakeRequest
from penstock.wire.messages.sasl_handshake_response import SaslHandshakeResponse
from penstock.wire.primitives import Message

NAME_MAX: Final = 255
"""Characters of a user's name."""


class State(Enum):
    START = auto()
    HANDSHAKE = auto()
    AUTHENTICATE = auto()
    CHECKING = auto()
    PEER = auto()
    OVER = auto()


class Answer(msgspec.Struct, frozen=True):
    frame: bytes


class PassOn(msgspec.Struct, frozen=True):
    """The broker answers this one as any other request."""


class Wait(msgspec.Struct, frozen=True):
    """Find this out, and tell `checked`."""

    check: Check


class LoggedIn(msgspec.Struct, frozen=True):
    frame: bytes
    proved: Proved
    lifetime_ms: int
    """0: it may stay."""


class Failed(msgspec.Struct, frozen=True):
    """The connection is closed, after this."""

    frame: bytes | None
    reason: str


class Former(msgspec.Struct, frozen=True):
    """The login that is renewed."""

    mechanism: str
    user: str


class PeerMechanism(msgspec.Struct, frozen=True):
    """Where brokers come in too: how they prove themselves."""

    name: str


Move = Answer | PassOn | Wait | LoggedIn | Failed


class LoginMachine:
    def __init__(
        self,
        mechanisms: Mapping[str, Callable[[], Exchange]],
        *,
        lifetime_ms: Callable[[Proved], int],
        is_locked_out: Callable[[str], bool] = lambda user: False,
        peers: PeerMechanism | None = None,
        former: Former | None = None,
    ) -> None:
        self._mechanisms = mechanisms
        self._lifetime_ms = lifetime_ms
        self._is_locked_out = is_locked_out
        self._peers = peers
        self._former = former
        self._exchange: Exchange | None = None
        self._header = RequestHeader(ApiKey.SASL_AUTHENTICATE, 0, 0)
        self._is_bare = False
        self.mechanism = ""
        self.state = State.START if former is None else State.HANDSHAKE

    @property
    def user(self) -> str:
        """Who it says it is, as far as that was said."""
        return "" if self._exchange is None else self._exchange.user

    @property
    def is_again(self) -> bool:
        return self._former is not None

    def receive(self, frame: bytes) -> Move:
        if self._is_bare and self.state is State.AUTHENTICATE:
            return self._token(frame)
        try:
            return self._request(frame)
        except (Malformed, IndexError, ValueError) as error:
            return self._fail(None, f"not a request: {error}")

    def _request(self, frame: bytes) -> Move:
        header, position = RequestHeader.decode(frame)
        version = header.api_version
        match self.state, header.api_key:
            case State.START, ApiKey.API_VERSIONS:
                if self._peers is None and version <= API_VERSIONS[ApiKey.API_VERSIONS][1]:
                    self.state = State.HANDSHAKE
                return PassOn()
            case State.START, ApiKey.DESCRIBE_CLUSTER if self._peers is not None and version == 0:
                return PassOn()  # a broker that asks whether another is still of the cluster
            case (State.START | State.HANDSHAKE, ApiKey.SASL_HANDSHAKE) if version <= 1:
                request = SaslHandshakeRequest.decode(frame, version, position)
                return self._handshake(header, request.mechanism)
            case State.AUTHENTICATE, ApiKey.SASL_AUTHENTICATE if version <= 2:
                self._header = header
                return self._token(bytes(SaslAuthenticateRequest.decode(frame, version, position).auth_bytes))
            case State.PEER, ApiKey.SASL_AUTHENTICATE:
                return PassOn()
        reason = f"{ApiKey(header.api_key).name} version {version} before it is known who asks"
        return self._fail(_refusing(header, IllegalSaslState("log in first")), reason)

    def _handshake(self, header: RequestHeader, mechanism: str) -> Move:
        if self._peers is not None and mechanism == self._peers.name:
            self.state, self.mechanism = State.PEER, mechanism
            return PassOn()
        response = self.choose(mechanism, header.api_version)
        frame = _frame(header, response)
        return Failed(frame, f"it wants {mechanism[:NAME_MAX]!r}") if response.error_code else Answer(frame)

    def choose(self, mechanism: str, version: int) -> SaslHandshakeResponse:
        """SaslHandshake, of that version. Renewing a login begins with this, as no frame of it comes here."""
        offered = list(self._mechanisms)
        found = self._mechanisms.get(mechanism)
        if found is None:
            self.state = State.OVER
            return SaslHandshakeResponse(UnsupportedSaslMechanism.code, offered)
        self.state, self.mechanism, self._is_bare = State.AUTHENTICATE, mechanism, version == 0
        self._exchange = found()
        return SaslHandshakeResponse(0, offered)

    def _token(self, said: bytes) -> Move:
        exchange = self._exchange
        assert exchange is not None
        former = self._former
        if former is not None and self.mechanism != former.mechanism:
            return self._refuse(f"logged in by {former.mechanism}, and wants to again by {self.mechanism}")
        try:
            step = exchange.step(said)
        except SaslAuthenticationFailed as wrong:
            return self._refuse(wrong.message)
        if len(self.user) > NAME_MAX:
            return self._refuse("a name that is too long")
        if isinstance(step, Challenge):
            return Answer(self._reply(step.data))
        if isinstance(step, Proved):
            return self._conclude(step)
        if self._is_locked_out(self.user):
            return self._refuse("locked out after too many failures")
        self.state = State.CHECKING
        return Wait(step)

    def checked(self, result: Proved | str) -> Move:
        """What a check came to: who it is, or why it is nobody."""
        return self._refuse(result) if isinstance(result, str) else self._conclude(result)

    def _conclude(self, proved: Proved) -> Move:
        if self._is_locked_out(self.user):
            return self._refuse("locked out after too many failures")
        if self._former is not None and proved.user != self._former.user:
            return self._refuse(f"logged in as {self._former.user!r}, and wants to be {proved.user!r}")
        self.state = State.OVER
        lifetime_ms = self._lifetime_ms(proved)
        return LoggedIn(self._reply(proved.data, lifetime_ms), proved, lifetime_ms)

    # What is answered -------------------------------------------------------------------------------------------

    def _reply(self, data: bytes, lifetime_ms: int = 0) -> bytes:
        if self._is_bare:
            return SIZE.pack(len(data)) + data
        lifetime_ms = lifetime_ms if self._header.api_version else 0
        return _frame(self._header, SaslAuthenticateResponse(0, None, data, lifetime_ms))

    def _refuse(self, reason: str) -> Failed:
        """A login that failed. Bare tokens have no way to say so: the connection just ends."""
        response = SaslAuthenticateResponse(SaslAuthenticationFailed.code, self._told())
        return self._fail(None if self._is_bare else _frame(self._header, response), reason)

    def _told(self) -> str:
        if self.mechanism == PLAIN:
            return "Authentication failed: Invalid username or password"
        which = "re-authentication" if self.is_again else "authentication"
        return f"Authentication failed during {which} due to invalid credentials with SASL mechanism {self.mechanism}"

    def _fail(self, frame: bytes | None, reason: str) -> Failed:
        self.state = State.OVER
        return Failed(frame, reason)


def _frame(header: RequestHeader, response: Message) -> bytes:
    key, version = header.api_key, header.api_version
    return response_frame(key, version, header.correlation_id, response.encode(version))


def _refusing(header: RequestHeader, refusal: Refusal) -> bytes | None:
    """Where its answer has a place for an error in this version."""
    key = ApiKey(header.api_key)
    try:
        oldest, newest = API_VERSIONS[key]
        response = response_type(key)()
    except KeyError:  # one that Kafka had once, or that is known by its name alone
        return None
    if not oldest <= header.api_version <= newest or not hasattr(response, "error_code"):
        return None
    response.error_code = refusal.code
    try:
        body = response.encode(header.api_version)
    except Unencodable:
        return None
    if response_type(key).decode(body, header.api_version).error_code != refusal.code:
        return None
    return response_frame(header.api_key, header.api_version, header.correlation_id, body)
