"""Saying who one is: SASL's PLAIN, SCRAM and OAUTHBEARER, the client's side. Without I/O: the connection carries it."""

import hashlib
import hmac
from base64 import b64decode, b64encode
from collections.abc import Generator
from typing import Any, Final

import msgspec

from penstock.client.connection import Connection
from penstock.client.outcomes import require_ok
from penstock.errors import SaslAuthenticationFailed, UnsupportedSaslMechanism
from penstock.wire.api import ApiKey
from penstock.wire.messages.sasl_authenticate_request import SaslAuthenticateRequest
from penstock.wire.messages.sasl_handshake_request import SaslHandshakeRequest

HASHES: Final = {"SCRAM-SHA-256": "sha256", "SCRAM-SHA-512": "sha512"}
OAUTHBEARER: Final = "OAUTHBEARER"
MECHANISMS: Final = ("PLAIN", *HASHES, OAUTHBEARER)
NO_BINDING: Final = b"biws"  # "n,,": without channel binding

Conversation = Generator[bytes, bytes, None]
"""What to send; it is given what comes back."""


class Sasl(msgspec.Struct, frozen=True):
    username: str
    password: str
    """With OAUTHBEARER the token, which names the user by itself."""
    mechanism: str = "SCRAM-SHA-512"

    def __repr__(self) -> str:
        return f"Sasl({self.username!r}, mechanism={self.mechanism!r})"  # never the password


async def authenticate(ask: Any, connection: Connection, sasl: Sasl, nonce: bytes) -> None:
    """SaslAuthenticationFailed: the broker does not believe it. UnsupportedSaslMechanism: it offers others."""
    version = connection.version_for(ApiKey.SASL_HANDSHAKE, at_least=1)
    offered = await ask(SaslHandshakeRequest(sasl.mechanism), version)
    if offered.error_code == UnsupportedSaslMechanism.code:
        raise UnsupportedSaslMechanism(f"the broker offers {', '.join(offered.mechanisms) or 'no mechanism'}")
    require_ok(offered)
    version = connection.version_for(ApiKey.SASL_AUTHENTICATE)
    talk = _conversation(sasl, nonce)
    said = next(talk)
    while True:
        answer = await ask(SaslAuthenticateRequest(said), version)
        require_ok(answer)
        try:
            said = talk.send(bytes(answer.auth_bytes))
        except StopIteration:
            return


def _conversation(sasl: Sasl, nonce: bytes) -> Conversation:
    if sasl.mechanism == "PLAIN":
        return plain(sasl)
    if sasl.mechanism in HASHES:
        return scram(sasl, nonce.hex().encode())
    if sasl.mechanism == OAUTHBEARER:
        return bearer(sasl)
    raise UnsupportedSaslMechanism(f"{sasl.mechanism} is not spoken here; there are {', '.join(MECHANISMS)}")


def plain(sasl: Sasl) -> Conversation:
    yield b"\0".join((b"", sasl.username.encode(), sasl.password.encode()))


def bearer(sasl: Sasl) -> Conversation:
    """RFC 7628. What a broker says against a token comes as a challenge, and it waits for a last word to it."""
    if not sasl.password.isascii() or not sasl.password.isprintable():
        raise SaslAuthenticationFailed("that is no token")
    told = yield b"n,,\x01auth=Bearer " + sasl.password.encode() + b"\x01\x01"
    if told:
        yield b"\x01"
        raise SaslAuthenticationFailed(f"the token is not taken: {told.decode(errors='replace')}")


def scram(sasl: Sasl, nonce: bytes) -> Conversation:
    """RFC 5802: neither side tells the other the password, and both prove that they know it."""
    algorithm = HASHES[sasl.mechanism]

    def mac(key: bytes, text: bytes) -> bytes:
        return hmac.digest(key, text, algorithm)

    bare = b"n=" + sasl.username.replace("=", "=3D").replace(",", "=2C").encode() + b",r=" + nonce
    first = yield b"n,," + bare
    told = _fields(first)
    if not told.get(b"r", b"").startswith(nonce):
        raise SaslAuthenticationFailed("the broker's nonce does not go on from ours")
    salted = hashlib.pbkdf2_hmac(algorithm, sasl.password.encode(), b64decode(told[b"s"]), int(told[b"i"]))
    client_key = mac(salted, b"Client Key")
    last = b"c=" + NO_BINDING + b",r=" + told[b"r"]
    everything = b",".join((bare, first, last))
    signature = mac(hashlib.new(algorithm, client_key).digest(), everything)
    proof = bytes(one ^ other for one, other in zip(client_key, signature, strict=True))
    final = yield last + b",p=" + b64encode(proof)
    expected = b64encode(mac(mac(salted, b"Server Key"), everything))
    if not hmac.compare_digest(_fields(final).get(b"v", b""), expected):
        raise SaslAuthenticationFailed("the broker does not know the password either")


def _fields(text: bytes) -> dict[bytes, bytes]:
    pairs = (part.partition(b"=") for part in text.split(b","))
    return {name: value for name, _, value in pairs}
