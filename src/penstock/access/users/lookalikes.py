"""SCRAM keys for users who are none, that look like those of users who are.

A salt and a number of iterations are told before anybody has proved anything. Tools choose them in their own ways
(Apache Kafka's salts are 26 letters and digits, librdkafka's 64 bytes), so keys that always looked the same would tell
who is none. These look like some that were seen on this broker: for one name always like the same.

Bounds: so many looks are remembered for each mechanism.
"""

import hmac
from collections.abc import Mapping
from typing import Final, NamedTuple

from penstock.access.sasl.keys import HASHES, ITERATIONS_MIN, SALT_BYTES, ScramKeys, made_up_keys

LOOKS_MAX: Final = 64
_LETTERS: Final = b"0123456789abcdefghijklmnopqrstuvwxyz"


class Look(NamedTuple):
    iterations: int
    salt_bytes: int
    is_text: bool
    """Small letters and digits only."""


USUAL: Final = Look(ITERATIONS_MIN, SALT_BYTES, is_text=False)


class Lookalikes:
    def __init__(self) -> None:
        self._seen: Mapping[str, dict[Look, None]] = {mechanism: {} for mechanism in HASHES}

    def see(self, mechanism: str, salt: bytes, iterations: int) -> None:
        looks = self._seen.get(mechanism)
        if looks is not None and len(looks) < LOOKS_MAX:
            looks[Look(iterations, len(salt), is_text=not salt.strip(_LETTERS))] = None

    def keys(self, mechanism: str, user: str, secret: bytes) -> ScramKeys:
        looks = self._seen[mechanism] or {USUAL: None}
        # The highest draw counts: one look more changes the keys of few names.
        look = max(looks, key=lambda each: hmac.digest(secret, f"{mechanism}\0{user}\0{each}".encode(), "sha256"))
        keys = made_up_keys(mechanism, user, secret)
        salt = _stretched(keys.salt, secret, look)
        return ScramKeys(mechanism, salt, look.iterations, keys.stored_key, keys.server_key)


def _stretched(salt: bytes, secret: bytes, look: Look) -> bytes:
    made = salt
    while len(made) < look.salt_bytes:
        made += hmac.digest(secret, made, "sha512")
    made = made[: look.salt_bytes]
    return bytes(_LETTERS[each % len(_LETTERS)] for each in made) if look.is_text else made
