"""Bugs planted into the fetch protocol between a leader and its followers: each stands in for a part of it."""

from contextlib import AbstractContextManager
from typing import Any
from unittest import mock

import msgspec

from penstock.model import BrokerId
from penstock.replication import replica_session
from penstock.replication.followed_partition import FollowedPartition
from penstock.replication.followers import Followers
from penstock.replication.machine import Diverging
from penstock.replication.replica_session import FetchOutcome
from penstock.replication.replica_sessions import ReplicaSessions
from penstock.replication.session_partitions import Answers, SessionPartitions
from penstock.wire.fetch import FULL_EPOCH, FetchPartition, FetchRequest

FORGETS_EVERY = 50


class ForgetfulPartitions(SessionPartitions):
    """A session that loses a partition now and then."""

    taken_in = 0

    def take_in(self, request: FetchRequest, version: int) -> Answers:
        unknown = super().take_in(request, version)
        self.taken_in += 1
        if self.taken_in % FORGETS_EVERY == 0 and self._sent:
            self._forget(next(iter(self._sent)))
        return unknown


def session_forgets() -> AbstractContextManager[Any]:
    return mock.patch.object(replica_session, "SessionPartitions", ForgetfulPartitions)


def takes_answers_of_former_sessions() -> AbstractContextManager[Any]:
    """A follower goes by what is answered to a question of before: before this session, or this leader epoch."""
    return mock.patch.object(FollowedPartition, "is_answered_by", lambda _place, _number: True)


def counts_fetches_of_former_epochs() -> AbstractContextManager[Any]:
    """A leader goes by what a follower asked for in a leader epoch of before."""
    fetched = Followers.fetched

    def counted(self: Followers, broker_id: BrokerId, asked: FetchPartition, *, broker_epoch: int) -> Diverging | None:
        asked = msgspec.structs.replace(asked, current_leader_epoch=-1)
        return fetched(self, broker_id, asked, broker_epoch=broker_epoch)

    return mock.patch.object(Followers, "fetched", counted)


def takes_requests_of_former_sessions() -> AbstractContextManager[Any]:
    """A leader looks at neither the number nor the epoch of a session."""
    fetch = ReplicaSessions.fetch

    def fetched(self: ReplicaSessions, request: FetchRequest, version: int, *, proved: int) -> FetchOutcome:
        session = self._sessions.get(BrokerId(request.replica_id))
        if session is not None and request.session_epoch != FULL_EPOCH:
            request.session_id, request.session_epoch = session.id, session.epoch
        return fetch(self, request, version, proved=proved)

    return mock.patch.object(ReplicaSessions, "fetch", fetched)
