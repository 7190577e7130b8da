"""The client's side of SASL, by the examples of its standards and against a broker made by hand."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.hand_fed import Brokers, run, two_brokers

from penstock.client.admin import topics
from penstock.client.sasl import Sasl, plain, scram
from penstock.errors import SaslAuthenticationFailed, UnsupportedSaslMechanism
from penstock.wire.api import ApiKey
from penstock.wire.messages.sasl_authenticate_response import SaslAuthenticateResponse
from penstock.wire.messages.sasl_handshake_response import SaslHandshakeResponse

PENCIL = Sasl("user", "pencil", "SCRAM-SHA-256")
NONCE = b"rOprNGfwEbeRWgbNEkqO"
SERVER_FIRST = b"r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
SERVER_LAST = b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="


def test_scram_says_what_the_standards_example_says() -> None:
    talk = scram(PENCIL, NONCE)
    assert next(talk) == b"n,,n=user,r=rOprNGfwEbeRWgbNEkqO"
    assert talk.send(SERVER_FIRST) == (
        b"c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
    )
    with pytest.raises(StopIteration):
        talk.send(SERVER_LAST)


def test_a_broker_that_does_not_know_the_password_is_not_believed() -> None:
    talk = scram(PENCIL, NONCE)
    next(talk)
    talk.send(SERVER_FIRST)
    with pytest.raises(SaslAuthenticationFailed, match="does not know the password"):
        talk.send(b"v=AAAA")
    talk = scram(PENCIL, NONCE)
    next(talk)
    with pytest.raises(SaslAuthenticationFailed, match="nonce"):
        talk.send(b"r=another,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096")


def test_names_are_escaped_and_passwords_never_shown() -> None:
    assert next(scram(Sasl("a=b,c", "x", "SCRAM-SHA-512"), b"n")) == b"n,,n=a=3Db=2Cc,r=n"
    assert next(plain(Sasl("me", "secret", "PLAIN"))) == b"\0me\0secret"
    assert "secret" not in repr(Sasl("me", "secret"))


def asking(answer: Any, mechanism: str = "PLAIN") -> Brokers:
    def broker(_: int, request: Any, __: int) -> Any:
        match request.api_key:
            case ApiKey.SASL_HANDSHAKE:
                known = request.mechanism == mechanism
                return SaslHandshakeResponse(0 if known else UnsupportedSaslMechanism.code, [mechanism])
            case ApiKey.SASL_AUTHENTICATE:
                return answer(request)
        return two_brokers(request)

    return Brokers(broker)


def test_nothing_is_asked_before_it_is_said_who_asks() -> None:
    brokers = asking(lambda _: SaslAuthenticateResponse())
    run(brokers, topics.list_topics, sasl=Sasl("me", "secret", "PLAIN"))
    keys = [key for port, key, _ in brokers.asked if port == 1]
    assert keys[:4] == [ApiKey.API_VERSIONS, ApiKey.SASL_HANDSHAKE, ApiKey.SASL_AUTHENTICATE, ApiKey.METADATA]


def test_who_is_not_believed_is_told_at_once() -> None:
    refused = SaslAuthenticateResponse(SaslAuthenticationFailed.code, "no such user")
    with pytest.raises(SaslAuthenticationFailed, match="no such user"):
        run(asking(lambda _: refused), topics.list_topics, sasl=Sasl("me", "wrong", "PLAIN"))
    with pytest.raises(UnsupportedSaslMechanism, match="the broker offers PLAIN"):
        run(asking(lambda _: refused), topics.list_topics, sasl=Sasl("me", "x", "SCRAM-SHA-256"))
