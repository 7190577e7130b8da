"""The one message of OAUTHBEARER, as RFC 7628 has it, and all that it must not be."""

import pytest

from penstock.access.oauth.exchange import TOKEN_BYTES_MAX, BearerExchange
from penstock.access.sasl.steps import TokenCheck
from penstock.errors import SaslAuthenticationFailed

MUCH = (TOKEN_BYTES_MAX - 100) // len(b"auth=bearer a\x01")


@pytest.mark.parametrize(
    ("said", "token", "authzid"),
    [
        (b"n,,\x01auth=Bearer a.b-c\x01\x01", "a.b-c", ""),
        (b"n,,\x01auth=bearer  a.b\x01\x01", "a.b", ""),
        (b"n,a=me,\x01auth=Bearer a.b\x01\x01", "a.b", "me"),
        (b"n,a=a=2Cb=3Dc,\x01auth=Bearer a.b\x01\x01", "a.b", "a,b=c"),
        (b"n,,\x01host=here\x01auth=Bearer a.b\x01port=9092\x01\x01", "a.b", ""),
        (b"n,,\x01note=\x01auth=Bearer a.b\x01\x01", "a.b", ""),
    ],
)
def test_a_token_is_read(said: bytes, token: str, authzid: str) -> None:
    assert BearerExchange().step(said) == TokenCheck(token, authzid)


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"\x01",
        b"\x01\x01\x01",
        b"n,,",
        b"n,,\x01\x01",
        b"n,,\x01auth=Bearer a.b",
        b"n,,\x01auth=Bearer a.b\x01",
        b"n,,\x01auth=Bearer a.b\x01\x01\x01",
        b"n,,\x01auth=Bearer a.b\x01\x01more",
        b"n,,\x01auth=Bearer \x01\x01",
        b"n,,\x01auth=Basic a.b\x01\x01",
        b"n,,\x01auth=Bearer a b\x01\x01",
        b"n,,\x01auth=Bearer a\xff\x01\x01",
        b"n,,\x01host\x01auth=Bearer a.b\x01\x01",
        b"n,,\x01=here\x01auth=Bearer a.b\x01\x01",
        b"n,,\x01host=\x7f\x01auth=Bearer a.b\x01\x01",
        b"y,,\x01auth=Bearer a.b\x01\x01",
        b"n,a=x\x01auth=Bearer a.b\x01\x01",
        b"n,,\x01" + b"a" * TOKEN_BYTES_MAX,
        # Two tokens: which one is meant? And very many of them are looked at once.
        b"n,,\x01auth=Bearer a.b\x01auth=Bearer c.d\x01\x01",
        b"n,,\x01" + b"auth=bearer a\x01" * MUCH + b"\x01",
        b"n,,\x01" + b"auth=bearer a\x01" * MUCH + b"!",
    ],
)
def test_what_is_no_token_is_refused(said: bytes) -> None:
    with pytest.raises(SaslAuthenticationFailed):
        BearerExchange().step(said)
