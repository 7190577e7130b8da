"""One partition's replicas on real logs, joined by nothing but the test: it says who fetches, when, and how much.

The metadata store is a variable: what a leader proposes is written at once, or kept in `held` until the test decides.
"""

import asyncio
from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import Any

import msgspec
from tests.support.leaders import a_state
from tests.support.logs import ORDERS_0, TOPIC_ID, StillClock, read_all

from penstock.errors import OffsetOutOfRange
from penstock.log import FilePool, Flusher
from penstock.log.recovery import KnownLog, open_log
from penstock.model import BrokerId, LeaderEpoch
from penstock.replication import ALL, Appended, Diverging, Partition
from penstock.replication.bugs import NO_BUGS, ReplicationBugs
from penstock.replication.log_port import on_disk
from penstock.replication.machine import Leader, Proposal
from penstock.replication.metrics import TopicMetrics
from penstock.settings import Config
from penstock.wire.fetch import FetchPartition
from penstock.wire.records import Record, build_batch


class Replicas:
    def __init__(
        self,
        folder: Path,
        *,
        brokers: tuple[int, ...] = (1, 2, 3),
        settings: Mapping[str, str] | None = None,
        bugs: ReplicationBugs = NO_BUGS,
    ) -> None:
        self._bugs = bugs
        self.clock = StillClock()
        self.flusher = Flusher(threads=1)
        self.pool = FilePool(64)
        self.config = Config.for_broker().for_topic(dict(settings or {}))
        self.state = a_state(leader=brokers[0], epoch=1, replicas=brokers, in_sync=brokers, revision=1)
        self.epochs = {BrokerId(broker): 10 * broker for broker in brokers}
        self.holds_writes = False
        self.held: list[tuple[Partition, Leader, Proposal]] = []
        self.resigned: list[int] = []
        self._folder = folder
        self._tasks: list[asyncio.Task[Any]] = []
        self._by_id = {broker: self._make(broker, KnownLog(is_clean=True)) for broker in brokers}
        self._tell()

    def __getitem__(self, broker: int) -> Partition:
        return self._by_id[broker]

    @property
    def leader(self) -> Partition:
        return self[self.state.leader]

    @property
    def followers(self) -> list[int]:
        return [broker for broker in self._by_id if broker != self.state.leader]

    def _make(self, broker: int, known: KnownLog) -> Partition:
        where = self._folder / f"broker-{broker}" / "orders-0"
        where.mkdir(parents=True, exist_ok=True)
        log = open_log(where, ORDERS_0, TOPIC_ID, known, config=self.config, pool=self.pool, clock=self.clock)
        return Partition(
            topic=ORDERS_0.topic,
            topic_id=TOPIC_ID,
            index=ORDERS_0.partition,
            broker_id=BrokerId(broker),
            log=log,
            config=self.config,
            clock=self.clock,
            flusher=self.flusher,
            metrics=TopicMetrics(),
            spawn=self._spawn,
            brokers=self.epochs,
            manager=self,
            bugs=self._bugs,
        )

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        self._tasks.append(asyncio.get_running_loop().create_task(work))

    # The metadata store -----------------------------------------------------------------------------------------

    def propose(self, replica: Partition, leader: Leader, proposal: Proposal) -> None:
        if self.holds_writes:
            self.held.append((replica, leader, proposal))
        else:
            self.write(replica, leader, proposal)

    def write(self, replica: Partition, leader: Leader, proposal: Proposal) -> None:
        """As the metastore would: whoever is first at a revision wins."""
        following: Proposal | None = proposal
        while following is not None:
            proposal, following = following, None
            joined = all(self.epochs.get(broker) == epoch for broker, epoch in proposal.joining.items())
            if proposal.expected_revision == self.state.revision and joined:
                self._change(in_sync=proposal.in_sync, eligible=proposal.eligible)
                following = leader.written(proposal, self.state.revision, replica.now_ms())
            else:
                leader.conflicted(proposal, replica.now_ms())
            replica.followers.in_sync_settled(leader)

    def resign(self, replica: Partition, reason: str) -> None:
        self.resigned.append(replica.broker_id)

    def leave(self, replica: Partition, reason: str) -> None:
        self.remove_from_in_sync(replica.broker_id)

    def _change(self, **fields: Any) -> None:
        self.state = msgspec.structs.replace(self.state, revision=self.state.revision + 1, **fields)

    def _tell(self) -> None:
        for partition in self._by_id.values():
            partition.leadership.assign(self.state)

    def elect(self, broker: int) -> None:
        """A new leader, in a new epoch; everybody hears of it."""
        self._change(leader=BrokerId(broker), leader_epoch=LeaderEpoch(self.state.leader_epoch + 1))
        self._tell()

    def remove_from_in_sync(self, broker: int) -> None:
        """As the controller does with one that is lost."""
        self._change(in_sync=tuple(member for member in self.state.in_sync if member != broker))
        self._tell()

    def below_minimum(self, *, in_sync: int, eligible: int) -> None:
        """All but these were lost, the eligible one last (RULES 5)."""
        self._change(in_sync=(BrokerId(in_sync),), eligible=(BrokerId(eligible),))
        self._tell()

    # Records ----------------------------------------------------------------------------------------------------

    def append(self, *values: bytes, acks: int = ALL, at: int | None = None, **producer: Any) -> Appended:
        """One batch, at the leader or at a broker that takes itself for it."""
        partition = self.leader if at is None else self[at]
        now = self.clock.now()
        records = [Record(i, now, b"k", value) for i, value in enumerate(values)]
        return partition.append(memoryview(build_batch(records, **producer)), acks=acks)

    def fetch(self, broker: int, *, bytes_max: int = 1 << 20) -> str:
        """One fetch of a follower, taken in: what came of it in a word."""
        follower, leader = self[broker], self.leader
        offset, last_epoch = follower.follower_log.place()
        asked = FetchPartition(
            index=0,
            offset=offset,
            bytes_max=bytes_max,
            current_leader_epoch=follower.leader_epoch,
            last_fetched_epoch=last_epoch,
            log_start_offset=follower.log.start_offset,
            high_watermark=follower.high_watermark,
        )
        try:
            diverging = leader.followers.fetched(BrokerId(broker), asked, broker_epoch=self.epochs[BrokerId(broker)])
        except OffsetOutOfRange:
            follower.follower_log.start_anew(leader.log.start_offset)
            return "began anew"
        if diverging is not None:
            where = follower.follower_log.where_to_part(diverging, leaders_start=leader.log.start_offset)
            if isinstance(where, Diverging):
                follower.follower_log.cut_back(where)
                return "cut"
            follower.follower_log.start_anew(where)
            return "began anew"
        if follower.follower_log.is_unshared(offset, leaders_start=leader.log.start_offset):
            follower.follower_log.start_anew(leader.log.start_offset)
            return "began anew"
        found = leader.followers.slice(offset, bytes_max=bytes_max, at_least_one=True)
        if found is not None:
            follower.follower_log.append(memoryview(found.read()))
            found.release()
        follower.follower_log.take_over(
            leaders_high_watermark=leader.high_watermark, leaders_start=leader.log.start_offset
        )
        return "nothing" if found is None else "records"

    def replicate(self, *brokers: int) -> None:
        """Let these followers (all) fetch until they have everything and the leader knows it."""
        for _ in range(100):
            # Twice, for the second round carries the high watermark that the first one made.
            if {self.fetch(broker) for _ in range(2) for broker in brokers or self.followers} == {"nothing"}:
                return
        raise AssertionError("still not up with the leader")

    async def restart(self, broker: int) -> None:
        """Kill and start again: what was written is there, what was only in memory is not."""
        partition = self._by_id[broker]
        partition.leadership.retire()
        log = on_disk(partition.log)
        known = KnownLog(
            is_clean=False,
            recovery_point=log.recovery_point,
            start_offset=log.start_offset,
            high_watermark=0,
        )
        self.epochs[BrokerId(broker)] += 1_000
        for other in self._by_id.values():
            if other is not partition:
                other.followers.broker_registered(BrokerId(broker), self.epochs[BrokerId(broker)])
        for segment in log.segments:
            segment.file.forget()
        self._by_id[broker] = self._make(broker, known)
        self._by_id[broker].leadership.assign(self.state)

    def bytes_of(self, broker: int) -> bytes:
        log = on_disk(self[broker].log)
        return read_all(log) if log.end_offset > log.start_offset else b""

    async def idle(self) -> None:
        """Wait for whatever was begun: flushes, mostly."""
        await asyncio.gather(*self._tasks)

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.flusher.close()
        self.pool.close_all()
