"""Delegation tokens: made, renewed, ended, found and logged in by, as in Kafka.

Whoever has a token's id and HMAC logs in by SCRAM with these as name and password, and asks as the owner. So the HMAC
is a secret: it is sealed in the store, and told to those only whom the token belongs to.
"""

import hashlib
import hmac
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

import msgspec
import structlog

from penstock.access.principal import Principal
from penstock.access.sasl.keys import HASHES, ITERATIONS_MIN, SALT_BYTES, ScramKeys, made_up_keys
from penstock.access.sasl.scram import Account
from penstock.access.sealing import NotSealedByUs, SealingKeys
from penstock.access.tokens.records import TokenRecord, decode_token, encode_token, principal_of
from penstock.access.users.accounts import Found, Users
from penstock.access.users.records import open_keys, seal_keys
from penstock.cluster import Entry, EntryChange
from penstock.errors import (
    DelegationTokenExpired,
    DelegationTokenNotFound,
    DelegationTokenOwnerMismatch,
    PolicyViolation,
)

RENEWERS_MAX: Final = 100
ID_BYTES: Final = 16
HMAC_BYTES: Final = 64
ENDED_AT_ONCE: Final = 1_000
"""Tokens that one sweep takes away, as in Kafka."""
_log = structlog.get_logger(__name__)


class Wanted(NamedTuple):
    """A token to be made."""

    owner: Principal
    requester: Principal
    renewers: tuple[Principal, ...]
    lifetime_ms: int
    """0 or less: the longest."""


class Lifetimes(NamedTuple):
    max_ms: int
    renewed_ms: int


class Tokens:
    def __init__(self, found: Found, users: Users) -> None:
        """`found`: the image's entries."""
        self._found = found
        self._users = users

    def account(self, token_id: str, mechanism: str, *, now_ms: int) -> Account:
        """One for any id, as with users."""
        sealing, record = self._users.sealing, self._record(token_id)
        if record is not None and not record.is_over(now_ms):
            try:
                keys = open_keys(record.scram[mechanism], user=_about(token_id), mechanism=mechanism, sealing=sealing)
            except NotSealedByUs as problem:
                _log.error("the keys of a token cannot be opened", token=token_id, reason=str(problem))
            else:
                owner = principal_of(record.owner).name
                user = self._users.record(owner)
                groups = () if user is None else user.groups
                return Account(keys, owner, True, groups, by_token=True, ends_at_ms=record.ends_ms)
        return Account(made_up_keys(mechanism, _about(token_id), sealing.derived), token_id, False)

    def all(self) -> list[tuple[str, TokenRecord]]:
        return [(token_id, decode_token(entry.value)) for token_id, entry in self._found().items()]

    def over(self, now_ms: int) -> list[str]:
        return [token_id for token_id, record in self.all() if record.is_over(now_ms)][:ENDED_AT_ONCE]

    def hmac_of(self, token_id: str, record: TokenRecord) -> bytes:
        return self._users.sealing.open(record.hmac, about=_about(token_id))

    def _record(self, token_id: str) -> TokenRecord | None:
        entry = self._found().get(token_id)
        return None if entry is None else decode_token(entry.value)


def make(
    wanted: Wanted,
    token_id: str,
    secret: bytes,
    salt: bytes,
    *,
    now_ms: int,
    lifetimes: Lifetimes,
    sealing: SealingKeys,
) -> TokenRecord:
    """Takes milliseconds. `secret` is its HMAC."""
    password = b64encode(secret)
    keys = [
        ScramKeys.of_password(mechanism, password, salt=salt[:SALT_BYTES], iterations=ITERATIONS_MIN)
        for mechanism in HASHES
    ]
    about = _about(token_id)
    lifetime_ms = min(lifetimes.max_ms, wanted.lifetime_ms) if wanted.lifetime_ms > 0 else lifetimes.max_ms
    max_ms = now_ms + lifetime_ms
    return TokenRecord(
        owner=str(wanted.owner),
        requester=str(wanted.requester),
        renewers=tuple(str(renewer) for renewer in wanted.renewers),
        issued_ms=now_ms,
        ends_ms=min(max_ms, now_ms + lifetimes.renewed_ms),
        max_ms=max_ms,
        hmac=sealing.seal(secret, about=about),
        digest=_digest(secret),
        scram={each.mechanism: seal_keys(each, user=about, sealing=sealing) for each in keys},
    )


