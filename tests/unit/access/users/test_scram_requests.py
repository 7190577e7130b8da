"""Users' keys as admin clients change and see them. What is refused, and in which words, is compared with Kafka's."""

from __future__ import annotations

import hashlib

from penstock.access.sealing import SealingKeys
from penstock.access.users.accounts import Users, change_users
from penstock.access.users.scram_requests import changes_of, describe, users_in
from penstock.cluster import Entry
from penstock.errors import DuplicateResource, Refusal, ResourceNotFound, UnacceptableCredential
from penstock.metastore import Revision
from penstock.wire.messages.alter_user_scram_credentials_request import (
    AlterUserScramCredentialsRequest,
    GroupsOfUser,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
)

SEALING = SealingKeys(bytes(32))
SHA_256, SHA_512 = 1, 2


def put(name: str, password: bytes = b"mine", mechanism: int = SHA_256) -> ScramCredentialUpsertion:
    salted = hashlib.pbkdf2_hmac({SHA_256: "sha256", SHA_512: "sha512"}[mechanism], password, b"salt", 4096)
    return ScramCredentialUpsertion(name, mechanism, 4096, b"salt", salted)


class Store:
    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}
        self.users = Users(lambda: self.entries, lambda: SEALING)

    def alter(
        self, *asked: ScramCredentialUpsertion | ScramCredentialDeletion | GroupsOfUser
    ) -> dict[str, type[Refusal] | None]:
        request = AlterUserScramCredentialsRequest(
            [each for each in asked if isinstance(each, ScramCredentialDeletion)],
            [each for each in asked if isinstance(each, ScramCredentialUpsertion)],
            [each for each in asked if isinstance(each, GroupsOfUser)],
        )
        refused, changes = changes_of(request, SEALING, self.users.record)
        change = change_users(changes)(self.entries)
        self.entries |= {name: Entry(value, Revision(1)) for name, value in change.puts.items()}
        for name in change.deletes:
            del self.entries[name]
        outcomes = {**refused, **change.reply}
        assert set(outcomes) == set(users_in(request))
        return {name: None if refusal is None else type(refusal) for name, refusal in outcomes.items()}

    def fits(self, name: str, password: bytes, mechanism: str = "SCRAM-SHA-256") -> bool:
        account = self.users.account(name, mechanism)
        return account.is_known and account.keys.fits(password)


def test_a_user_is_added_gets_another_password_and_is_taken_away() -> None:
    store = Store()
    assert store.alter(put("a,=ü")) == {"a,=ü": None}
    assert store.fits("a,=ü", b"mine") and not store.fits("a,=ü", b"yours")
    store.alter(put("a,=ü", b"yours"))
    assert store.fits("a,=ü", b"yours") and not store.fits("a,=ü", b"mine")
    store.alter(put("a,=ü", b"yours", SHA_512))
    assert store.fits("a,=ü", b"yours", "SCRAM-SHA-512")
    store.alter(ScramCredentialDeletion("a,=ü", SHA_256))
    assert not store.users.account("a,=ü", "SCRAM-SHA-256").is_known and store.users.names() == ["a,=ü"]
    store.alter(ScramCredentialDeletion("a,=ü", SHA_512))
    assert store.users.names() == []


def test_each_user_stands_for_itself() -> None:
    store = Store()
    assert store.alter(
        put("good"), put("twice"), put("twice", mechanism=SHA_512), ScramCredentialDeletion("none", SHA_256),
        ScramCredentialUpsertion("short", SHA_256, 4096, b"salt", b"short"),
        ScramCredentialUpsertion("u" * 300, SHA_256, 4096, b"salt", bytes(32)),
    ) == {
        "good": None, "twice": DuplicateResource, "none": ResourceNotFound, "short": UnacceptableCredential,
        "u" * 300: UnacceptableCredential,
    }  # fmt: skip
    assert store.users.names() == ["good"]


def test_who_lost_a_race_decides_anew_over_what_the_other_wrote() -> None:
    request = AlterUserScramCredentialsRequest([], [put("me", mechanism=SHA_512)])
    decide = change_users(changes_of(request, SEALING, lambda name: None)[1])
    assert decide({}).puts
    store = Store()
    store.alter(put("me"))
    both = decide(store.entries).puts["me"]
    assert b"SCRAM-SHA-256" in both and b"SCRAM-SHA-512" in both
    assert not decide({"me": Entry(both, Revision(2))}).puts  # its own work


def test_everybody_is_described_without_a_key() -> None:
    store = Store()
    store.alter(put("b"), put("a", mechanism=SHA_512))
    told = describe([], store.users.names(), store.users.record)
    assert [(each.user, [(info.mechanism, info.iterations) for info in each.credential_infos]) for each in told] == [
        ("a", [(SHA_512, 4096)]),
        ("b", [(SHA_256, 4096)]),
    ]


def test_groups_are_those_that_were_said_last_and_outlast_a_new_password() -> None:
    store = Store()
    assert store.alter(put("alice"), GroupsOfUser("alice", ["ops", "ops", "all"])) == {"alice": None}
    store.alter(put("alice", b"new"))
    assert store.users.account("alice", "SCRAM-SHA-256").groups == ("ops", "all")
    (told,) = describe([], store.users.names(), store.users.record)
    assert told.member_of == ["ops", "all"]
    assert store.alter(GroupsOfUser("alice", [])) == {"alice": None}
    assert store.users.account("alice", "SCRAM-SHA-256").groups == ()


def test_groups_of_nobody_too_many_and_those_without_a_name_are_refused() -> None:
    store = Store()
    store.alter(put("alice"), put("bob"))
    assert store.alter(
        GroupsOfUser("nobody", ["ops"]),
        GroupsOfUser("alice", [""]),
        GroupsOfUser("bob", [f"group-{number}" for number in range(101)]),
        GroupsOfUser("twice", ["a"]), GroupsOfUser("twice", ["b"]),
    ) == {
        "nobody": ResourceNotFound,
        "alice": UnacceptableCredential,
        "bob": UnacceptableCredential,
        "twice": DuplicateResource,
    }  # fmt: skip
    assert store.alter(ScramCredentialDeletion("alice", SHA_256), GroupsOfUser("alice", ["ops"])) == {
        "alice": ResourceNotFound
    }
    assert store.fits("alice", b"mine"), "neither is done"
