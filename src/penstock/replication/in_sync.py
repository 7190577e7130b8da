"""Carries out what leaders propose: writes in-sync sets, and brings the outcome back, whatever it takes (RULES 6).

A write that nobody answered stays pending, and is sent again as it is until the store has said yes or no. "No" after
an unanswered one may mean that the unanswered one was made: then the image, caught up, is the judge. One task a
proposal; a partition has one proposal at a time.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence, Set
from itertools import count
from typing import Any

import structlog

from penstock.metastore import Conflict, MetastoreError, Revision
from penstock.model import BrokerId, Clock
from penstock.replication.following import Offline
from penstock.replication.machine import Leader, Proposal
from penstock.replication.metrics import ReplicationMetrics
from penstock.replication.partition import Partition
from penstock.replication.ports import InSyncWrites
from penstock.settings import Config
from penstock.settings.broker import REPLICA_LAG_TIME_MAX_MS

RETRY_FIRST_S = 0.05
RETRY_MAX_S = 1.0
TICK_MAX_S = 1.0
AT_ONCE = 100
"""Partitions looked at between two turns of the loop: a millisecond or so."""

_log = structlog.get_logger(__name__)


class InSyncKeeper:
    def __init__(
        self,
        writes: InSyncWrites,
        *,
        config: Config,
        clock: Clock,
        metrics: ReplicationMetrics,
        spawn: Callable[[Coroutine[Any, Any, None]], object],
    ) -> None:
        self._writes = writes
        self._config = config
        self._clock = clock
        self._metrics = metrics
        self._spawn = spawn

    def submit(self, partition: Partition, leader: Leader, proposal: Proposal) -> None:
        self._spawn(self._carry_out(partition, leader, proposal))

    async def run(self, due: Callable[[int], Sequence[Partition]]) -> None:
        """Look from time to time for followers that have stayed behind, or may join; `due` says whom to look after."""
        for turn in count():
            lag_ms_max = self._config[REPLICA_LAG_TIME_MAX_MS]
            await asyncio.sleep(min(lag_ms_max / 2000, TICK_MAX_S))
            for number, partition in enumerate(due(turn), 1):
                if not isinstance(partition.role, Offline):  # gone since the round began
                    partition.followers.look_after(lag_ms_max=lag_ms_max)
                if number % AT_ONCE == 0:
                    await asyncio.sleep(0)

    async def _carry_out(self, partition: Partition, leader: Leader, proposal: Proposal) -> None:
        """One write, and those that its outcome leads to, one after the other."""
        following: Proposal | None = proposal
        while following is not None:
            proposal, following = following, None
            try:
                following = await self._write(partition, leader, proposal)
            finally:
                partition.followers.in_sync_settled(leader)

    async def _write(self, partition: Partition, leader: Leader, proposal: Proposal) -> Proposal | None:
        retry_s, is_uncertain = RETRY_FIRST_S, False
        before = frozenset(leader.image.in_sync)
        while leader.pending is proposal and partition.role is leader:
            try:
                revision = await self._writes.write(
                    partition.topic_id,
                    partition.index,
                    expected_revision=Revision(proposal.expected_revision),
                    in_sync=proposal.in_sync,
                    eligible=proposal.eligible,
                    joining={broker: Revision(epoch) for broker, epoch in proposal.joining.items()},
                    again=is_uncertain,
                )
                self._count(partition, proposal, before)
                return leader.written(proposal, revision, self._now())
            except Conflict as conflict:
                self._metrics.failedisrupdates += 1
                _log.debug("in-sync write lost", partition=str(partition.topic_partition), reason=str(conflict))
                # What we went by was old: what comes next goes by the image as it is now.
                if await self._has_caught_up() or not is_uncertain:
                    leader.conflicted(proposal, self._now())
            except MetastoreError as error:
                is_uncertain = True
                leader.timed_out(proposal, self._now())
                _log.warning("in-sync write pending", partition=str(partition.topic_partition), reason=str(error))
            await asyncio.sleep(retry_s)
            retry_s = min(2 * retry_s, RETRY_MAX_S)
        # The watch told the outcome, the write was refused, or another broker leads.
        return leader.review() if partition.role is leader else None

    async def _has_caught_up(self) -> bool:
        try:
            await self._writes.catch_up()
        except MetastoreError:
            return False
        return True

    def _now(self) -> int:
        return int(self._clock.monotonic() * 1000)

    def _count(self, partition: Partition, proposal: Proposal, before: Set[BrokerId]) -> None:
        joined, left = set(proposal.in_sync) - before, before - set(proposal.in_sync)
        self._metrics.isrexpands += bool(joined)
        self._metrics.isrshrinks += bool(left)
        if joined or left:
            _log.info(
                "in-sync set changed",
                partition=str(partition.topic_partition),
                in_sync=proposal.in_sync,
                eligible=proposal.eligible,
                joined=sorted(joined),
                left=sorted(left),
            )