def kafkas_hmac(token_id: str, secret_key: str) -> bytes:
    """Where delegation.token.secret.key is set: it can be told from the id then, as Kafka's."""
    return hmac.digest(secret_key.encode(), token_id.encode(), "sha512")


def id_of(secret: bytes, found: Mapping[str, Entry]) -> str | None:
    """Which token has this HMAC. By its digest, so that how long it takes tells nothing of the HMAC."""
    digest = _digest(secret)
    return next((token_id for token_id, entry in found.items() if decode_token(entry.value).digest == digest), None)


# What is written. Each is a decision for `Controller.change_entries` ------------------------------------------------

Decision = Callable[[Mapping[str, Entry]], EntryChange[int]]


def adding(token_id: str, record: TokenRecord, *, tokens_max: int, of_one_max: int) -> Decision:
    value = encode_token(record)

    def decide(found: Mapping[str, Entry]) -> EntryChange[int]:
        if token_id not in found:  # else it was written, and is decided again
            _check_room(found, record.requester, tokens_max=tokens_max, of_one_max=of_one_max)
        return EntryChange(record.ends_ms, {token_id: value})

    return decide


def _check_room(found: Mapping[str, Entry], requester: str, *, tokens_max: int, of_one_max: int) -> None:
    if len(found) >= tokens_max:
        raise PolicyViolation(f"there are {len(found)} delegation tokens: penstock.delegation.tokens.max")
    of_one = sum(decode_token(entry.value).requester == requester for entry in found.values())
    if of_one >= of_one_max:
        raise PolicyViolation(f"{requester} has made {of_one} delegation tokens: penstock.delegation.tokens.of.one.max")


def renewing(secret: bytes, by: Principal, period_ms: int, *, now_ms: int, renewed_ms: int) -> Decision:
    period_ms = min(renewed_ms, period_ms) if period_ms > 0 else renewed_ms

    def decide(found: Mapping[str, Entry]) -> EntryChange[int]:
        token_id, record = _found_by(secret, found)
        if record.is_over(now_ms):
            raise DelegationTokenExpired
        if not record.may_be_renewed_by(str(by)):
            raise DelegationTokenOwnerMismatch
        return _ending(token_id, record, min(record.max_ms, now_ms + period_ms))

    return decide


def expiring(secret: bytes, by: Principal, period_ms: int, *, now_ms: int) -> Decision:
    def decide(found: Mapping[str, Entry]) -> EntryChange[int]:
        token_id, record = _found_by(secret, found)
        if not record.may_be_renewed_by(str(by)):
            raise DelegationTokenOwnerMismatch
        if period_ms < 0:
            return EntryChange(now_ms, deletes=[token_id])
        if record.is_over(now_ms):
            raise DelegationTokenExpired
        return _ending(token_id, record, min(record.max_ms, now_ms + period_ms))

    return decide


def sweeping(token_ids: Iterable[str], *, now_ms: int) -> Decision:
    """Away with those that are over."""
    wanted = tuple(token_ids)

    def decide(found: Mapping[str, Entry]) -> EntryChange[int]:
        over = [each for each in wanted if each in found and decode_token(found[each].value).is_over(now_ms)]
        return EntryChange(len(over), deletes=over)

    return decide


def _ending(token_id: str, record: TokenRecord, ends_ms: int) -> EntryChange[int]:
    changed = msgspec.structs.replace(record, ends_ms=ends_ms)
    return EntryChange(ends_ms, {token_id: encode_token(changed)})


def _found_by(secret: bytes, found: Mapping[str, Entry]) -> tuple[str, TokenRecord]:
    token_id = id_of(secret, found)
    if token_id is None:
        raise DelegationTokenNotFound
    return token_id, decode_token(found[token_id].value)


def _digest(secret: bytes) -> str:
    return hashlib.sha256(secret).hexdigest()


def _about(token_id: str) -> str:
    return f"token\0{token_id}"
