"""What a mechanism comes to with each thing that a client says."""

from typing import Final, Protocol

import msgspec

from penstock.access.sasl.keys import ScramKeys

PLAIN: Final = "PLAIN"
OAUTHBEARER: Final = "OAUTHBEARER"


class Challenge(msgspec.Struct, frozen=True):
    """Goes to the client, which has to answer it."""

    data: bytes


class Proved(msgspec.Struct, frozen=True):
    """It is known who asks."""

    user: str
    data: bytes = b""
    """The last that the client is told."""
    groups: tuple[str, ...] = ()
    by_token: bool = False
    """By a delegation token."""
    ends_at_ms: int | None = None
    """When what it was proved by is over; the session ends with it."""


class PasswordCheck(msgspec.Struct, frozen=True):
    """Whether a password fits takes milliseconds to tell: not for the event loop."""

    proved: Proved
    """What is so if it fits."""
    password: bytes
    keys: ScramKeys


class TokenCheck(msgspec.Struct, frozen=True):
    """Whether a token is good; the keys of whoever signed it may have to be fetched."""

    token: str
    authzid: str = ""
    """As whom the client wants to be taken; empty: as whoever the token says."""


Check = PasswordCheck | TokenCheck
Step = Challenge | Proved | PasswordCheck | TokenCheck


class Exchange(Protocol):
    """One conversation of a mechanism, from its beginning."""

    user: str
    """Who it says it is, once it has said so; else empty."""

    def step(self, said: bytes) -> Step:
        """SaslAuthenticationFailed: that was wrong. What the refusal says is for our own log."""
