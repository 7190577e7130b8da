"""Delegation tokens: how long they last, who may do what with them, and who logs in by them."""

from __future__ import annotations

from base64 import b64encode

import pytest

from penstock.access.principal import Principal
from penstock.access.sealing import SealingKeys
from penstock.access.tokens.records import TokenRecord, decode_token
from penstock.access.tokens.tokens import (
    Decision,
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
from penstock.cluster import Entry
from penstock.errors import (
    DelegationTokenExpired,
    DelegationTokenNotFound,
    DelegationTokenOwnerMismatch,
    PolicyViolation,
)
from penstock.metastore import Revision

SEALING = SealingKeys(bytes(32))
ALICE, BOB, EVE = (Principal("User", name) for name in ("alice", "bob", "eve"))
SECRET = b"s" * 64
DAY, WEEK = 100, 700
NOW = 1_000


class Store:
    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}
        users = Users(dict, lambda: SEALING)
        self.tokens = Tokens(lambda: self.entries, users)

    def apply(self, decide: Decision) -> int:
        change = decide(self.entries)
        self.entries |= {name: Entry(value, Revision(1)) for name, value in change.puts.items()}
        for name in change.deletes:
            del self.entries[name]
        return change.reply

    def record(self) -> TokenRecord:
        return decode_token(self.entries["id"].value)


def a_token(*, lifetime_ms: int = -1, requester: Principal = ALICE) -> TokenRecord:
    wanted = Wanted(ALICE, requester, (BOB,), lifetime_ms)
    return make(wanted, "id", SECRET, b"salt", now_ms=NOW, lifetimes=Lifetimes(WEEK, DAY), sealing=SEALING)


@pytest.fixture
def store() -> Store:
    store = Store()
    store.apply(adding("id", a_token(), tokens_max=1, of_one_max=9))
    return store


def test_it_lasts_as_long_as_was_asked_and_no_longer_than_is_allowed() -> None:
    assert (a_token().ends_ms, a_token().max_ms) == (NOW + DAY, NOW + WEEK)
    assert (a_token(lifetime_ms=50).ends_ms, a_token(lifetime_ms=50).max_ms) == (NOW + 50, NOW + 50)
    assert a_token(lifetime_ms=10_000).max_ms == NOW + WEEK


def test_its_hmac_is_not_in_the_store_for_all_to_read(store: Store) -> None:
    value = store.entries["id"].value
    assert SECRET not in value and b64encode(SECRET) not in value
    assert store.tokens.hmac_of("id", store.record()) == SECRET


def test_owner_and_renewers_put_its_end_off(store: Store) -> None:
    for who in (ALICE, BOB):
        assert store.apply(renewing(SECRET, who, -1, now_ms=NOW + 50, renewed_ms=DAY)) == NOW + 50 + DAY
    assert store.apply(renewing(SECRET, BOB, 10, now_ms=NOW + 50, renewed_ms=DAY)) == NOW + 60
    assert store.apply(renewing(SECRET, BOB, 10_000, now_ms=NOW + 55, renewed_ms=2 * WEEK)) == NOW + WEEK
    with pytest.raises(DelegationTokenOwnerMismatch):
        store.apply(renewing(SECRET, EVE, -1, now_ms=NOW, renewed_ms=DAY))
    with pytest.raises(DelegationTokenNotFound):
        store.apply(renewing(b"another", ALICE, -1, now_ms=NOW, renewed_ms=DAY))


def test_what_is_over_is_not_renewed_but_can_be_taken_away(store: Store) -> None:
    with pytest.raises(DelegationTokenExpired):
        store.apply(renewing(SECRET, ALICE, -1, now_ms=NOW + DAY + 1, renewed_ms=DAY))
    with pytest.raises(DelegationTokenExpired):
        store.apply(expiring(SECRET, ALICE, 10, now_ms=NOW + DAY + 1))
    assert store.apply(expiring(SECRET, BOB, -1, now_ms=NOW + DAY + 1)) == NOW + DAY + 1
    assert not store.entries


def test_it_is_ended_at_a_time(store: Store) -> None:
    assert store.apply(expiring(SECRET, ALICE, 10, now_ms=NOW)) == NOW + 10
    with pytest.raises(DelegationTokenOwnerMismatch):
        store.apply(expiring(SECRET, EVE, -1, now_ms=NOW))


def test_whoever_has_it_logs_in_as_its_owner_until_it_is_over(store: Store) -> None:
    for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-512"):
        account = store.tokens.account("id", mechanism, now_ms=NOW + DAY)
        assert account.is_known and account.by_token and account.ends_at_ms == NOW + DAY
        assert account.user == "alice" and account.keys.fits(b64encode(SECRET))
    for token_id, now_ms in (("id", NOW + DAY + 1), ("another", NOW)):
        account = store.tokens.account(token_id, "SCRAM-SHA-256", now_ms=now_ms)
        assert not account.is_known and not account.keys.fits(b64encode(SECRET))


def test_a_token_put_under_another_id_is_worth_nothing(store: Store) -> None:
    store.entries["other"] = store.entries["id"]
    assert not store.tokens.account("other", "SCRAM-SHA-256", now_ms=NOW).is_known


def test_there_are_so_many_and_those_that_are_over_go(store: Store) -> None:
    with pytest.raises(PolicyViolation):
        store.apply(adding("second", a_token(), tokens_max=1, of_one_max=9))
    assert store.tokens.over(NOW + DAY) == []
    over = store.tokens.over(NOW + DAY + 1)
    assert store.apply(sweeping(over, now_ms=NOW)) == 0  # renewed meanwhile, it seems
    assert store.apply(sweeping([*over, "gone"], now_ms=NOW + DAY + 1)) == 1
    assert not store.entries


def test_nobody_uses_up_all(store: Store) -> None:
    """Counted by who made them, whoever they are for."""
    with pytest.raises(PolicyViolation, match="User:alice has made 1 "):
        store.apply(adding("second", a_token(), tokens_max=9, of_one_max=1))
    store.apply(adding("second", a_token(requester=EVE), tokens_max=9, of_one_max=1))
    store.apply(adding("id", a_token(), tokens_max=1, of_one_max=1))  # decided again: it is there already


def test_an_hmac_may_be_made_as_kafkas() -> None:
    assert kafkas_hmac("id", "key") == kafkas_hmac("id", "key") != kafkas_hmac("id", "another")
    assert len(kafkas_hmac("id", "key")) == 64
