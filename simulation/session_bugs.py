"""Bugs planted into the fetch protocol between a leader and its followers: each stands in for a class of it."""

from contextlib import AbstractContextManager
from typing import Any
from unittest import mock

from penstock.replication import replica_session
from penstock.replication.session_partitions import Answers, SessionPartitions
from penstock.wire.fetch import FetchRequest

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
