"""What members of share groups do at this broker: begin and end sessions, and say what became of records."""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

import structlog

from penstock.coordinators.shares.states import SharePartitionKey
from penstock.delivery.shares import metrics
from penstock.delivery.shares.group_rules import GroupRules
from penstock.delivery.shares.rules import ShareRules
from penstock.delivery.shares.sessions import (
    FINAL,
    INITIAL,
    SessionKey,
    SharedPartition,
    ShareSession,
    ShareSessions,
)
from penstock.delivery.shares.settling import Said
from penstock.delivery.shares.share_partitions import SharePartitions
from penstock.errors import InvalidShareSessionEpoch, NotLeaderOrFollower, Refusal, UnknownTopicOrPartition
from penstock.metrics import MetricsRegistry
from penstock.replication import Partition, Promise

_log = structlog.get_logger(__name__)


class Connected(Protocol):
    """Whoever is at the other end of a connection."""

    on_gone: "Callable[[], None] | None"
    """Called when its connection is gone, while it has a share session."""


class ShareDelivery:
    def __init__(
        self, share_partitions: SharePartitions, rules: GroupRules, *, sessions_max: int, registry: MetricsRegistry
    ) -> None:
        self.share_partitions = share_partitions
        self._rules = rules
        self.sessions = ShareSessions(sessions_max)
        share_partitions.is_wanted = self.sessions.has_group
        registry.read(metrics.SESSIONS, lambda: [((), len(self.sessions))])

    def rules_of(self, group: str) -> ShareRules:
        return self._rules.of(group)

    def is_open(self, group: str, shared: SharedPartition) -> bool:
        """Whether what is kept of it is read."""
        share = self.share_partitions.find(SharePartitionKey(group, *shared))
        return share is not None and share.machine is not None

    def stop(self) -> None:
        """Whoever waits looks again and finds nothing; no lock ends any more."""
        for share in list(self.share_partitions):
            self.share_partitions.drop(share)

    # Sessions ---------------------------------------------------------------------------------------------------

    def begin_fetch(
        self,
        key: SessionKey,
        epoch: int,
        caller: Connected,
        *,
        asked: Sequence[SharedPartition],
        forgotten: Iterable[SharedPartition],
        says_something: bool,
    ) -> ShareSession:
        if epoch != INITIAL:
            return self.sessions.go_on(key, epoch, added=asked, forgotten=forgotten)
        former = self.sessions.get(key)
        session = self.sessions.begin(key, caller, asked, says_something=says_something)
        if former is not None:
            _log.info("share session begun anew", group=key.group, member=key.member)
        caller.on_gone = lambda: self.connection_gone(caller)
        return session

    def begin_acknowledge(self, key: SessionKey, epoch: int) -> ShareSession:
        if epoch == INITIAL:
            raise InvalidShareSessionEpoch("a session begins with a fetch")
        return self.sessions.go_on(key, epoch)

    def end_if_final(self, session: ShareSession, epoch: int) -> None:
        if epoch == FINAL:
            self.end(session)

    def end(self, session: ShareSession) -> None:
        """What the member has goes to others. A session that another has taken the place of is no business of it."""
        if self.sessions.get(session.key) is not session:
            return
        self.sessions.end(session.key)
        for share in self.share_partitions.of_group(session.key.group):
            share.release(session.key.member)
            share.tell()
        if not self.sessions.has_group(session.key.group):
            self.share_partitions.forget_group(session.key.group)

    def connection_gone(self, caller: object) -> None:
        for session in self.sessions.of(caller):
            self.end(session)

    # Acknowledging ----------------------------------------------------------------------------------------------

    def acknowledge(
        self,
        key: SessionKey,
        shared: SharedPartition,
        partition: Partition | None,
        said: Sequence[Said],
        *,
        leaves: bool = False,
    ) -> Promise[None]:
        """A promise of its being kept; what is refused it comes to. `leaves`: the member's session ends with it."""
        promise: Promise[None] = Promise()
        try:
            if partition is None or not partition.is_leader:
                raise NotLeaderOrFollower("another broker leads this partition")
            share = self.share_partitions.find(SharePartitionKey(key.group, *shared))
            if share is None or share.machine is None:
                raise UnknownTopicOrPartition("nobody was given records of this partition here")
            return share.acknowledge(key.member, said, leaves=leaves)
        except Refusal as refusal:
            promise.set_exception(refusal)
            return promise
