"""Tokens that are good, and all the ways in which one may not be."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from tests.support.issuers import jwk

from penstock.access.oauth.checking import LIFETIME_MS_MAX, TokenRules, check, key_for, read_head
from penstock.access.oauth.keys import read_keys
from penstock.access.sasl.steps import Proved
from penstock.errors import SaslAuthenticationFailed

NOW_S = 2_000_000_000
KEY = ec.generate_private_key(ec.SECP256R1())
RSA = rsa.generate_private_key(65537, 2048)
KEYS = read_keys(json.dumps({"keys": [jwk("k1", KEY), jwk("r1", RSA, alg="RS256")]}).encode())
RULES = TokenRules(issuer="https://issuer", audiences=("queue", "other"))


@pytest.fixture(autouse=True)
def at_that_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyJWT looks at the system's clock."""
    import datetime as library

    class Clock(library.datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return library.datetime.fromtimestamp(NOW_S, tz)

    monkeypatch.setattr("jwt.api_jwt.datetime", Clock)


def a_token(*, key: Any = KEY, algorithm: str = "ES256", head: dict[str, Any] | None = None, **claims: Any) -> str:
    made = {"iss": "https://issuer", "aud": "queue", "sub": "alice", "iat": NOW_S, "exp": NOW_S + 60} | claims
    present = {name: value for name, value in made.items() if value is not None}
    return jwt.encode(present, key, algorithm=algorithm, headers={"kid": "k1"} | (head or {}))


def judged(token: str, rules: TokenRules = RULES, authzid: str = "") -> Proved:
    head = read_head(token)
    key = key_for(head, KEYS)
    if key is None:
        raise SaslAuthenticationFailed("no key fits")
    return check(token, head, key, rules, authzid=authzid, now_ms=NOW_S * 1000)


def refused(token: str, rules: TokenRules = RULES) -> None:
    with pytest.raises(SaslAuthenticationFailed):
        judged(token, rules)


def forged(head: Any, claims: Any = None, signature: bytes = b"") -> str:
    def part(value: Any) -> str:
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

    claims = claims or {"iss": "https://issuer", "aud": "queue", "sub": "alice", "exp": NOW_S + 60}
    return f"{part(head)}.{part(claims)}.{part(signature)}"


def test_a_good_token_says_who_it_is_and_for_how_long() -> None:
    assert judged(a_token()) == Proved("alice", ends_at_ms=(NOW_S + 60) * 1000)
    assert judged(a_token(key=RSA, algorithm="RS256", head={"kid": "r1"})).user == "alice"
    assert judged(a_token(aud=["another", "other"])).user == "alice"
    assert judged(a_token(), authzid="alice").user == "alice"
    with pytest.raises(SaslAuthenticationFailed):
        judged(a_token(), authzid="admin")


def test_a_token_without_a_keys_id_is_taken_where_one_key_can_be_meant() -> None:
    token = jwt.encode({"iss": "https://issuer", "aud": "queue", "sub": "a", "exp": NOW_S + 9}, KEY, algorithm="ES256")
    assert judged(token).user == "a"
    two = read_keys(json.dumps({"keys": [jwk("k1", KEY), jwk("k2", KEY)]}).encode())
    assert key_for(read_head(token), two) is None


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://other"},
        {"iss": None},
        {"iss": ["https://issuer"]},
        {"aud": "elsewhere"},
        {"aud": None},
        {"aud": []},
        {"aud": {"queue": 1}},
        {"exp": NOW_S - 31},
        {"exp": None},
        {"exp": "soon"},
        {"exp": "Infinity"},
        {"exp": -1},
        {"nbf": NOW_S + 31},
        {"nbf": "now"},
        {"iat": NOW_S + 31},
        {"sub": None},
        {"sub": ""},
        {"sub": "  "},
        {"sub": 7},
        {"sub": ["alice"]},
    ],
)
def test_claims_that_are_not_good_are_refused(claims: dict[str, Any]) -> None:
    refused(forged_well(claims))


def forged_well(claims: dict[str, Any]) -> str:
    """Signed by the issuer's key, whatever it says: PyJWT would not sign some of this."""
    made = {"iss": "https://issuer", "aud": "queue", "sub": "alice", "iat": NOW_S, "exp": NOW_S + 60} | claims
    body = json.dumps({name: value for name, value in made.items() if value is not None}).encode()
    return jwt.PyJWS().encode(body, KEY, algorithm="ES256", headers={"kid": "k1"})


@pytest.mark.parametrize("exp", [b"1e400", b"NaN", b"Infinity", b"[1]", b"{}", b'"9"', b"null"])
def test_an_end_that_is_no_time_is_refused_or_has_an_end(exp: bytes) -> None:
    body = b'{"iss":"https://issuer","aud":"queue","sub":"alice","exp":' + exp + b"}"
    token = jwt.PyJWS().encode(body, KEY, algorithm="ES256", headers={"kid": "k1"})
    refused(token)


def test_an_end_far_away_is_brought_near() -> None:
    assert judged(a_token(exp=10**30)).ends_at_ms == NOW_S * 1000 + LIFETIME_MS_MAX


