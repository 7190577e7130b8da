"""SCRAM's server side, against the example of its standard and against the client's side that is tested with Kafka."""

from __future__ import annotations

from base64 import b64decode, b64encode

import pytest

from penstock.access.sasl.keys import HASHES, ScramKeys, made_up_keys
from penstock.access.sasl.scram import Account, ScramExchange
from penstock.access.sasl.steps import Challenge, Proved
from penstock.client.sasl import Sasl, scram
from penstock.errors import SaslAuthenticationFailed

SALT = b64decode("W22ZaJ0SNY7soEsUEjb6gQ==")
CLIENT_NONCE = b"rOprNGfwEbeRWgbNEkqO"
OWN_NONCE = "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
LAST = b"c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="


def keys(password: bytes = b"pencil", mechanism: str = "SCRAM-SHA-256") -> ScramKeys:
    return ScramKeys.of_password(mechanism, password, salt=SALT, iterations=4096)


def exchange(*, is_known: bool = True, mechanism: str = "SCRAM-SHA-256", password: bytes = b"pencil") -> ScramExchange:
    def account(name: str, by_token: bool) -> Account:
        found = keys(password, mechanism) if is_known else made_up_keys(mechanism, name, b"ours")
        return Account(found, name, is_known, by_token=by_token)

    return ScramExchange(mechanism, account=account, nonce=lambda: OWN_NONCE)


def test_the_standards_example() -> None:
    talk = exchange()
    first = talk.step(b"n,,n=user,r=" + CLIENT_NONCE)
    assert first == Challenge(b"r=%s%s,s=%s,i=4096" % (CLIENT_NONCE, OWN_NONCE.encode(), b64encode(SALT)))
    assert talk.step(LAST) == Proved("user", b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")


@pytest.mark.parametrize("mechanism", HASHES)
@pytest.mark.parametrize("name", ["user", "a=b,c", "=2C", "Jürgen", "名"])
def test_a_client_logs_in_whatever_its_name(mechanism: str, name: str) -> None:
    client = scram(Sasl(name, "pencil", mechanism), CLIENT_NONCE)
    talk = exchange(mechanism=mechanism)
    challenge = talk.step(next(client))
    assert isinstance(challenge, Challenge)
    proved = talk.step(client.send(challenge.data))
    assert isinstance(proved, Proved) and proved.user == name
    with pytest.raises(StopIteration):  # the client believes the broker too
        client.send(proved.data)


def test_tokenauth_asks_for_a_token() -> None:
    talk = exchange()
    talk.step(b"n,,n=user,r=" + CLIENT_NONCE + b",tokenauth=true")
    assert talk._account is not None and talk._account.by_token


@pytest.mark.parametrize(
    "first",
    [
        b"",
        b"y,,n=user,r=abc",
        b"p=tls-unique,,n=user,r=abc",
        b"n,,n=,r=abc",
        b"n,,n=user,r=",
        b"n,,n=us=er,r=abc",
        b"n,,n=us=2cer,r=abc",
        b"n,,n=\xff,r=abc",
        b"n,a=another,n=user,r=abc",
        b"n,,n=user,r=a,c",
        b"n,,m=must,n=user,r=abc",
        b"\0user\0pencil",
        b"n,,n=" + b"u" * 70_000 + b",r=abc",
    ],
)
def test_a_first_message_that_is_none_is_refused(first: bytes) -> None:
    with pytest.raises(SaslAuthenticationFailed):
        exchange().step(first)


@pytest.mark.parametrize(
    "last",
    [
        b"",
        LAST.replace(b"rOpr", b"xOpr"),  # another nonce
        LAST.replace(b"r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0", b"r=rOprNGfwEbeRWgbNEkqO"),
        LAST.replace(b"c=biws", b"c=eSws"),  # "y,,": it was "n,,"
        LAST.replace(b"p=dHzb", b"p=dHzc"),
        LAST.replace(b"p=dHzb", b"p=dH"),
        LAST.partition(b",p=")[0],
        LAST.partition(b"p=")[0] + b"p=AAAA",
    ],
)
def test_a_last_message_that_does_not_fit_the_first_is_refused(last: bytes) -> None:
    talk = exchange()
    talk.step(b"n,,n=user,r=" + CLIENT_NONCE)
    with pytest.raises(SaslAuthenticationFailed):
        talk.step(last)


def test_a_login_that_was_overheard_is_good_once() -> None:
    talk = ScramExchange("SCRAM-SHA-256", account=lambda name, _: Account(keys(), name, True), nonce=lambda: "another")
    talk.step(b"n,,n=user,r=" + CLIENT_NONCE)
    with pytest.raises(SaslAuthenticationFailed, match="nonce"):
        talk.step(LAST)


def test_a_user_that_is_none_fails_at_the_last_message_with_a_salt_that_stays() -> None:
    first = [exchange(is_known=False).step(b"n,,n=nobody,r=abc") for _ in range(2)]
    assert first[0] == first[1]
    known = exchange().step(b"n,,n=nobody,r=abc")
    assert isinstance(known, Challenge) and isinstance(first[0], Challenge)
    assert len(known.data) == len(first[0].data)
    talk = exchange(is_known=False)
    talk.step(b"n,,n=user,r=" + CLIENT_NONCE)
    with pytest.raises(SaslAuthenticationFailed):
        talk.step(LAST)


def test_keys_are_never_shown() -> None:
    assert "pencil" not in repr(keys()) and keys().stored_key.hex() not in repr(keys())
    assert keys().fits(b"pencil") and not keys().fits(b"pen")
