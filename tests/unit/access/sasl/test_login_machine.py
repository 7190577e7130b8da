"""What may be said before it is known who asks."""

from __future__ import annotations

import hashlib
import struct

import pytest

from penstock.access.sasl.keys import ScramKeys
from penstock.access.sasl.machine import (
    Answer,
    Failed,
    Former,
    LoggedIn,
    LoginMachine,
    Move,
    PassOn,
    PeerMechanism,
    State,
    Wait,
)
from penstock.access.sasl.plain import PlainExchange
from penstock.access.sasl.scram import Account, ScramExchange
from penstock.access.sasl.steps import PasswordCheck, Proved
from penstock.wire.api import ApiKey
from penstock.wire.framing import RequestHeader, decode_response_header
from penstock.wire.messages.api_versions_request import ApiVersionsRequest
from penstock.wire.messages.describe_cluster_request import DescribeClusterRequest
from penstock.wire.messages.list_groups_request import ListGroupsRequest
from penstock.wire.messages.list_groups_response import ListGroupsResponse
from penstock.wire.messages.metadata_request import MetadataRequest
from penstock.wire.messages.sasl_authenticate_request import SaslAuthenticateRequest
from penstock.wire.messages.sasl_authenticate_response import SaslAuthenticateResponse
from penstock.wire.messages.sasl_handshake_request import SaslHandshakeRequest
from penstock.wire.messages.sasl_handshake_response import SaslHandshakeResponse
from penstock.wire.primitives import Message

KEYS = ScramKeys.of_password("SCRAM-SHA-512", b"mine", salt=b"salt", iterations=4096)


def a_frame(request: Message, version: int) -> bytes:
    return RequestHeader(request.api_key, version, 7, "me").encode() + request.encode(version)


def handshake(mechanism: str = "PLAIN", version: int = 1) -> bytes:
    return a_frame(SaslHandshakeRequest(mechanism), version)


def token(data: bytes, version: int = 2) -> bytes:
    return a_frame(SaslAuthenticateRequest(data), version)


VERSIONS = a_frame(ApiVersionsRequest("me", "1"), 3)
MINE = b"\0me\0mine"


def a_machine(*, former: Former | None = None, peers: bool = False, locked: tuple[str, ...] = ()) -> LoginMachine:
    def account(name: str) -> Account:
        return Account(KEYS, name, True)

    return LoginMachine(
        {
            "PLAIN": lambda: PlainExchange(account),
            "SCRAM-SHA-512": lambda: ScramExchange(
                "SCRAM-SHA-512", account=lambda name, _: account(name), nonce=lambda: "ours"
            ),
        },
        lifetime_ms=lambda proved: 5_000,
        is_locked_out=locked.__contains__,
        peers=PeerMechanism("PENSTOCK") if peers else None,
        former=former,
    )


def authenticated(move: Move, version: int = 2) -> SaslAuthenticateResponse:
    assert isinstance(move, Answer | LoggedIn | Failed) and move.frame is not None
    correlation_id, position = decode_response_header(ApiKey.SASL_AUTHENTICATE, version, move.frame[4:])
    assert correlation_id == 7
    return SaslAuthenticateResponse.decode(move.frame[4:], version, position)


def shaken(move: Move) -> SaslHandshakeResponse:
    assert isinstance(move, Answer | Failed) and move.frame is not None
    return SaslHandshakeResponse.decode(move.frame[4:], 1, 4)


def test_a_login_by_plain() -> None:
    machine = a_machine()
    assert isinstance(machine.receive(VERSIONS), PassOn)
    assert shaken(machine.receive(handshake())).mechanisms == ["PLAIN", "SCRAM-SHA-512"]
    wait = machine.receive(token(MINE))
    assert isinstance(wait, Wait) and isinstance(wait.check, PasswordCheck)
    assert wait.check.keys.fits(wait.check.password)
    done = machine.checked(wait.check.proved)
    assert isinstance(done, LoggedIn) and done.proved == Proved("me")
    assert authenticated(done).session_lifetime_ms == 5_000


def test_a_wrong_password_is_told_as_wrong_and_no_more() -> None:
    machine = a_machine()
    machine.receive(handshake())
    machine.receive(token(MINE))
    failed = machine.checked("it is wrong")
    assert isinstance(failed, Failed) and failed.reason == "it is wrong"
    assert authenticated(failed).error_code == 58
    assert authenticated(failed).error_message == "Authentication failed: Invalid username or password"


def test_bare_tokens_follow_a_handshake_of_version_0() -> None:
    machine = a_machine()
    assert isinstance(machine.receive(handshake(version=0)), Answer)
    assert isinstance(machine.receive(MINE), Wait)
    done = machine.checked(Proved("me", b"welcome"))
    assert isinstance(done, LoggedIn) and done.frame == b"\0\0\0\x07welcome"
    machine = a_machine()
    machine.receive(handshake(version=0))
    machine.receive(MINE)
    assert machine.checked("no") == Failed(None, "no")  # there is no way to say so


def test_versions_are_told_once() -> None:
    machine = a_machine()
    machine.receive(VERSIONS)
    assert isinstance(machine.receive(VERSIONS), Failed)


def test_who_asks_in_a_version_that_is_too_new_may_ask_again() -> None:
    machine = a_machine()
    assert isinstance(machine.receive(RequestHeader(ApiKey.API_VERSIONS, 30, 7, "me").encode()), PassOn)
    assert isinstance(machine.receive(VERSIONS), PassOn)


