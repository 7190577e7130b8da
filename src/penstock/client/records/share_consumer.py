"""A consumer of a share group without I/O: records are lent to it one by one, and it says of each what became of it.

Its drivers are penstock.client.records.blocking and .aio.
"""

from penstock.client.core import Core
from penstock.client.outcomes import Outcomes, place
from penstock.client.records.acknowledging import Ack, SharedRecord
from penstock.client.records.fetched import ConsumedRecord
from penstock.client.records.settings import ShareConsumerSettings
from penstock.client.records.share_member import ShareMember
from penstock.client.records.share_session import ShareSession
from penstock.client.tasks import Future, Task, first_of
from penstock.errors import InvalidRecordState, Refusal
from penstock.model import Dice, TopicPartition


class ShareConsumerCore:
    def __init__(self, core: Core, settings: ShareConsumerSettings, dice: Dice) -> None:
        if not settings.topics:
            raise ValueError("a share group reads topics: name at least one")
        self._core = core
        self._settings = settings
        self._member = ShareMember(core, settings, dice)
        self._sessions: dict[int, ShareSession] = {}
        self._learning: Task[None] | None = None
        self._woken: Future[None] = Future()

    @property
    def member_id(self) -> str:
        return self._member.id

    @property
    def lock_s(self) -> float:
        """How long a record is lent, as told last: what takes longer has to be renewed."""
        return min((each.lock_s for each in self._sessions.values()), default=30.0)

    def assignment(self) -> set[TopicPartition]:
        """The partitions that this member is to read. Others may read them too."""
        return set(self._member.target)

    def wakeup(self) -> None:
        """Let the poll that is under way return what it has."""
        self._woken.resolve(None)

    # Reading --------------------------------------------------------------------------------------------------------

    async def poll(self, timeout_s: float = 1.0, *, at_most: int | None = None) -> list[SharedRecord]:
        """Records, as soon as some are lent; an empty list when the time is over.

        CorruptMessage: a batch cannot be read; its records were given back.
        """
        deadline_s = self._core.clock.monotonic() + timeout_s
        at_most = self._settings.fetch_records if at_most is None else at_most
        heartbeats = self._member.heartbeats
        heartbeats.start()
        if self._settings.auto_accept:
            self._accept_all()
        while True:
            changed = heartbeats.changed
            if heartbeats.error is not None:
                raise heartbeats.error
            if records := self._take(at_most):
                self._tell()
                return records
            self._raise_problem()
            self._ask(at_most)
            left_s = deadline_s - self._core.clock.monotonic()
            if left_s <= 0 or self._woken.is_done:
                self._woken = Future()
                return []
            timer = self._core.scheduler.pause(left_s)
            await first_of([*self._under_way(), changed, timer, self._woken])
            timer.resolve(None)

    def _take(self, at_most: int) -> list[SharedRecord]:
        taken: list[SharedRecord] = []
        for session in self._sessions.values():
            taken += session.take(at_most - len(taken))
        return taken

    def _raise_problem(self) -> None:
        for session in self._sessions.values():
            if session.problem is not None:
                problem, session.problem = session.problem, None
                raise problem

    def _ask(self, at_most: int) -> None:
        """Ask every leader that lends nothing just now; only here, so that nothing is lent before it is wanted."""
        metadata, now_s = self._core.metadata, self._core.clock.monotonic()
        by_leader: dict[int, set[TopicPartition]] = {each: set() for each in self._sessions}
        unplaced: set[str] = set()
        for where in self._member.target:
            known = metadata.partition(where)
            is_fresh = metadata.is_fresh(where.topic, now_s=now_s, age_s_max=self._core.settings.metadata_age_s_max)
            if not is_fresh or known is None or known.leader not in metadata.brokers:
                unplaced.add(where.topic)
            if known is not None and known.leader in metadata.brokers:
                by_leader.setdefault(known.leader, set()).add(where)
        for leader, wanted in by_leader.items():
            if leader not in self._sessions:
                self._sessions[leader] = ShareSession(self._core, self._settings, leader, self.member_id)
            self._sessions[leader].start(wanted, min(at_most, self._settings.fetch_records))
        if unplaced and self._learning is None:
            self._learning = self._core.scheduler.start(self._learn(unplaced))

    async def _learn(self, topics: set[str]) -> None:
        try:
            await self._core.refresh(topics)
        except Refusal:
            pass
        try:
            await self._core.scheduler.pause(self._core.settings.retry_pause_s)
        finally:
            self._learning = None

    def _under_way(self) -> list[Future[None]]:
        tasks = [each.task for each in self._sessions.values()]
        return [each for each in (*tasks, self._learning) if each is not None]

    # What is said of records ----------------------------------------------------------------------------------------

    def acknowledge(self, record: ConsumedRecord, how: Ack = Ack.ACCEPT) -> None:
        """Say what became of a record; told to the broker by the next `poll` or `commit`.

        InvalidRecordState: it is not lent to this consumer any more.
        """
        where = place(record.topic, record.partition)
        for session in self._sessions.values():
            if session.holds(where, record.offset):
                session.acknowledge(where, record.offset, how)
                return
        raise InvalidRecordState(f"{where} offset {record.offset} is not lent to this consumer")

    def _accept_all(self) -> None:
        for session in self._sessions.values():
            session.accept_all()

    def _tell(self) -> None:
        """What is to be said at brokers that are not asked for records now."""
        for session in self._sessions.values():
            session.start_acknowledging()

    async def commit(self) -> Outcomes[TopicPartition, None]:
        """Tell what was acknowledged, and wait until it is written: the outcome by partition, since the last commit.

        A refusal: some of what was said of the partition does not hold, as its time was over or its leader was
        replaced. Those records are lent again.
        """
        if self._settings.auto_accept:
            self._accept_all()
        while any(each.acks or each.task is not None for each in self._sessions.values()):
            self._tell()
            if not any(each.acks or each.is_telling for each in self._sessions.values()):
                break
            await first_of(self._under_way())
        return self.outcomes()

    def outcomes(self) -> Outcomes[TopicPartition, None]:
        """What became of what was told since the last call, or `commit`, as far as it is known by now."""
        outcomes: dict[TopicPartition, Refusal | None] = {}
        for session in self._sessions.values():
            for where, outcome in session.outcomes.items():
                outcomes[where] = outcomes.get(where) or outcome
            session.outcomes = {}
        return Outcomes(outcomes)

    async def close(self, *, give_back: bool = False) -> None:
        """Tell what was acknowledged, give back the rest at once, and leave the group.

        `give_back`: also what would be accepted by itself.
        """
        if self._settings.auto_accept and not give_back:
            self._accept_all()
        await self._core.scheduler.together(each.close() for each in self._sessions.values())
        self._sessions = {}
        if self._learning is not None:
            self._learning.cancel()
        await self._member.leave()
