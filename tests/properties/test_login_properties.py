"""Whatever a stranger says, in whatever order: nobody is let in who has not proved who it is."""

from __future__ import annotations

import struct

from hypothesis import given
from hypothesis import strategies as some

from penstock.access.sasl.keys import ScramKeys, made_up_keys
from penstock.access.sasl.machine import Answer, Failed, Former, LoggedIn, LoginMachine, State, Wait
from penstock.access.sasl.plain import PlainExchange
from penstock.access.sasl.scram import Account, ScramExchange
from penstock.access.sasl.steps import PasswordCheck
from penstock.client.sasl import Sasl, scram
from penstock.wire.api import ApiKey
from penstock.wire.framing import RequestHeader
from penstock.wire.messages.api_versions_request import ApiVersionsRequest
from penstock.wire.messages.sasl_authenticate_request import SaslAuthenticateRequest
from penstock.wire.messages.sasl_authenticate_response import SaslAuthenticateResponse
from penstock.wire.messages.sasl_handshake_request import SaslHandshakeRequest
from penstock.wire.primitives import Message

PASSWORD = b"mine"
KEYS = {
    mechanism: ScramKeys.of_password(mechanism, PASSWORD, salt=b"salt", iterations=1)
    for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-512")
}
MECHANISMS = ("PLAIN", *KEYS)


class Broker:
    """A machine with what answers its checks, and nonces that never come again."""

    def __init__(self, former: Former | None = None) -> None:
        self._nonces = 0
        scrams = {mechanism: (lambda mechanism=mechanism: self._scram(mechanism)) for mechanism in KEYS}
        self.machine = LoginMachine(
            {"PLAIN": lambda: PlainExchange(lambda name: self._account(name, "SCRAM-SHA-512")), **scrams},
            lifetime_ms=lambda proved: 0,
            former=former,
        )

    def _account(self, name: str, mechanism: str) -> Account:
        is_known = name == "me"
        return Account(KEYS[mechanism] if is_known else made_up_keys(mechanism, name, b"ours"), name, is_known)

    def _scram(self, mechanism: str) -> ScramExchange:
        return ScramExchange(mechanism, account=lambda name, _: self._account(name, mechanism), nonce=self._nonce)

    def _nonce(self) -> str:
        self._nonces += 1
        return f"ours{id(self)}{self._nonces}"

    def say(self, frame: bytes) -> Answer | LoggedIn | Failed | None:
        move = self.machine.receive(frame)
        if isinstance(move, Wait):
            assert isinstance(move.check, PasswordCheck)
            fits = move.check.keys.fits(move.check.password)
            move = self.machine.checked(move.check.proved if fits else "wrong")
        return move if isinstance(move, Answer | LoggedIn | Failed) else None


def a_frame(request: Message, version: int) -> bytes:
    return RequestHeader(request.api_key, version, 7, "me").encode() + request.encode(version)


def token(data: bytes, version: int = 1) -> bytes:
    return a_frame(SaslAuthenticateRequest(data), version)


def said(answer: Answer) -> bytes:
    return bytes(SaslAuthenticateResponse.decode(answer.frame[4:], 1, 4).auth_bytes)


versions = some.just(a_frame(ApiVersionsRequest("me", "1"), 3))
handshakes = some.builds(
    lambda mechanism, version: a_frame(SaslHandshakeRequest(mechanism), version),
    some.sampled_from((*MECHANISMS, "GSSAPI", "", "plain")),
    some.sampled_from((0, 1)),
)
payloads = some.one_of(
    some.binary(max_size=80),
    some.sampled_from(
        (
            b"\0me\0wrong", b"\0\0", b"me\0me\0wrong", b"n,,n=me,r=abc", b"n,,n=you,r=abc", b"c=biws,r=abc,p=AAAA",
            b"n,,n=me,r=abc,tokenauth=true", b"v=AAAA", b"e=other-error", b"n,,\x01auth=Bearer x\x01\x01",
        )
    ),
)  # fmt: skip
tokens = some.builds(token, payloads, some.sampled_from((0, 1, 2)))
other_requests = some.builds(
    lambda key, version, body: struct.pack(">hhih", key, version, 7, -1) + body,
    some.integers(-1, 100), some.integers(-1, 20), some.binary(max_size=20),
)  # fmt: skip
frames = some.one_of(versions, handshakes, tokens, payloads, other_requests, some.binary(max_size=40))


@given(some.lists(frames, max_size=12), some.booleans())
def test_nobody_gets_in_without_the_password(conversation: list[bytes], is_again: bool) -> None:
    broker = Broker(Former("SCRAM-SHA-512", "me") if is_again else None)
    for frame in conversation:
        move = broker.say(frame)
        assert not isinstance(move, LoggedIn)
        if isinstance(move, Failed):
            assert broker.machine.state is State.OVER
            return


@given(some.sampled_from(tuple(KEYS)), some.sampled_from(tuple(KEYS)), some.integers(0, 3), payloads)
def test_a_login_that_was_overheard_is_worth_nothing(mechanism: str, other: str, cut: int, between: bytes) -> None:
    """Said again word by word, to another connection, by the same mechanism or another, whole or with something else
    put in.
    """
    first = Broker()
    client = scram(Sasl("me", PASSWORD.decode(), mechanism), b"theirs")
    first.say(a_frame(SaslHandshakeRequest(mechanism), 1))
    spoken = [next(client)]
    challenge = first.say(token(spoken[0]))
    assert isinstance(challenge, Answer)
    spoken.append(client.send(said(challenge)))
    assert isinstance(first.say(token(spoken[1])), LoggedIn)
    second = Broker()
    second.say(a_frame(SaslHandshakeRequest(other), 1))
    for number, words in enumerate(spoken):
        if number == cut:
            second.say(token(between))
        assert not isinstance(second.say(token(words)), LoggedIn)


@given(some.sampled_from(MECHANISMS), some.lists(tokens, min_size=1, max_size=4))
def test_a_user_that_is_none_is_answered_as_one_that_is(mechanism: str, conversation: list[bytes]) -> None:
    """Errors are byte for byte the same, and come at the same place."""

    def failure(user: str) -> tuple[int, bytes | None]:
        broker = Broker()
        broker.say(a_frame(SaslHandshakeRequest(mechanism), 1))
        for number, frame in enumerate(conversation):
            move = broker.say(frame.replace(b"n=me", b"n=" + user.encode()).replace(b"\0me\0", f"\0{user}\0".encode()))
            if isinstance(move, Failed):
                return number, move.frame
        return -1, None

    assert failure("me") == failure("no")


@given(some.integers(0, 3), some.sampled_from((ApiKey.PRODUCE, ApiKey.FETCH, ApiKey.METADATA, ApiKey.CREATE_TOPICS)))
def test_no_other_request_is_answered_well_before_a_login(steps: int, key: ApiKey) -> None:
    broker = Broker()
    before = (a_frame(ApiVersionsRequest("me", "1"), 3), a_frame(SaslHandshakeRequest("SCRAM-SHA-256"), 1))
    for frame in (*before, token(b"n,,n=me,r=abc"))[:steps]:
        broker.say(frame)
    assert isinstance(broker.machine.receive(struct.pack(">hhih", key, 1, 7, -1) + bytes(30)), Failed)
