"""Share sessions: a member names its partitions to a broker once, and then only what changes.

A session is the member's, dies with the connection that began it, and counts its requests: a request that was lost, or
came twice, is noticed. Bounded by `group.share.max.share.sessions` and `PARTITIONS_MAX`.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from penstock.errors import (
    InvalidRequest,
    InvalidShareSessionEpoch,
    ShareSessionLimitReached,
    ShareSessionNotFound,
)
from penstock.model import TopicId

INITIAL: Final = 0
"""The epoch of a request that begins a session."""
FINAL: Final = -1
EPOCH_MAX: Final = 0x7FFFFFFF
PARTITIONS_MAX: Final = 500_000
"""Partitions that all sessions remember together."""


class SharedPartition(NamedTuple):
    topic_id: TopicId
    number: int


class SessionKey(NamedTuple):
    group: str
    member: str


class ShareSession:
    __slots__ = ("epoch", "key", "owner", "partitions")

    def __init__(self, key: SessionKey, owner: object, partitions: Iterable[SharedPartition]) -> None:
        self.key = key
        self.epoch = 1
        self.owner = owner
        """Whose connection it is."""
        self.partitions: dict[SharedPartition, bool] = dict.fromkeys(partitions, True)
        """And whether an answer has yet to say something of it. In the order in which they are served."""

    def asked(self, epoch: int) -> list[SharedPartition]:
        """Beginning with another one each time, so that none starves."""
        partitions = list(self.partitions)
        at = epoch % len(partitions) if partitions and epoch > 0 else 0
        return partitions[at:] + partitions[:at]

    def untold(self) -> list[SharedPartition]:
        """New ones: an answer mentions each, though there may be nothing in it."""
        return [partition for partition, must in self.partitions.items() if must]

    def told(self, partition: SharedPartition) -> None:
        self.partitions[partition] = False

    def must_tell(self, partition: SharedPartition, *, has_records: bool, has_error: bool) -> bool:
        """Whether an answer mentions it; remembers that it did."""
        must = self.partitions.get(partition)
        if must is None:
            return True  # forgotten meanwhile
        self.partitions[partition] = has_error  # an error is told of until it is gone
        if has_records:
            self.partitions[partition] = self.partitions.pop(partition)
        return must or has_records or has_error


class ShareSessions:
    def __init__(self, sessions_max: int) -> None:
        self.sessions_max = sessions_max
        self._sessions: dict[SessionKey, ShareSession] = {}
        self._of_groups: dict[str, int] = {}
        self._partitions = 0

    def __len__(self) -> int:
        return len(self._sessions)

    def get(self, key: SessionKey) -> ShareSession | None:
        return self._sessions.get(key)

    def has_group(self, group: str) -> bool:
        return group in self._of_groups

    def of(self, owner: object) -> list[ShareSession]:
        return [session for session in self._sessions.values() if session.owner is owner]

    def begin(
        self, key: SessionKey, owner: object, partitions: Sequence[SharedPartition], *, says_something: bool
    ) -> ShareSession:
        """A new one in the place of the member's former. `says_something`: of records that it has, which it cannot."""
        if says_something:
            raise InvalidRequest("a session begins without acknowledgements")
        self.end(key)
        if len(self._sessions) >= self.sessions_max or self._partitions + len(partitions) > PARTITIONS_MAX:
            raise ShareSessionLimitReached(f"there are {len(self._sessions)} share sessions")
        session = self._sessions[key] = ShareSession(key, owner, partitions)
        self._of_groups[key.group] = self._of_groups.get(key.group, 0) + 1
        self._partitions += len(session.partitions)
        return session

    def go_on(
        self,
        key: SessionKey,
        epoch: int,
        *,
        added: Iterable[SharedPartition] = (),
        forgotten: Iterable[SharedPartition] = (),
    ) -> ShareSession:
        """The next request of a session, or its last one."""
        session = self._sessions.get(key)
        if session is None:
            raise ShareSessionNotFound(f"member {key.member} has no share session here")
        if epoch == FINAL:
            return session
        if epoch != session.epoch:
            raise InvalidShareSessionEpoch(f"the share session is at epoch {session.epoch}, not {epoch}")
        before = len(session.partitions)
        for partition in added:
            session.partitions.setdefault(partition, True)
        for partition in forgotten:
            session.partitions.pop(partition, None)
        self._partitions += len(session.partitions) - before
        session.epoch = session.epoch + 1 if session.epoch < EPOCH_MAX else 1
        if self._partitions > PARTITIONS_MAX:
            self.end(key)
            raise ShareSessionNotFound("the share session has grown beyond what is kept here")
        return session

    def end(self, key: SessionKey) -> ShareSession | None:
        session = self._sessions.pop(key, None)
        if session is not None:
            self._partitions -= len(session.partitions)
            self._of_groups[key.group] -= 1
            if not self._of_groups[key.group]:
                del self._of_groups[key.group]
        return session
