"""Who may ask for delegation tokens, and what comes of it: between the four handlers and `penstock.access.tokens`."""

import asyncio
from collections.abc import Iterator

import structlog

from penstock.access.principal import ANONYMOUS, Principal
from penstock.access.sasl.keys import SALT_BYTES
from penstock.access.sealing import unguessable
from penstock.access.subject import Subject
from penstock.access.tokens.records import TokenRecord
from penstock.access.tokens.tokens import (
    HMAC_BYTES,
    ID_BYTES,
    RENEWERS_MAX,
    Lifetimes,
    Tokens,
    Wanted,
    adding,
    expiring,
    kafkas_hmac,
    make,
    renewing,
    sweeping,
)
from penstock.access.users.accounts import Users
from penstock.cluster import ClusterImage, Controller, EntryKind
from penstock.errors import (
    DelegationTokenAuthDisabled,
    DelegationTokenRequestNotAllowed,
    InvalidPrincipalType,
    InvalidRequest,
    Refusal,
    SecurityDisabled,
)
from penstock.model import BrokerId, Clock, TopicId, topic_id_text
from penstock.settings import Config
from penstock.settings import broker as settings

_log = structlog.get_logger(__name__)


class TokenAuthority:
    def __init__(
        self,
        tokens: Tokens,
        users: Users,
        controller: Controller,
        image: ClusterImage,
        *,
        me: BrokerId,
        clock: Clock,
        config: Config,
    ) -> None:
        self.tokens = tokens
        self._users = users
        self._controller = controller
        self._image = image
        self._me = me
        self._clock = clock
        self._config = config
        self._making = asyncio.Semaphore(1)
        """Of keys, which takes a thread milliseconds: threads are for reads from disk, too."""

    def require_login(self, subject: Subject) -> None:
        """Tokens are for whoever has logged in, and not by a token: one that is stolen must not make others."""
        if subject.by_token or subject.principal == ANONYMOUS:
            raise DelegationTokenRequestNotAllowed

    def require_secrets(self) -> None:
        """Without a key there is nothing to seal them by."""
        try:
            _ = self._users.sealing
        except SecurityDisabled as refusal:
            raise DelegationTokenAuthDisabled(refusal.message) from None

    async def create(self, wanted: Wanted) -> tuple[str, TokenRecord, bytes]:
        """The token's id, what is kept of it, and its HMAC."""
        if any(renewer.kind != "User" for renewer in wanted.renewers):
            raise InvalidPrincipalType
        if len(wanted.renewers) > RENEWERS_MAX:
            raise InvalidRequest(f"{len(wanted.renewers)} renewers, at most {RENEWERS_MAX} are taken")
        self.require_secrets()
        token_id = topic_id_text(TopicId(unguessable(ID_BYTES)))
        secret_key = self._config[settings.DELEGATION_TOKEN_SECRET_KEY]
        secret = unguessable(HMAC_BYTES) if secret_key is None else kafkas_hmac(token_id, secret_key)
        lifetimes = Lifetimes(
            self._config[settings.DELEGATION_TOKEN_MAX_LIFETIME_MS],
            self._config[settings.DELEGATION_TOKEN_EXPIRY_TIME_MS],
        )
        async with self._making:
            record = await asyncio.to_thread(
                make, wanted, token_id, secret, unguessable(SALT_BYTES),
                now_ms=self._clock.now(), lifetimes=lifetimes, sealing=self._users.sealing,
            )  # fmt: skip
        limits = (
            self._config[settings.PENSTOCK_DELEGATION_TOKENS_MAX],
            self._config[settings.PENSTOCK_DELEGATION_TOKENS_OF_ONE_MAX],
        )
        decide = adding(token_id, record, tokens_max=limits[0], of_one_max=limits[1])
        await self._controller.change_entries(EntryKind.TOKENS, decide)
        _log.info("delegation token made", token=token_id, owner=record.owner, requester=record.requester)
        return token_id, record, secret

    async def renew(self, secret: bytes, by: Principal, period_ms: int) -> int:
        """When it ends now."""
        self.require_secrets()
        renewed_ms = self._config[settings.DELEGATION_TOKEN_EXPIRY_TIME_MS]
        decide = renewing(secret, by, period_ms, now_ms=self._clock.now(), renewed_ms=renewed_ms)
        return await self._controller.change_entries(EntryKind.TOKENS, decide)

    async def expire(self, secret: bytes, by: Principal, period_ms: int) -> int:
        self.require_secrets()
        decide = expiring(secret, by, period_ms, now_ms=self._clock.now())
        return await self._controller.change_entries(EntryKind.TOKENS, decide)

    def shown(self) -> Iterator[tuple[str, TokenRecord]]:
        """Those that are not over."""
        now_ms = self._clock.now()
        return ((token_id, record) for token_id, record in self.tokens.all() if not record.is_over(now_ms))

    async def sweep(self) -> None:
        """Take away those that are over, for as long as this broker is the controller."""
        while True:
            await asyncio.sleep(self._config[settings.DELEGATION_TOKEN_EXPIRY_CHECK_INTERVAL_MS] / 1000)
            while self._image.controller_id == self._me and (over := self.tokens.over(self._clock.now())):
                try:
                    decide = sweeping(over, now_ms=self._clock.now())
                    swept = await self._controller.change_entries(EntryKind.TOKENS, decide)
                except Refusal as refusal:
                    _log.warning("delegation tokens not swept", reason=refusal.message)
                    break
                _log.info("delegation tokens that were over swept", tokens=swept)
