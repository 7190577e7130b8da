"""A delegation token as the metadata store keeps it. Its HMAC, which is its password, and SCRAM's keys are sealed."""

from functools import lru_cache
from typing import Final

import msgspec

from penstock.access.principal import Principal
from penstock.access.users.records import ScramRecord

DECODED_MAX: Final = 16_384


class TokenRecord(msgspec.Struct, frozen=True):
    owner: str
    requester: str
    renewers: tuple[str, ...]
    issued_ms: int
    ends_ms: int
    """Unless it is renewed."""
    max_ms: int
    """Whatever is done."""
    hmac: str
    """Sealed."""
    digest: str
    """SHA-256 of the HMAC: by this it is found."""
    scram: dict[str, ScramRecord]

    def is_over(self, now_ms: int) -> bool:
        return self.max_ms < now_ms or self.ends_ms < now_ms

    def is_of(self, principal: str) -> bool:
        """Its owner, whoever asked for it, or one who may renew it."""
        return principal in (self.owner, self.requester, *self.renewers)

    def may_be_renewed_by(self, principal: str) -> bool:
        return principal == self.owner or principal in self.renewers


_decoder: Final = msgspec.json.Decoder(TokenRecord)
_encoder: Final = msgspec.json.Encoder(order="sorted")


@lru_cache(DECODED_MAX)
def decode_token(value: bytes) -> TokenRecord:
    return _decoder.decode(value)


def encode_token(record: TokenRecord) -> bytes:
    return _encoder.encode(record)


def principal_of(text: str) -> Principal:
    """From `User:alice`; a name may have colons."""
    kind, _, name = text.partition(":")
    return Principal(kind, name)