def test_a_token_that_ends_now_is_good_for_the_skew_of_clocks() -> None:
    assert judged(a_token(exp=NOW_S - 5)).ends_at_ms == NOW_S * 1000 + 1
    refused(a_token(exp=NOW_S - 5), TokenRules(issuer="https://issuer", audiences=("queue",), skew_s=0))


@pytest.mark.parametrize(
    "head",
    [
        {"alg": "none", "kid": "k1"},
        {"alg": "None"},
        {"alg": "nOnE"},
        {"kid": "k1"},
        {"alg": ["ES256"], "kid": "k1"},
        {"alg": "HS256", "kid": "k1"},
        {"alg": "EdDSA", "kid": "k1"},
        {"alg": "ES256K", "kid": "k1"},
        {"alg": "RS256", "kid": "k1"},
        {"alg": "ES256", "kid": "r1"},
        {"alg": "ES256", "kid": "k9"},
        {"alg": "ES256", "kid": 7},
        {"alg": "ES256", "kid": "k" * 5000},
        {"alg": "ES256", "kid": "../../etc/passwd"},
        [],
        b"not json",
        b"\xff\xff",
    ],
)
def test_a_head_that_asks_for_something_else_is_refused(head: Any) -> None:
    refused(forged(head, signature=b"x" * 64))
    refused(forged(head))


def test_the_public_key_is_no_secret_to_sign_with() -> None:
    pem = KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    for algorithm in ("HS256", "ES256"):
        unsigned = forged({"alg": algorithm, "kid": "k1"}).rpartition(".")[0]
        signature = hmac.digest(pem, unsigned.encode(), hashlib.sha256)
        refused(f"{unsigned}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}")


def test_a_key_that_the_token_brings_along_counts_for_nothing() -> None:
    own = ec.generate_private_key(ec.SECP256R1())
    refused(a_token(key=own, head={"jwk": jwk("k1", own)}))
    refused(a_token(key=own, head={"jku": "http://127.0.0.1/keys", "x5u": "http://127.0.0.1/x"}))


def test_what_must_be_understood_is_not() -> None:
    refused(a_token(head={"crit": ["exp"]}))
    refused(a_token(head={"crit": ["b64"], "b64": False}))


@pytest.mark.parametrize("token", ["", ".", "..", "a.b.c", "a" * 30_000, ".".join("abcd"), "e30.e30.e30"])
def test_what_is_no_token_is_refused(token: str) -> None:
    refused(token)


def test_a_token_that_was_cut_or_changed_is_refused() -> None:
    token = a_token()
    for end in range(0, len(token), 7):
        refused(token[:end])
    head, claims, signature = token.split(".")
    other = a_token(sub="admin").split(".")[1]
    refused(f"{head}.{other}.{signature}")
    refused(f"{head}.{claims}.{signature[:-8]}AAAAAAAA")
    refused(f"{token}.{signature}")


def test_deep_claims_do_not_bring_the_broker_down() -> None:
    body = b'{"x":' + b"[" * 20_000 + b"]" * 20_000 + b"}"
    refused(forged(body, body))


def test_scopes_and_groups() -> None:
    rules = TokenRules(issuer="https://issuer", audiences=("queue",), scopes=("read", "write"), groups_claim="groups")
    assert judged(a_token(scope="write read x", groups=["ops", 7, "dev"]), rules).groups == ("ops", "dev")
    assert judged(a_token(scope=["write", "read"], groups="ops"), rules).groups == ("ops",)
    assert judged(a_token(scope="read write", groups={"ops": 1}), rules).groups == ()
    for scope in (None, "", "read", ["read"], 7):
        refused(a_token(scope=scope), rules)


def test_another_claim_may_have_the_name() -> None:
    rules = TokenRules(issuer=None, audiences=(), user_claim="preferred_username")
    assert judged(a_token(preferred_username="Jürgen, =", iss=None, aud=None), rules).user == "Jürgen, ="
    refused(a_token(), rules)


def test_only_keys_for_signatures_are_taken() -> None:
    small = rsa.generate_private_key(65537, 1024)
    private = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(KEY))
    document = {
        "keys": [
            jwk("enc", KEY, use="enc"),
            {name: value for name, value in jwk("unsaid", KEY).items() if name != "use"},
            jwk("small", small),
            jwk("other alg", KEY, alg="ES512"),
            jwk("hmac", KEY, alg="HS256"),
            {"kty": "oct", "k": "c2VjcmV0", "kid": "oct", "use": "sig"},
            private | {"kid": "private", "use": "sig"},
            {"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA", "kid": "no point", "use": "sig"},
            {"kty": "EC", "use": "sig"},
            {"kty": ["EC"], "use": "sig"},
            {"kty": "EC", "crv": ["P-256"], "use": "sig"},
            jwk("good", KEY),
        ]
    }
    assert [key.kid for key in read_keys(json.dumps(document).encode())] == ["good"]


@pytest.mark.parametrize("document", [b"", b"[]", b"{}", b'{"keys": {}}', b'{"keys": [1]}', b"<html>", b"\xff"])
def test_what_is_no_set_of_keys_is_refused(document: bytes) -> None:
    with pytest.raises(ValueError, match="not a set of keys"):
        read_keys(document)
