"""SCRAM's keys: what a broker keeps of a password. It proves nothing to a broker, but is worth guessing at."""

import hashlib
import hmac
from collections.abc import Mapping
from typing import Final

import msgspec

HASHES: Final[Mapping[str, str]] = {"SCRAM-SHA-256": "sha256", "SCRAM-SHA-512": "sha512"}
"""Mechanisms, and hashlib's name of what they are made of."""
STRONGEST_FIRST: Final = ("SCRAM-SHA-512", "SCRAM-SHA-256")
ITERATIONS_MIN: Final = 4096
ITERATIONS_MAX: Final = 16384
"""Kafka's bounds."""
SALT_BYTES: Final = 16


class ScramKeys(msgspec.Struct, frozen=True):
    mechanism: str
    salt: bytes
    iterations: int
    stored_key: bytes
    server_key: bytes

    @classmethod
    def of_password(cls, mechanism: str, password: bytes, *, salt: bytes, iterations: int) -> "ScramKeys":
        salted = hashlib.pbkdf2_hmac(HASHES[mechanism], password, salt, iterations)
        return cls.of_salted(mechanism, salted, salt=salt, iterations=iterations)

    @classmethod
    def of_salted(cls, mechanism: str, salted: bytes, *, salt: bytes, iterations: int) -> "ScramKeys":
        """From the salted password, which admin clients send instead of the password."""
        algorithm = HASHES[mechanism]
        client_key = hmac.digest(salted, b"Client Key", algorithm)
        stored_key = hashlib.new(algorithm, client_key).digest()
        return cls(mechanism, salt, iterations, stored_key, hmac.digest(salted, b"Server Key", algorithm))

    def fits(self, password: bytes) -> bool:
        """Takes milliseconds."""
        made = self.of_password(self.mechanism, password, salt=self.salt, iterations=self.iterations)
        return hmac.compare_digest(made.stored_key, self.stored_key)

    def __repr__(self) -> str:
        return f"<keys of {self.mechanism}>"  # never the keys


def made_up_keys(mechanism: str, user: str, secret: bytes) -> ScramKeys:
    """For a user who is none: always the same, so that it cannot be told from one who is, and fitting no password."""
    seed = hmac.digest(secret, f"{mechanism}\0{user}".encode(), "sha512")
    size = hashlib.new(HASHES[mechanism]).digest_size
    nothing = hmac.digest(secret, seed, "sha512")[:size]
    return ScramKeys(mechanism, seed[:SALT_BYTES], ITERATIONS_MIN, nothing, nothing)
