"""A user who is none cannot be told from one who is by what is told before a proof, whichever tool made the users."""

from __future__ import annotations

import os
import string

import pytest

from penstock.access.sasl.keys import HASHES, ScramKeys
from penstock.access.sealing import SealingKeys
from penstock.access.users.accounts import Users, with_keys
from penstock.access.users.records import encode_user
from penstock.cluster import Entry
from penstock.metastore import Revision

SEALING = SealingKeys(bytes(32))
MECHANISM = "SCRAM-SHA-512"
LETTERS = string.ascii_lowercase + string.digits
KAFKAS_SALT = b"1a2b3c4d5e6f7g8h9i0j1k2l3m"
STRANGERS = [f"nobody-{number}" for number in range(40)]

Look = tuple[int, int, bool]


def look(keys: ScramKeys) -> Look:
    return keys.iterations, len(keys.salt), all(chr(each) in LETTERS for each in keys.salt)


def users_with(*made: tuple[bytes, int]) -> Users:
    entries = {}
    for number, (salt, iterations) in enumerate(made):
        keys = [ScramKeys(each, salt, iterations, bytes(64), bytes(64)) for each in HASHES]
        record = with_keys(None, f"user-{number}", keys, SEALING)
        entries[f"user-{number}"] = Entry(encode_user(record), Revision(1))
    users = Users(lambda: entries, lambda: SEALING)
    for name, entry in entries.items():
        users.learn(name, entry.value)
    return users


def looks_of_strangers(users: Users) -> set[Look]:
    return {look(users.account(name, MECHANISM).keys) for name in STRANGERS}


@pytest.mark.parametrize(
    "made",
    [
        (os.urandom(16), 4096),  # `penstock user add`
        (KAFKAS_SALT, 8192),  # kafka-configs.sh
        (os.urandom(64), 10_000),  # librdkafka
    ],
)
def test_strangers_look_like_the_users_that_there_are(made: tuple[bytes, int]) -> None:
    users = users_with(made)
    assert looks_of_strangers(users) == {look(users.account("user-0", MECHANISM).keys)}


def test_where_users_differ_each_look_is_a_strangers_too() -> None:
    users = users_with((os.urandom(16), 4096), (KAFKAS_SALT, 8192), (os.urandom(64), 4096))
    assert looks_of_strangers(users) == {look(users.account(f"user-{number}", MECHANISM).keys) for number in range(3)}


def test_a_stranger_is_told_the_same_every_time() -> None:
    users = users_with((KAFKAS_SALT, 8192))
    first = [users.account(name, MECHANISM).keys for name in STRANGERS]
    assert [users.account(name, MECHANISM).keys for name in STRANGERS] == first
    assert len({keys.salt for keys in first}) == len(STRANGERS)
    assert not any(users.account(name, MECHANISM).is_known for name in STRANGERS)


def test_an_entry_that_is_no_user_is_passed_over() -> None:
    users = users_with()
    users.learn("broken", b"{")
    users.learn("deleted", None)
    assert looks_of_strangers(users) == {(4096, 16, False)}


def test_as_many_keys_are_opened_for_a_stranger_as_for_a_user() -> None:
    """Opening them takes a while, which the clock would tell."""

    class Counting(SealingKeys):
        opened = 0

        def open(self, text: str, *, about: str) -> bytes:
            self.opened += 1
            return super().open(text, about=about)

    sealing, entries = Counting(bytes(32)), dict[str, Entry]()
    users = Users(lambda: entries, lambda: sealing)
    keys = ScramKeys.of_password(MECHANISM, b"mine", salt=b"s" * 16, iterations=4096)
    entries["alice"] = Entry(encode_user(with_keys(None, "alice", [keys], sealing)), Revision(1))
    counts = []
    for name, mechanism in (("alice", MECHANISM), ("nobody", MECHANISM), ("alice", "SCRAM-SHA-256")):
        before = sealing.opened
        users.account(name, mechanism)
        counts.append(sealing.opened - before)
    assert counts == [1, 1, 1]
