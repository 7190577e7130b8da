"""SCRAM's server side (RFC 5802): neither side tells the other the password, and both prove that they know it.

    client   n,,n=user,r=nonce
    broker   r=nonce + ours, s=salt, i=iterations
    client   c=biws, r=both nonces, p=proof
    broker   v=our proof

A user who is none is told a salt all the same, and is refused where a wrong password is: nobody learns who has an
account. The nonce is compared, as otherwise an overheard login could be used again.
"""

import hashlib
import hmac
import re
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Callable
from typing import Final

import msgspec

from penstock.access.sasl.keys import HASHES, ScramKeys
from penstock.access.sasl.steps import Challenge, Proved, Step
from penstock.errors import SaslAuthenticationFailed

_FIRST = re.compile(
    rb"(?P<header>n,(?:a=(?P<authzid>[^,]+))?,)(?P<bare>n=(?P<user>[^,]+),r=(?P<nonce>[\x21-\x2b\x2d-\x7e]+)"
    rb"(?P<extensions>(?:,[A-Za-z]+=[^,]*)*))"
)
_LAST = re.compile(
    rb"(?P<without_proof>c=(?P<header>[A-Za-z0-9+/=]+),r=(?P<nonce>[\x21-\x2b\x2d-\x7e]+)(?:,[A-Za-z]+=[^,]*)*)"
    rb",p=(?P<proof>[A-Za-z0-9+/=]+)"
)
MESSAGE_BYTES_MAX: Final = 64 * 1024


class Account(msgspec.Struct, frozen=True):
    """Whom a name stands for, and how they prove it."""

    keys: ScramKeys
    user: str
    """As whom they ask: of a token, its owner."""
    is_known: bool
    groups: tuple[str, ...] = ()
    by_token: bool = False
    ends_at_ms: int | None = None


class ScramExchange:
    def __init__(self, mechanism: str, *, account: Callable[[str, bool], Account], nonce: Callable[[], str]) -> None:
        """`account` is given a name and whether it is a delegation token's, and gives one for any name."""
        self._mechanism = mechanism
        self._algorithm = HASHES[mechanism]
        self._find = account
        self._new_nonce = nonce
        self._account: Account | None = None
        self._header = b""
        self._said = b""
        self._nonce = b""
        self.user = ""

    def step(self, said: bytes) -> Step:
        if len(said) > MESSAGE_BYTES_MAX:
            raise SaslAuthenticationFailed(f"a message of {len(said)} bytes")
        if self._account is None:
            return self._first(said)
        return self._last(said, self._account)

    def _first(self, said: bytes) -> Challenge:
        match = _FIRST.fullmatch(said)
        if match is None:
            raise SaslAuthenticationFailed("the first message is none of SCRAM's without channel binding")
        user, authzid = _name(match["user"]), _name(match["authzid"] or b"")
        if authzid not in ("", user):
            raise SaslAuthenticationFailed(f"{user!r} cannot log in as {authzid!r}")
        self.user = user
        self._header, self._nonce = match["header"], match["nonce"] + self._new_nonce().encode()
        account = self._find(user, b"tokenauth=true" in match["extensions"].split(b","))
        keys = account.keys
        first = b"r=%s,s=%s,i=%d" % (self._nonce, b64encode(keys.salt), keys.iterations)
        self._said = match["bare"] + b"," + first
        self._account = account
        return Challenge(first)

    def _last(self, said: bytes, account: Account) -> Proved:
        match = _LAST.fullmatch(said)
        if match is None:
            raise SaslAuthenticationFailed("the last message is none of SCRAM's")
        if not hmac.compare_digest(match["nonce"], self._nonce):
            raise SaslAuthenticationFailed("the nonce is not the one of this login")
        if not hmac.compare_digest(_bytes(match["header"]), self._header):
            raise SaslAuthenticationFailed("the last message has another header than the first")
        keys, everything = account.keys, self._said + b"," + match["without_proof"]
        signature = hmac.digest(keys.stored_key, everything, self._algorithm)
        proof = _bytes(match["proof"])
        if len(proof) != len(signature):
            raise SaslAuthenticationFailed("the proof is of another length")
        client_key = bytes(one ^ other for one, other in zip(proof, signature, strict=True))
        fits = hmac.compare_digest(hashlib.new(self._algorithm, client_key).digest(), keys.stored_key)
        if not fits or not account.is_known:
            raise SaslAuthenticationFailed("the proof is wrong" if account.is_known else "no such user or token")
        final = b"v=" + b64encode(hmac.digest(keys.server_key, everything, self._algorithm))
        return Proved(
            account.user, final, groups=account.groups, by_token=account.by_token, ends_at_ms=account.ends_at_ms
        )


def _name(text: bytes) -> str:
    """`=2C` and `=3D` stand for the comma and the equals sign; nothing else may follow an equals sign."""
    if re.search(rb"=(?!2C|3D)", text):
        raise SaslAuthenticationFailed("an equals sign in a name that is not escaped")
    try:
        return text.replace(b"=2C", b",").replace(b"=3D", b"=").decode()
    except UnicodeDecodeError:
        raise SaslAuthenticationFailed("a name that is not UTF-8") from None


def _bytes(text: bytes) -> bytes:
    try:
        return b64decode(text, validate=True)
    except NotBase64:
        raise SaslAuthenticationFailed("not base64") from None
