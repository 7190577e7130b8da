"""The issuer's keys, at hand: fetched when the first token comes, again when they are old, and when a token was signed
with one that is not among them, as after a rotation.

Bounds: one fetch at a time, for whom all wait who need it; after one that failed, longer and longer pauses; for keys
that nobody has (anybody can make an id up) no more than one in `UNKNOWN_KEY_PAUSE_S`. Keys that were fetched once are
good until others come: an issuer that is away keeps nobody out whose token it signed before.
"""

import asyncio
import ssl
from collections.abc import Callable, Coroutine
from typing import Any, Final, NamedTuple

import msgspec
import structlog

from penstock.access.oauth.checking import Head, key_for
from penstock.access.oauth.fetching import fetch
from penstock.access.oauth.keys import SigningKey, read_keys
from penstock.model import Clock

UNKNOWN_KEY_PAUSE_S: Final = 5.0
_log = structlog.get_logger(__name__)

Spawn = Callable[[Coroutine[Any, Any, Any]], "asyncio.Task[Any]"]


class Where(NamedTuple):
    """The keys' own address, or that of the issuer who tells it."""

    jwks: str | None
    issuer: str | None


class Pace(NamedTuple):
    refresh_s: float
    backoff_s: float
    backoff_s_max: float
    timeout_s: float


class _Discovery(msgspec.Struct):
    issuer: str
    jwks_uri: str


class KeySource:
    def __init__(self, where: Where, pace: Pace, *, trust: ssl.SSLContext | None, clock: Clock, spawn: Spawn) -> None:
        self._where = where
        self._pace = pace
        self._trust = trust
        self._clock = clock
        self._spawn = spawn
        self._keys: list[SigningKey] = []
        self._fetched_s: float | None = None
        self._failures = 0
        self._not_before_s = float("-inf")
        self._fetching: asyncio.Task[Any] | None = None

    async def key(self, head: Head) -> SigningKey | None:
        """None: there is none, as far as anybody could be asked."""
        found = key_for(head, self._keys)
        now_s = self._clock.monotonic()
        if self._fetched_s is None or found is None:
            await self._fetch_soon(now_s)
            return key_for(head, self._keys)
        if now_s >= self._fetched_s + self._pace.refresh_s:
            self._begin(now_s)  # whoever waits for it is not held up
        return found

    async def _fetch_soon(self, now_s: float) -> None:
        self._begin(now_s)
        if self._fetching is not None:
            await asyncio.wait([self._fetching])

    def _begin(self, now_s: float) -> None:
        if self._fetching is None and now_s >= self._not_before_s:
            self._fetching = self._spawn(self._fetch())

    async def _fetch(self) -> None:
        try:
            document = await self._get(await self._address())
            self._keys = read_keys(document)
        except Exception as problem:  # whatever a stranger answers, the broker goes on
            pause_s = min(self._pace.backoff_s * 2**self._failures, self._pace.backoff_s_max)
            self._failures = min(self._failures + 1, 30)
            self._not_before_s = self._clock.monotonic() + pause_s
            _log.warning("keys of tokens not fetched", reason=str(problem), again_in_s=pause_s)
        else:
            self._failures = 0
            self._fetched_s = self._clock.monotonic()
            self._not_before_s = self._fetched_s + UNKNOWN_KEY_PAUSE_S
            _log.info("keys of tokens fetched", keys=len(self._keys))
        finally:
            self._fetching = None

    async def _address(self) -> str:
        if self._where.jwks is not None:
            return self._where.jwks
        assert self._where.issuer is not None
        issuer = self._where.issuer
        told = await self._get(f"{issuer.rstrip('/')}/.well-known/openid-configuration")
        try:
            discovered = msgspec.json.decode(told, type=_Discovery)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise ValueError(f"{issuer} does not tell where its keys are: {error}") from None
        if discovered.issuer != issuer:
            raise ValueError(f"{issuer} says that it is {discovered.issuer}")
        return discovered.jwks_uri

    async def _get(self, url: str) -> bytes:
        return await fetch(url, trust=self._trust, timeout_s=self._pace.timeout_s)