@pytest.mark.parametrize(
    "before", [(), (VERSIONS,), (handshake(),), (handshake("SCRAM-SHA-512"), token(b"n,,n=me,r=x"))]
)
def test_nothing_else_is_answered(before: tuple[bytes, ...]) -> None:
    machine = a_machine()
    for frame in before:
        assert not isinstance(machine.receive(frame), Failed)
    failed = machine.receive(a_frame(ListGroupsRequest(), 0))
    assert isinstance(failed, Failed) and failed.frame is not None
    assert ListGroupsResponse.decode(failed.frame[4:], 0, 4).error_code == 34
    assert machine.state is State.OVER
    assert isinstance(a_machine().receive(a_frame(MetadataRequest([]), 1)), Failed)


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"\0",
        b"\0\x11",
        b"\x7f\xff\0\0\0\0\0\0",
        b"GET / HTTP/1.1",
        b"\0\x04" + bytes(8),
        handshake()[:-2],
        MINE,
        b"\0" * 500,
    ],
)
def test_what_is_no_request_ends_it(frame: bytes) -> None:
    assert isinstance(a_machine().receive(frame), Failed)


@pytest.mark.parametrize("key", sorted(ApiKey))
@pytest.mark.parametrize("version", [0, 1, 99, -1, 0x7FFF])
def test_any_api_ends_it_before_a_login(key: ApiKey, version: int) -> None:
    """Also those that Kafka no longer has, in versions that never were."""
    if key in (ApiKey.API_VERSIONS, ApiKey.SASL_HANDSHAKE, ApiKey.SASL_AUTHENTICATE):
        return
    machine = a_machine()
    assert isinstance(machine.receive(struct.pack(">hhih", key, version, 7, -1) + bytes(8)), Failed)
    assert machine.state is State.OVER


def test_a_mechanism_that_is_not_there_is_told_those_that_are() -> None:
    machine = a_machine()
    failed = machine.receive(handshake("GSSAPI"))
    assert isinstance(failed, Failed)
    assert shaken(failed).error_code == 33 and shaken(failed).mechanisms == ["PLAIN", "SCRAM-SHA-512"]
    assert isinstance(machine.receive(handshake()), Failed)  # there is no second choice


def test_a_token_before_a_handshake_and_a_second_handshake_end_it() -> None:
    assert isinstance(a_machine().receive(token(MINE)), Failed)
    machine = a_machine()
    machine.receive(handshake("SCRAM-SHA-512"))
    assert isinstance(machine.receive(handshake("PLAIN")), Failed)


def test_one_mechanisms_words_prove_nothing_to_another() -> None:
    machine = a_machine()
    machine.receive(handshake("SCRAM-SHA-512"))
    assert isinstance(machine.receive(token(MINE)), Failed)
    machine = a_machine()
    machine.receive(handshake("PLAIN"))
    assert isinstance(machine.receive(token(b"n,,n=me,r=x")), Failed)


def test_whoever_is_locked_out_fails_with_the_right_password() -> None:
    machine = a_machine(locked=("me",))
    machine.receive(handshake())
    failed = machine.receive(token(MINE))
    assert authenticated(failed).error_message == "Authentication failed: Invalid username or password"


@pytest.mark.parametrize("name", ["", "u" * 300])
def test_a_name_of_no_length_or_too_much_is_refused(name: str) -> None:
    machine = a_machine()
    machine.receive(handshake())
    assert isinstance(machine.receive(token(b"\0" + name.encode() + b"\0mine")), Failed)


def test_who_is_already_in_may_only_become_the_same() -> None:
    again = a_machine(former=Former("PLAIN", "me"))
    again.receive(handshake())
    again.receive(token(MINE))
    assert isinstance(again.checked(Proved("me")), LoggedIn)
    other = a_machine(former=Former("PLAIN", "you"))
    other.receive(handshake())
    other.receive(token(MINE))
    assert isinstance(other.checked(Proved("me")), Failed)
    otherwise = a_machine(former=Former("SCRAM-SHA-512", "me"))
    otherwise.receive(handshake())
    assert isinstance(otherwise.receive(token(MINE)), Failed)
    assert isinstance(a_machine(former=Former("PLAIN", "me")).receive(VERSIONS), Failed)


def test_brokers_prove_themselves_in_their_own_way() -> None:
    machine = a_machine(peers=True)
    cluster = a_frame(DescribeClusterRequest(), 0)
    for frame in (VERSIONS, VERSIONS, cluster, handshake("PENSTOCK"), token(b"hello"), token(b"proof")):
        assert isinstance(machine.receive(frame), PassOn)
    assert isinstance(machine.receive(a_frame(MetadataRequest([]), 1)), Failed)
    assert isinstance(a_machine().receive(handshake("PENSTOCK")), Failed)
    assert isinstance(a_machine().receive(cluster), Failed)


def test_known_and_unknown_users_are_told_the_same() -> None:
    """Byte for byte, when both say the wrong thing."""

    def told(name: bytes, keys: ScramKeys, is_known: bool) -> list[bytes | None]:
        machine = LoginMachine(
            {"SCRAM-SHA-512": lambda: ScramExchange(
                "SCRAM-SHA-512", account=lambda user, _: Account(keys, user, is_known), nonce=lambda: "ours"
            )},
            lifetime_ms=lambda proved: 0,
        )  # fmt: skip
        proof = b"c=biws,r=xours,p=" + b"A" * 86 + b"=="
        moves = [machine.receive(each) for each in (handshake("SCRAM-SHA-512"), token(b"n,,n=me,r=x"), token(proof))]
        return [move.frame for move in moves if isinstance(move, Answer | Failed | LoggedIn)]

    made_up = ScramKeys("SCRAM-SHA-512", b"salt", 4096, hashlib.sha512(b"").digest(), hashlib.sha512(b"").digest())
    assert told(b"me", KEYS, True) == told(b"me", made_up, False)
