"""A replica whose log is in trouble makes way: another leads, or it leaves the in-sync set (RULES 21, 22). One that has
nothing says so where others wait for it (RULES 46).

The cluster is asked until it has heard, whatever becomes of the store meanwhile, or until there is nothing to ask for
any more. A replica that wants it again while it is under way changes nothing.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import structlog

from penstock.metastore import MetastoreError
from penstock.replication.following import Follower
from penstock.replication.partition import Partition
from penstock.replication.ports import Resignations

AGAIN_AFTER_S = 0.5

_log = structlog.get_logger(__name__)


class ReplicaHandover:
    def __init__(self, resignations: Resignations, spawn: Callable[[Coroutine[Any, Any, None]], object]) -> None:
        self._resignations = resignations
        self._spawn = spawn
        self._under_way: set[Partition] = set()

    def resign(self, replica: Partition, reason: str) -> None:
        self._begin(replica, self._resign(replica, reason))

    def leave(self, replica: Partition, reason: str) -> None:
        self._begin(replica, self._leave(replica, reason))

    def tell_of_nothing(self, replica: Partition) -> None:
        self._begin(replica, self._tell_of_nothing(replica))

    def _begin(self, replica: Partition, asking: Coroutine[Any, Any, None]) -> None:
        if replica in self._under_way:
            asking.close()
        else:
            self._under_way.add(replica)
            self._spawn(asking)

    async def _resign(self, replica: Partition, reason: str) -> None:
        epoch = replica.leader_epoch
        try:
            await until_heard(
                replica,
                "resign",
                lambda: self._resignations.resign(
                    replica.topic_id,
                    replica.index,
                    leader_epoch=epoch,
                    reason=reason,
                    eligible_below=replica.leadership.eligible_below,
                ),
                is_wanted=lambda: replica.is_leader and replica.leader_epoch == epoch,
            )
        finally:
            self._under_way.discard(replica)

    async def _leave(self, replica: Partition, reason: str) -> None:
        try:
            await until_heard(
                replica,
                "leave",
                lambda: self._resignations.leave(
                    replica.topic_id, replica.index, reason=reason, eligible_below=replica.leadership.eligible_below
                ),
                is_wanted=lambda: isinstance(replica.role, Follower) and replica.log.trouble is not None,
            )
        finally:
            self._under_way.discard(replica)

    async def _tell_of_nothing(self, replica: Partition) -> None:
        try:
            await until_heard(
                replica,
                "tell of an empty log",
                lambda: self._resignations.has_nothing(replica.topic_id, replica.index),
                is_wanted=lambda: replica.leader < 0 and replica.log.end_offset == 0,
            )
        finally:
            self._under_way.discard(replica)


async def until_heard(
    replica: Partition, what: str, ask: Callable[[], Awaitable[None]], *, is_wanted: Callable[[], bool]
) -> None:
    """Ask the cluster until it has answered, for as long as it is wanted."""
    while is_wanted():
        try:
            await ask()
            return
        except MetastoreError as error:
            _log.error("cannot make way", what=what, partition=str(replica.topic_partition), reason=str(error))
            await asyncio.sleep(AGAIN_AFTER_S)
