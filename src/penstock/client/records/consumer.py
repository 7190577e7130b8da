"""A consumer without I/O: reads partitions that are assigned to it by hand, or shared out by a group.

Its drivers are penstock.client.records.blocking and .aio.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from penstock.client.admin.groups import CommittedOffset, commit_offsets, committed_offsets
from penstock.client.admin.partitions import OffsetSpec, list_offsets
from penstock.client.core import Core
from penstock.client.records.fetched import ConsumedRecord
from penstock.client.records.fetcher import Fetcher, Position
from penstock.client.records.member import Member
from penstock.client.records.settings import ConsumerSettings
from penstock.client.tasks import Future, Task, first_of
from penstock.errors import OffsetOutOfRange, Refusal, StaleMemberEpoch
from penstock.model import Dice, TopicPartition

_RESETS = {"earliest": OffsetSpec.EARLIEST, "latest": OffsetSpec.LATEST, None: None}


class ConsumerCore:
    def __init__(self, core: Core, settings: ConsumerSettings, dice: Dice) -> None:
        if settings.reset not in _RESETS:
            raise ValueError(f"reset is earliest, latest or None, not {settings.reset!r}")
        if (settings.group is None) != (not settings.topics):
            raise ValueError("a group reads topics: give both, or neither and assign partitions by hand")
        self._core = core
        self._settings = settings
        self._fetcher = Fetcher(core, settings)
        self._unplaced: dict[TopicPartition, int] = {}
        """Where to look for a position, by OffsetSpec or timestamp."""
        self._finding: Task[None] | None = None
        self._woken: Future[None] = Future()
        self._member = None if settings.group is None else Member(core, settings, dice)
        self._committed: dict[TopicPartition, int] = {}
        self._commit_due_s = core.clock.monotonic() + settings.auto_commit_s

    # What is read ---------------------------------------------------------------------------------------------------

    def assign(self, positions: Mapping[TopicPartition, int | None] | Iterable[TopicPartition]) -> None:
        """Read these partitions and no others: from an offset, an OffsetSpec, or (None) where `reset` says."""
        if self._member is not None:
            raise ValueError("a group shares out the partitions itself")
        wanted = positions if isinstance(positions, Mapping) else dict.fromkeys(positions)
        for where in [each for each in self._assigned() if each not in wanted]:
            self._drop(where)
        for where, offset in wanted.items():
            self.seek(where, offset)

    def seek(self, where: TopicPartition, offset: int | None) -> None:
        """Go on from an offset, an OffsetSpec, or (None) where `reset` says."""
        self._drop(where)
        if offset is not None and offset >= 0:
            self._fetcher.positions[where] = Position(offset)
            return
        spec = _RESETS[self._settings.reset] if offset is None else offset
        if spec is None:
            raise OffsetOutOfRange(f"{where}: there is no position to begin at, and no reset to choose one")
        self._unplaced[where] = spec

    def assignment(self) -> set[TopicPartition]:
        return set(self._assigned())

    def position(self, where: TopicPartition) -> int | None:
        """The offset of the record that comes next; None until it is known."""
        known = self._fetcher.positions.get(where)
        return None if known is None else known.offset

    def pause(self, places: Iterable[TopicPartition]) -> None:
        """Hand out nothing of these until they are resumed."""
        for where in places:
            self._fetcher.paused.add(where)
            self._fetcher.forget(where)

    def resume(self, places: Iterable[TopicPartition]) -> None:
        self._fetcher.paused.difference_update(places)

    def wakeup(self) -> None:
        """Let the poll that is under way return what it has."""
        self._woken.resolve(None)

    def _assigned(self) -> list[TopicPartition]:
        return [*self._fetcher.positions, *self._unplaced]

    def _drop(self, where: TopicPartition) -> None:
        self._fetcher.positions.pop(where, None)
        self._fetcher.forget(where)
        self._unplaced.pop(where, None)
        self._committed.pop(where, None)

    # Reading --------------------------------------------------------------------------------------------------------

    async def poll(self, timeout_s: float = 1.0, *, at_most: int = 500) -> list[ConsumedRecord]:
        """Records, as soon as there are some; an empty list when the time is over.

        OffsetOutOfRange: a position is gone and there is no reset. CorruptMessage: a batch cannot be read.
        """
        deadline_s = self._core.clock.monotonic() + timeout_s
        if self._member is not None:
            self._member.start()
            await self._commit_if_due()
        while True:
            changed = None if self._member is None else self._member.changed
            if self._member is not None:
                await self._reconcile(self._member)
            self._replace_gone()
            if self._unplaced and self._finding is None:
                self._finding = self._core.scheduler.start(self._find())
            if records := self._fetcher.take(at_most):
                self._fetcher.start()  # the next ones are on their way while these are worked on
                return records
            if self._fetcher.refused is not None:
                problem, self._fetcher.refused = self._fetcher.refused, None
                raise problem
            news = self._fetcher.start()
            left_s = deadline_s - self._core.clock.monotonic()
            if left_s <= 0 or self._woken.is_done:
                self._woken = Future()
                return []
            timer = self._core.scheduler.pause(left_s)
            if self._finding is not None:
                news.append(self._finding)
            if changed is not None:
                news.append(changed)
            await first_of([*news, timer, self._woken])
            timer.resolve(None)

    def _replace_gone(self) -> None:
        """Positions that do not exist (any more) are looked for anew, as `reset` says."""
        for where, problem in list(self._fetcher.gone.items()):
            if self._settings.reset is None:
                raise problem
            self.seek(where, None)

    async def _find(self) -> None:
        """Offsets for what has no position yet; a partition that does not tell is asked again after a pause."""
        asked = dict(self._unplaced)
        try:
            found = await list_offsets(self._core, asked, read_committed=self._settings.read_committed, patiently=False)
            for where, outcome in found.items():
                if isinstance(outcome, Refusal):
                    self._core.metadata.doubt(where.topic)
                elif self._unplaced.get(where) == asked[where]:
                    if outcome.offset < 0:  # no record is that young
                        self._unplaced[where] = OffsetSpec.LATEST
                        continue
                    del self._unplaced[where]
                    self._fetcher.positions[where] = Position(outcome.offset)
            if self._unplaced:
                await self._core.scheduler.pause(self._core.settings.retry_pause_s)
        finally:
            self._finding = None

    # The group ------------------------------------------------------------------------------------------------------

    async def _reconcile(self, member: Member) -> None:
        """Give up what is another's, then take what is new. Within `poll`: what it handed out before is worked off."""
        if member.error is not None:
            raise member.error
        if member.has_lost_all:
            member.has_lost_all = False
            for where in self._assigned():
                self._drop(where)
        target, mine = set(member.target), set(self._assigned())
        if target == mine:
            if member.owned != mine:
                member.now_owns(mine)
            return
        given_up = mine - target
        if given_up and self._settings.auto_commit:
            await self._commit_quietly(given_up)
        for where in given_up:
            self._drop(where)
        if new := target - mine:
            stable = self._settings.read_committed
            found = await committed_offsets(self._core, member.group, sorted(new), require_stable=stable)
            for where in new:
                outcome = found.get(where)
                if isinstance(outcome, Refusal):
                    raise outcome
                self.seek(where, None if outcome is None else outcome.offset)
                if outcome is not None:
                    self._committed[where] = outcome.offset
        member.now_owns(target)

    async def commit(self, offsets: Mapping[TopicPartition, int | CommittedOffset] | None = None) -> None:
        """Write down these offsets for the group, or those of all that `poll` handed out. Raises what is refused."""
        if self._member is None:
            raise ValueError("without a group there is nobody to commit for")
        await self._commit(self._handed_out(self._assigned()) if offsets is None else dict(offsets))

    def _handed_out(self, places: Iterable[TopicPartition]) -> dict[TopicPartition, int | CommittedOffset]:
        positions = {where: self._fetcher.positions[where] for where in places if where in self._fetcher.positions}
        return {
            where: CommittedOffset(each.offset, each.leader_epoch)
            for where, each in positions.items()
            if each.offset != self._committed.get(where)
        }

    async def _commit(self, offsets: dict[TopicPartition, Any]) -> None:
        member = self._member
        assert member is not None
        deadline_s = self._core.clock.monotonic() + self._core.settings.timeout_s
        while offsets:
            epoch = member.epoch
            outcomes = await commit_offsets(self._core, member.group, offsets, member_id=member.id, generation=epoch)
            is_stale = any(isinstance(each, StaleMemberEpoch) for each in outcomes.refused.values())
            if not is_stale or self._core.clock.monotonic() >= deadline_s:
                outcomes.all()
                break
            # The group has moved on, and the next heartbeat brings this member's new epoch.
            member.now_owns(member.owned)
            await self._core.scheduler.pause(self._core.settings.retry_pause_s)
        for where, wanted in offsets.items():
            self._committed[where] = wanted if isinstance(wanted, int) else wanted.offset

    async def _commit_if_due(self) -> None:
        now_s = self._core.clock.monotonic()
        if self._settings.auto_commit and now_s >= self._commit_due_s:
            self._commit_due_s = now_s + self._settings.auto_commit_s
            await self._commit_quietly(self._assigned())

    async def _commit_quietly(self, places: Iterable[TopicPartition]) -> None:
        """What cannot be committed is read again by whoever owns it next: at least once."""
        try:
            await self._commit(self._handed_out(places))
        except Refusal:
            return

    async def close(self) -> None:
        """Commit what is due, and leave the group."""
        if self._member is not None:
            if self._settings.auto_commit and self._member.epoch > 0:
                await self._commit_quietly(self._assigned())
            await self._member.leave()
        self.close_at_once()

    def close_at_once(self) -> None:
        """Without a word to anybody: enough for who is in no group."""
        self._fetcher.stop()
        if self._finding is not None:
            self._finding.cancel()
