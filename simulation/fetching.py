"""How followers fetch in a simulated world: one request under way for each partition that a broker follows.

The leader's and the follower's side of a fetch are the real ones (`Followers.fetched`, `FollowerLog.append`,
`cut_back`, `take_over`); sessions, connections and encodings are not simulated here.
"""

import asyncio
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from penstock.cluster import Cluster
from penstock.errors import InvalidFetchSessionEpoch, KafkaStorageError, Refusal
from penstock.model import BrokerId
from penstock.replication import Diverging, Partition, Partitions
from penstock.replication.following import Follower
from penstock.wire.fetch import FetchPartition
from simulation.disk import Place, SimulatedLog
from simulation.oracle import place_of

if TYPE_CHECKING:
    from simulation.broker import BrokerProcess

TIMEOUT_S = 1.5
WAIT_S = 0.25
"""How long a leader keeps a fetch that finds nothing."""
BATCHES_MAX = 3
LATE_S = 1.4
"""How long a fetch is held up at most that is to come at the worst moment."""


class Fetched(NamedTuple):
    records: bytes
    high_watermark: int
    log_start: int


class Fetching:
    def __init__(self, process: "BrokerProcess", cluster: Cluster, partitions: Partitions) -> None:
        self._process = process
        self._cluster = cluster
        self._partitions = partitions
        self._roles: dict[Partition, Follower] = {}
        self._asked = 0

    def start(self) -> None:
        self._partitions.subscribe(self._on_partition)

    def _on_partition(self, partition: Partition) -> None:
        role = partition.role
        if isinstance(role, Follower) and role.leader >= 0 and self._roles.get(partition) is not role:
            self._roles[partition] = role
            self._process.spawn(self._follow(partition, role))

    async def _follow(self, partition: Partition, role: Follower) -> None:
        while partition.role is role:
            pause_s = await self._fetch(partition, role)
            if pause_s:
                await asyncio.sleep(pause_s)

    async def _fetch(self, partition: Partition, role: Follower) -> float:
        """One fetch, and what follows from it; how long to wait before the next."""
        process, epoch = self._process, self._cluster.broker_epoch
        if epoch <= 0 or partition.log.trouble is not None:
            return 0.05
        if not partition.follower_log.is_flushed:
            try:
                await partition.follower_log.flush()
            except KafkaStorageError:
                return 0.05
            return 0.0
        offset, last_epoch = partition.follower_log.place()
        asked = FetchPartition(
            index=partition.index,
            offset=offset,
            bytes_max=1 << 20,
            current_leader_epoch=role.epoch,
            last_fetched_epoch=last_epoch,
            log_start_offset=partition.log.start_offset,
            high_watermark=partition.high_watermark,
        )
        self._asked += 1
        where, turn = place_of(partition), (process.life, self._asked)
        held = process.world.hold_up_fetch(process, partition)
        try:
            answer = await process.world.network.ask(
                process.id,
                role.leader,
                lambda leader: served(leader, held, where, process.id, asked, epoch, turn),
                timeout_s=TIMEOUT_S,
                context=process.context,
            )
        except ConnectionRefusedError:
            self._cluster.suspect(role.leader)
            return 0.05
        except TimeoutError:
            return 0.02
        except Refusal:
            return 0.03
        if partition.role is role:
            try:
                self._take_in(partition, answer)
            except Refusal:  # the log takes no more
                partition.leadership.leave_in_sync()
                return 0.05
        return 0.0

    def _take_in(self, partition: Partition, answer: Diverging | Fetched) -> None:
        if isinstance(answer, Diverging):
            self._process.world.marks["diverging log cut"] += 1
            partition.follower_log.cut_back(answer)
            return
        if answer.records:
            partition.follower_log.append(memoryview(bytearray(answer.records)))
        partition.follower_log.take_over(leaders_high_watermark=answer.high_watermark, leaders_start=answer.log_start)


def served(leader: "BrokerProcess", held: "asyncio.Future[None] | None", *request: Any) -> Any:
    return serve(leader, *request) if held is None else leader.spawn(_serve_late(leader, held, *request))


async def _serve_late(leader: "BrokerProcess", held: "asyncio.Future[None]", *request: Any) -> Any:
    await asyncio.wait([held], timeout=LATE_S)
    answer = serve(leader, *request)
    return await answer if isinstance(answer, asyncio.Future) else answer


def serve(
    leader: "BrokerProcess",
    where: Place,
    follower: BrokerId,
    asked: FetchPartition,
    broker_epoch: int,
    turn: tuple[int, int],
) -> Any:
    """As a leader answers a follower's fetch: at once, or when there is something to tell. What was asked before
    something else that has been answered is refused, as sessions do: it would tell of an older log.
    """
    key = (follower, where)
    if turn <= leader.fetch_turns.get(key, (0, 0)):
        raise InvalidFetchSessionEpoch
    leader.fetch_turns[key] = turn
    partition = leader.find_by_id(where)
    diverging = partition.followers.fetched(follower, asked, broker_epoch=broker_epoch)
    if diverging is not None:
        return diverging
    found = _read(partition, asked)
    return found if found.records else _Parked(partition, asked).answer


def _read(partition: Partition, asked: FetchPartition) -> Fetched:
    partition.require_leader(asked.current_leader_epoch)
    log = cast(SimulatedLog, cast(Any, partition.log))
    found = log.stored(asked.offset, batches_max=BATCHES_MAX, before=log.end_offset)
    return Fetched(b"".join(stored.data for stored in found), partition.high_watermark, log.start_offset)


class _Parked:
    """Waits for records, for a change of leadership, or for long enough."""

    def __init__(self, partition: Partition, asked: FetchPartition) -> None:
        loop = asyncio.get_running_loop()
        self._partition = partition
        self._asked = asked
        self._epoch = partition.leader_epoch
        self.answer: asyncio.Future[Fetched] = loop.create_future()
        self._timer = loop.call_later(WAIT_S, self._look)
        partition.waiters.watch(self)
        partition.waiters.watch_end(self)

    def end_moved(self) -> None:
        self._look()

    def partition_moved(self) -> None:
        if self._partition.leader_epoch != self._epoch or not self._partition.is_leader:
            self._look()

    def _look(self) -> None:
        if self.answer.done():
            return
        self._timer.cancel()
        self._partition.waiters.unwatch(self)
        self._partition.waiters.unwatch_end(self)
        try:
            self.answer.set_result(_read(self._partition, self._asked))
        except Refusal as refusal:
            self.answer.set_exception(refusal)
