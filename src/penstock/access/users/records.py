"""A user as the metadata store keeps it. SCRAM keys are sealed: whoever reads the store cannot guess at passwords."""

from base64 import b64decode, b64encode
from typing import Final

import msgspec

from penstock.access.sasl.keys import HASHES, ScramKeys
from penstock.access.sealing import SealingKeys


class ScramRecord(msgspec.Struct, frozen=True):
    salt: str
    iterations: int
    sealed: str
    """Stored key and server key."""


class UserRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    scram: dict[str, ScramRecord] = {}
    """By mechanism."""
    groups: tuple[str, ...] = ()


_decoder: Final = msgspec.json.Decoder(UserRecord)
_encoder: Final = msgspec.json.Encoder(order="sorted")


def decode_user(value: bytes) -> UserRecord:
    return _decoder.decode(value)


def encode_user(record: UserRecord) -> bytes:
    return _encoder.encode(record)


def seal_keys(keys: ScramKeys, *, user: str, sealing: SealingKeys) -> ScramRecord:
    sealed = sealing.seal(keys.stored_key + keys.server_key, about=_about(user, keys.mechanism))
    return ScramRecord(b64encode(keys.salt).decode(), keys.iterations, sealed)


def open_keys(record: ScramRecord, *, user: str, mechanism: str, sealing: SealingKeys) -> ScramKeys:
    """NotSealedByUs where it does not open."""
    both = sealing.open(record.sealed, about=_about(user, mechanism))
    half = len(both) // 2
    return ScramKeys(mechanism, b64decode(record.salt), record.iterations, both[:half], both[half:])


def _about(user: str, mechanism: str) -> str:
    assert mechanism in HASHES
    return f"user\0{user}\0{mechanism}"
