"""Users as logins look them up, and the changes that admin clients make of them."""

from base64 import b64decode
from collections.abc import Callable, Iterable, Mapping
from typing import Final

import msgspec
import structlog

from penstock.access.sasl.keys import STRONGEST_FIRST, ScramKeys, made_up_keys
from penstock.access.sasl.scram import Account
from penstock.access.sealing import NotSealedByUs, SealingKeys
from penstock.access.users.lookalikes import Lookalikes
from penstock.access.users.records import UserRecord, decode_user, encode_user, open_keys, seal_keys
from penstock.cluster import Entry, EntryChange
from penstock.errors import Refusal, SecurityDisabled

_NOBODY: Final = ""
_log = structlog.get_logger(__name__)

Found = Callable[[], Mapping[str, Entry]]
Changes = Mapping[str, Callable[[UserRecord | None], UserRecord | None]]
"""For each user what becomes of it: None is nobody. A Refusal leaves that user as it was."""


class Users:
    def __init__(self, found: Found, sealing: Callable[[], SealingKeys | None]) -> None:
        """`found`: the image's entries. `sealing`: the keys; None where this broker was given none."""
        self._found = found
        self._sealing = sealing
        self._lookalikes = Lookalikes()
        self._kept_decoy: bytes | None = None

    @property
    def sealing(self) -> SealingKeys:
        """Refused where there are none."""
        sealing = self._sealing()
        if sealing is None:
            raise SecurityDisabled("this broker keeps no secrets: penstock.secrets.key.file is not set")
        return sealing

    def learn(self, name: str, value: bytes | None) -> None:
        """A user was added, changed or deleted: who is none has to look like those who are."""
        try:
            for mechanism, kept in (decode_user(value).scram if value is not None else {}).items():
                self._lookalikes.see(mechanism, b64decode(kept.salt), kept.iterations)
        except ValueError as error:
            _log.error("a user cannot be read", user=name, reason=str(error))

    def names(self) -> list[str]:
        return sorted(self._found())

    def record(self, name: str) -> UserRecord | None:
        entry = self._found().get(name)
        return None if entry is None else decode_user(entry.value)

    def account(self, name: str, mechanism: str) -> Account:
        """One for any name: whoever is no user, or has no keys for the mechanism, gets keys that nothing fits.

        The same work for everybody, so that the clock does not tell who is a user: keys are made up for those who have
        some, and some are opened for those who have none.
        """
        sealing = self.sealing
        made_up = self._lookalikes.keys(mechanism, name, sealing.derived)
        record = self.record(name)
        if record is None or mechanism not in record.scram:
            decoy = self._decoy(sealing)
            open_keys(decode_user(decoy).scram[mechanism], user=_NOBODY, mechanism=mechanism, sealing=sealing)
            return Account(made_up, name, False)
        try:
            keys = open_keys(record.scram[mechanism], user=name, mechanism=mechanism, sealing=sealing)
        except NotSealedByUs as problem:
            _log.error("the keys of a user cannot be opened", user=name, mechanism=mechanism, reason=str(problem))
            return Account(made_up, name, False)
        return Account(keys, name, True, record.groups)

    def _decoy(self, sealing: SealingKeys) -> bytes:
        """A user who is none, as the store would have one."""
        if self._kept_decoy is None:
            keys = [made_up_keys(mechanism, _NOBODY, sealing.derived) for mechanism in STRONGEST_FIRST]
            self._kept_decoy = encode_user(with_keys(None, _NOBODY, keys, sealing))
        return self._kept_decoy

    def account_for_password(self, name: str) -> Account:
        record = self.record(name)
        kept = () if record is None else record.scram
        return self.account(name, next((each for each in STRONGEST_FIRST if each in kept), STRONGEST_FIRST[0]))

    def unopened(self) -> str | None:
        """Why some user's keys cannot be opened; None where all can. Asked at the start."""
        for name in self.names():
            record = self.record(name)
            for mechanism, kept in (record.scram if record is not None else {}).items():
                try:
                    open_keys(kept, user=name, mechanism=mechanism, sealing=self.sealing)
                except NotSealedByUs as problem:
                    return f"the {mechanism} keys of the user {name}: {problem}"
        return None


def change_users(changes: Changes) -> Callable[[Mapping[str, Entry]], EntryChange[dict[str, Refusal | None]]]:
    """A decision for `Controller.change_entries`. Each user stands for itself: the reply says who was refused."""

    def decide(found: Mapping[str, Entry]) -> EntryChange[dict[str, Refusal | None]]:
        puts: dict[str, bytes] = {}
        deletes: list[str] = []
        outcome: dict[str, Refusal | None] = {}
        for name, change in changes.items():
            before = decode_user(found[name].value) if name in found else None
            try:
                after = change(before)
            except Refusal as refusal:
                outcome[name] = refusal
                continue
            outcome[name] = None
            if after is not None and after != before:
                puts[name] = encode_user(after)
            elif after is None and before is not None:
                deletes.append(name)
        return EntryChange(outcome, puts, deletes)

    return decide


def with_keys(record: UserRecord | None, user: str, keys: Iterable[ScramKeys], sealing: SealingKeys) -> UserRecord:
    record = record or UserRecord()
    sealed = {each.mechanism: seal_keys(each, user=user, sealing=sealing) for each in keys}
    return msgspec.structs.replace(record, scram={**record.scram, **sealed})
