"""The first users of a cluster: nobody can log in to add them. They come from a file that `penstock init` writes.

    penstock.bootstrap.users.file=/etc/penstock/first-users

One user and mechanism a line, as JSON. The keys are SCRAM's, never a password:

    {"user": "admin", "mechanism": "SCRAM-SHA-512", "salt": "...", "iterations": 4096,
     "stored_key": "...", "server_key": "...", "groups": []}

It counts only while the cluster has no user at all. So it can stay where it is: a user who is deleted later does not
come back, and who has deleted all users by mistake has a way in again.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import msgspec

from penstock.access.sasl.keys import HASHES, ITERATIONS_MIN, SALT_BYTES, ScramKeys
from penstock.access.sealing import SealingKeys, read_private, unguessable
from penstock.access.users.accounts import with_keys
from penstock.access.users.records import UserRecord, encode_user
from penstock.cluster import Entry, EntryChange
from penstock.errors import Fatal

SETTING = "penstock.bootstrap.users.file"


class FirstUser(msgspec.Struct, frozen=True):
    user: str
    mechanism: str
    salt: bytes
    iterations: int
    stored_key: bytes
    server_key: bytes
    groups: tuple[str, ...] = ()

    @property
    def keys(self) -> ScramKeys:
        return ScramKeys(self.mechanism, self.salt, self.iterations, self.stored_key, self.server_key)


def first_user_lines(
    user: str, password: str, *, mechanisms: Iterable[str] = tuple(HASHES), groups: Iterable[str] = ()
) -> str:
    """What goes into the file, one line for each mechanism. For `penstock init`, which asks for the password."""
    lines = []
    for mechanism in mechanisms:
        salt = unguessable(SALT_BYTES)
        keys = ScramKeys.of_password(mechanism, password.encode(), salt=salt, iterations=ITERATIONS_MIN)
        first = FirstUser(
            user, mechanism, salt, keys.iterations, keys.stored_key, keys.server_key, groups=tuple(groups)
        )
        lines.append(msgspec.json.encode(first).decode() + "\n")
    return "".join(lines)


def read_first_users(path: Path) -> list[FirstUser]:
    """Fatal, in words, where it cannot be used."""
    users = []
    for number, line in enumerate(read_private(path, SETTING).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            first = msgspec.json.decode(line, type=FirstUser)
        except msgspec.DecodeError as problem:
            raise Fatal(f"{SETTING}: {path}:{number}: {problem}") from None
        sizes = {len(first.stored_key), len(first.server_key)}
        made_of = {"SCRAM-SHA-256": 32, "SCRAM-SHA-512": 64}.get(first.mechanism)
        if made_of is None or sizes != {made_of} or first.iterations < ITERATIONS_MIN or not first.user:
            raise Fatal(f"{SETTING}: {path}:{number}: these are no SCRAM keys that a user could have")
        users.append(first)
    return users


def add_first_users(
    first: Iterable[FirstUser], sealing: SealingKeys
) -> Callable[[Mapping[str, Entry]], EntryChange[list[str]]]:
    """A decision for `Controller.change_entries`; its reply names those that were added."""
    records: dict[str, UserRecord] = {}
    for each in first:
        record = with_keys(records.get(each.user), each.user, [each.keys], sealing)
        records[each.user] = msgspec.structs.replace(record, groups=each.groups)

    def decide(found: Mapping[str, Entry]) -> EntryChange[list[str]]:
        if found:
            return EntryChange([])
        return EntryChange(sorted(records), {name: encode_user(record) for name, record in records.items()})

    return decide
