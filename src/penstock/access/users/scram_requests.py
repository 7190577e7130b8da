"""What admin clients ask about users' SCRAM keys, and what they change: as Kafka answers it, word by word. Beyond Kafka
the same requests tell and change which groups users are in.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Final

import msgspec

from penstock.access.sasl.keys import ITERATIONS_MAX, ITERATIONS_MIN, ScramKeys
from penstock.access.sasl.machine import NAME_MAX
from penstock.access.sealing import SealingKeys
from penstock.access.users.accounts import Changes, with_keys
from penstock.access.users.records import UserRecord
from penstock.errors import DuplicateResource, Refusal, ResourceNotFound, UnacceptableCredential
from penstock.errors import UnsupportedSaslMechanism as UnknownMechanism
from penstock.wire.messages.alter_user_scram_credentials_request import (
    AlterUserScramCredentialsRequest,
    GroupsOfUser,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
)
from penstock.wire.messages.describe_user_scram_credentials_response import (
    CredentialInfo,
    DescribeUserScramCredentialsResult,
)

MECHANISMS: Final[Mapping[int, str]] = {1: "SCRAM-SHA-256", 2: "SCRAM-SHA-512"}
"""As the wire numbers them."""
SALTED_BYTES: Final[Mapping[str, int]] = {"SCRAM-SHA-256": 32, "SCRAM-SHA-512": 64}
SALT_BYTES_MAX: Final = 1024
GROUPS_MAX: Final = 100
"""Of one user."""
_NUMBERS: Final = {name: number for number, name in MECHANISMS.items()}

Change = Callable[[UserRecord | None], UserRecord | None]


def describe(
    wanted: Iterable[str], names: Iterable[str], record: Callable[[str], UserRecord | None]
) -> list[DescribeUserScramCredentialsResult]:
    """All users with keys where none is `wanted`."""
    asked = Counter(wanted)
    found = [_described(name, times, record(name)) for name, times in asked.items()]
    if asked:
        return found
    everybody = (_described(name, 1, record(name)) for name in names)
    return [each for each in everybody if not each.error_code]


def _described(name: str, times: int, record: UserRecord | None) -> DescribeUserScramCredentialsResult:
    if times > 1:
        words = f"Cannot describe SCRAM credentials for the same user twice in a single request: {name}"
        return DescribeUserScramCredentialsResult(name, DuplicateResource.code, words)
    if record is None or not record.scram:
        words = f"Attempt to describe a user credential that does not exist: {name}"
        return DescribeUserScramCredentialsResult(name, ResourceNotFound.code, words)
    infos = [CredentialInfo(_NUMBERS[mechanism], kept.iterations) for mechanism, kept in sorted(record.scram.items())]
    return DescribeUserScramCredentialsResult(name, credential_infos=infos, member_of=list(record.groups))


def users_in(request: AlterUserScramCredentialsRequest) -> list[str]:
    """Each once, in the order in which they come."""
    return list(
        dict.fromkeys(
            [
                *(each.name for each in request.deletions),
                *(each.name for each in request.upsertions),
                *(each.user for each in request.groups_of_users),
            ]
        )
    )


def changes_of(
    request: AlterUserScramCredentialsRequest, sealing: SealingKeys, record: Callable[[str], UserRecord | None]
) -> tuple[dict[str, Refusal], Changes]:
    """Those that are refused as they stand, and what becomes of the others. `record` finds users as they are now."""
    asked: list[ScramCredentialDeletion | ScramCredentialUpsertion] = [*request.deletions, *request.upsertions]
    times = Counter(each.name for each in asked)
    refused: dict[str, Refusal] = {}
    changes: dict[str, Change] = {}
    for each in asked:
        try:
            change = _change(each, sealing)
            if times[each.name] > 1:
                if isinstance(each, ScramCredentialDeletion):
                    change(record(each.name))  # first of all it must be there
                raise DuplicateResource("A user credential cannot be altered twice in the same request")
            changes[each.name] = change
        except Refusal as refusal:
            refused.setdefault(each.name, refusal)
    of_users = Counter(each.user for each in request.groups_of_users)
    for wanted in request.groups_of_users:
        try:
            if of_users[wanted.user] > 1:
                raise DuplicateResource("A user's groups cannot be altered twice in the same request")
            if wanted.user not in refused:
                changes[wanted.user] = _grouping(wanted, after=changes.get(wanted.user))
        except Refusal as refusal:
            refused.setdefault(wanted.user, refusal)
            changes.pop(wanted.user, None)
    return refused, changes


def _grouping(wanted: GroupsOfUser, *, after: Change | None) -> Change:
    groups = tuple(dict.fromkeys(wanted.groups))
    if len(groups) > GROUPS_MAX or any(not 0 < len(group) <= NAME_MAX for group in groups):
        raise UnacceptableCredential(f"at most {GROUPS_MAX} groups, each of 1 to {NAME_MAX} characters")

    def put(record: UserRecord | None) -> UserRecord:
        changed = record if after is None else after(record)
        if changed is None:
            raise ResourceNotFound("There is no such user")
        return msgspec.structs.replace(changed, groups=groups)

    return put


def _change(asked: ScramCredentialDeletion | ScramCredentialUpsertion, sealing: SealingKeys) -> Change:
    if not asked.name:
        raise UnacceptableCredential("Username must not be empty")
    mechanism = MECHANISMS.get(asked.mechanism)
    if mechanism is None:
        raise UnknownMechanism("Unknown SCRAM mechanism")
    if isinstance(asked, ScramCredentialDeletion):
        return _deleting(mechanism)
    if asked.iterations < ITERATIONS_MIN:
        raise UnacceptableCredential("Too few iterations")
    if asked.iterations > ITERATIONS_MAX:
        raise UnacceptableCredential("Too many iterations")
    if len(asked.name) > NAME_MAX:
        raise UnacceptableCredential(f"a user's name has at most {NAME_MAX} characters")
    if not 0 < len(asked.salt) <= SALT_BYTES_MAX or len(asked.salted_password) != SALTED_BYTES[mechanism]:
        raise UnacceptableCredential(f"no salt, or no salted password of {mechanism}")
    keys = ScramKeys.of_salted(
        mechanism, bytes(asked.salted_password), salt=bytes(asked.salt), iterations=asked.iterations
    )
    # Sealed once: a decision that is made anew after a lost race must find its own work done.
    sealed = with_keys(None, asked.name, [keys], sealing).scram

    def put(record: UserRecord | None) -> UserRecord:
        record = record or UserRecord()
        return msgspec.structs.replace(record, scram={**record.scram, **sealed})

    return put


def _deleting(mechanism: str) -> Change:
    def delete(record: UserRecord | None) -> UserRecord | None:
        if record is None or mechanism not in record.scram:
            raise ResourceNotFound("Attempt to delete a user credential that does not exist")
        rest = {name: kept for name, kept in record.scram.items() if name != mechanism}
        return msgspec.structs.replace(record, scram=rest) if rest else None

    return delete
