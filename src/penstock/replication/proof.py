"""How a broker proves to another that it is of the cluster: both know a secret that the metadata store holds.

    caller    SaslHandshake, mechanism PENSTOCK
    caller    who I am (broker id and broker epoch) and a number nobody has used before
    answerer  a number of its own, and a proof over both
    caller    a proof over both

Each proof is a keyed hash (HMAC-SHA256) over all that was said and over whom it was said to. So the secret never
travels; an answer that was overheard proves nothing a second time; what is said to one broker is worth nothing at
another; and neither side's proof can be sent back to it as the other's. It keeps strangers out (RULES 25). It does not
hide what is said afterwards, nor keep it from being changed on the way: that takes TLS.
"""

import hashlib
import hmac
import struct
from collections.abc import Sequence
from typing import Final

import msgspec

from penstock.errors import SaslAuthenticationFailed
from penstock.model import BrokerId

MECHANISM: Final = "PENSTOCK"
NONCE_BYTES: Final = 32
PROOF_BYTES: Final = hashlib.sha256().digest_size
FORMAT: Final = 1

_HELLO = struct.Struct(f">Biq{NONCE_BYTES}s")
_CHALLENGE = struct.Struct(f">{NONCE_BYTES}s{PROOF_BYTES}s")


class Hello(msgspec.Struct, frozen=True):
    """What the caller says first."""

    broker_id: BrokerId
    broker_epoch: int
    nonce: bytes

    def encode(self) -> bytes:
        return _HELLO.pack(FORMAT, self.broker_id, self.broker_epoch, self.nonce)

    @classmethod
    def decode(cls, data: bytes) -> "Hello":
        if len(data) != _HELLO.size or data[0] != FORMAT:
            raise SaslAuthenticationFailed(f"{len(data)} bytes do not say which broker is calling")
        _, broker_id, epoch, nonce = _HELLO.unpack(data)
        return cls(BrokerId(broker_id), epoch, nonce)


class Challenge(msgspec.Struct, frozen=True):
    """What the other one answers."""

    nonce: bytes
    proof: bytes

    def encode(self) -> bytes:
        return _CHALLENGE.pack(self.nonce, self.proof)

    @classmethod
    def decode(cls, data: bytes) -> "Challenge":
        if len(data) != _CHALLENGE.size:
            raise SaslAuthenticationFailed(f"{len(data)} bytes are no challenge")
        return cls(*_CHALLENGE.unpack(data))


class Exchange(msgspec.Struct, frozen=True):
    """One handshake, as both sides see it."""

    secret: bytes
    cluster_id: str
    hello: Hello
    answerer: BrokerId
    nonce: bytes
    """The answerer's."""

    def by(self, secret: bytes) -> "Exchange":
        return msgspec.structs.replace(self, secret=secret)

    def answerers_proof(self) -> bytes:
        return self._proof(b"answerer")

    def callers_proof(self) -> bytes:
        return self._proof(b"caller")

    def _proof(self, side: bytes) -> bytes:
        said = msgspec.msgpack.encode(
            (MECHANISM, side, self.cluster_id, self.answerer, self.hello.encode(), self.nonce)
        )
        return hmac.digest(self.secret, msgspec.msgpack.encode(said), "sha256")


def require_any(proof: bytes, expected: Sequence[bytes]) -> int:
    """Which of them it is. Takes as long for a proof that is nearly right as for one that is not."""
    found = [hmac.compare_digest(proof, each) for each in expected]
    if not any(found):
        raise SaslAuthenticationFailed("the proof is not one that a broker of this cluster gives")
    return found.index(True)
