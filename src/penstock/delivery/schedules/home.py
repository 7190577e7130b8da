"""One partition of a schedule topic, as its leader keeps it: takes in what was written, fires what is due.

Everything rests on the partition's own log (docs/adr/0076). Each turn: take in what was committed (intake.py), have
ready what is due soon, write intents for what is due and do what the relay says (outbox.py), let go of the log's start.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final

import structlog

from penstock.cluster import ClusterImage
from penstock.delivery.relay.metrics import RelayMetrics
from penstock.delivery.relay.sender import RelaySender
from penstock.delivery.schedules import snapshot
from penstock.delivery.schedules.cleaning import write_what_is_left
from penstock.delivery.schedules.inspector import Inspector
from penstock.delivery.schedules.intake import DEAL_AT_ONCE, Intake
from penstock.delivery.schedules.log_reader import LogReader
from penstock.delivery.schedules.metrics import ScheduleMetrics
from penstock.delivery.schedules.outbox import Outbox
from penstock.delivery.schedules.retry_groups import RetryGroups
from penstock.delivery.schedules.snapshot_files import SnapshotFile
from penstock.delivery.schedules.stage import AHEAD_MS, SOON_MS
from penstock.delivery.schedules.state import ScheduleState
from penstock.errors import CorruptMessage, NotLeaderOrFollower, Refusal
from penstock.model import Clock
from penstock.replication import ClosedSegments, Partition
from penstock.settings import TopicConfig
from penstock.settings.broker import LOG_CLEANER_BACKOFF_MS, LOG_CLEANER_ENABLE

LOOKS_EVERY_S: Final = 1.0
"""However far away the next record is: a clock may be set."""
RETRY_S: Final = 1.0
FLOOR_EVERY_MS: Final = 5_000
ASIDE_MS_FIRST: Final = 1_000
"""After so long some of what the target would not take is looked at again; each time in vain doubles it."""
ASIDE_MS_MAX: Final = 30_000
ASIDE_AT_ONCE: Final = 1_000
NO_ROOM_MS: Final = 50

_log = structlog.get_logger(__name__)


class ScheduleHome:
    def __init__(
        self,
        partition: Partition,
        *,
        image: ClusterImage,
        config_of: Callable[[Any], TopicConfig],
        sender: RelaySender,
        groups: RetryGroups,
        next_producer_id: Callable[[], Awaitable[int]],
        clock: Clock,
        spawn: Callable[[Coroutine[Any, Any, None]], object],
        metrics: ScheduleMetrics,
        relay_metrics: RelayMetrics,
    ) -> None:
        self.partition = partition
        self.is_loaded = False
        self._is_ended = False
        self._epoch = partition.leader_epoch
        self._clock = clock
        self._spawn = spawn
        self._metrics = metrics
        self._wake = asyncio.Event()
        self._reader = LogReader(partition, groups.delay_of)
        self._closed = ClosedSegments.of(partition)
        self._snapshots = None if self._closed is None else SnapshotFile(self._closed.folder, partition, clock)
        self._intake = Intake(partition, self._reader, clock, self._snapshots)
        self.outbox = Outbox(
            partition,
            self._reader,
            image=image,
            config_of=config_of,
            sender=sender,
            groups=groups,
            next_producer_id=next_producer_id,
            clock=clock,
            spawn=spawn,
            metrics=metrics,
            relay_metrics=relay_metrics,
            wake=self._wake.set,
            is_over=lambda: self.is_over,
        )
        self._is_reading = False
        self._is_finishing = False
        self._counted = (0, 0)
        """Cancels and late ones that the metrics have."""
        self._floor_at = partition.now_ms() + FLOOR_EVERY_MS
        self._aside_at = self._aside_count = 0
        self._aside_ms = ASIDE_MS_FIRST
        self._clean_at = partition.now_ms() + partition.config[LOG_CLEANER_BACKOFF_MS]
        partition.inspector = Inspector(
            partition.config,
            clock,
            delay_of=groups.delay_of,
            waiting=lambda: self.state.machine.waiting,
            floor=self._floor,
        )

    @property
    def state(self) -> ScheduleState:
        return self._intake.state

    @property
    def held(self) -> int:
        """Records that are due and cannot go: the target is away or would not take them, or a transaction that is open
        may cancel them; and those whose time is not understood.
        """
        away = self.state.stage.count_due(self._clock.now()) if self.outbox.is_target_away else 0
        return away + len(self.state.aside) + len(self.state.held) + self.state.unreadable

    def _floor(self) -> int:
        return self.state.machine.floor()

    # Leadership ---------------------------------------------------------------------------------------------------

    def serves(self, partition: Partition) -> bool:
        is_same = self.partition is partition and partition.leader_epoch == self._epoch
        return is_same and partition.is_leader and not self._is_ended

    def end(self) -> None:
        """For good: a broker that was cut off may lead again under the same epoch, and has another home then."""
        self._is_ended = True
        self._wake.set()

    @property
    def is_over(self) -> bool:
        return not self.serves(self.partition)

    def partition_moved(self) -> None:
        self._wake.set()

    async def run(self) -> None:
        """For as long as this broker leads the partition under this epoch."""
        self.partition.waiters.watch(self)
        try:
            while not self.is_over:
                await self._rest(await self._turn_safely())
        finally:
            self._is_ended = True
            self.partition.waiters.unwatch(self)

    async def _turn_safely(self) -> float:
        name = str(self.partition.topic_partition)
        try:
            if not self.is_loaded:
                await self._load()
            return await self._turn()
        except NotLeaderOrFollower:
            pass
        except Refusal as refusal:
            # What was taken for the next intent is not where it was; the log says where it is.
            _log.warning("schedule stands still", partition=name, reason=refusal.message)
            self.is_loaded = False
        except Exception as bug:
            _log.error("schedule failed: it begins anew from its log", partition=name, exc_info=bug)
            self.is_loaded = False
        return RETRY_S

    async def _rest(self, seconds: float) -> None:
        if seconds > 0:
            try:
                async with asyncio.timeout(seconds):
                    await self._wake.wait()
            except TimeoutError:
                pass
        else:
            await asyncio.sleep(0)
        self._wake.clear()

    async def _load(self) -> None:
        if not await self._intake.load(lambda: self.is_over):
            return
        while self._intake.is_behind() and not self.is_over:
            if not await self._intake.take_in():
                await self._rest(RETRY_S)
        self.is_loaded = True
        self._counted = self._counts()
        waiting, relayed = self.state.machine.waiting, len(self.state.relay)
        name, unreadable = str(self.partition.topic_partition), self.state.unreadable
        _log.info("schedule loaded", partition=name, waiting=waiting, open=relayed)
        if unreadable:
            _log.error(
                "records of a schedule topic are held: their time is not understood", partition=name, n=unreadable
            )

    # A turn -------------------------------------------------------------------------------------------------------

    async def _turn(self) -> float:
        """Seconds to rest, if nothing happens before."""
        intake, state = self._intake, self.state
        while await intake.take_in() or await intake.take_early_cancels():
            if self.is_over:
                return 0.0
        await intake.bring_back()
        await self._keep_snapshot()
        await self._keep_small()
        await self._prepare()
        state.relay.replicated_to(self.partition.high_watermark)
        is_level = intake.is_level
        if is_level and not self.is_over:
            self.outbox.fire(state)
            self.outbox.carry_out(state)
        self._count()
        self._raise_floor()
        return self._rest_s() if is_level else 0.0

    async def _keep_snapshot(self) -> None:
        """Nothing changes the state meanwhile: this is its turn. The disk may take longer."""
        files, state, cursor = self._snapshots, self.state, self._intake.cursor
        if files is None or not files.is_due(cursor, state.machine.waiting) or self.is_over:
            return
        if not self._is_finishing and snapshot.is_possible(state, self.partition.high_watermark):
            await files.write(state, cursor)
            self._is_finishing = True
            self._spawn(self._finish_snapshot(files))

    async def _keep_small(self) -> None:
        steady, config = self.partition.now_ms(), self.partition.config
        if self._closed is None or steady < self._clean_at or not self._intake.is_level or self.is_over:
            return
        self._clean_at = steady + config[LOG_CLEANER_BACKOFF_MS]
        if config[LOG_CLEANER_ENABLE]:
            upto = min(self._closed.upto, self._intake.cursor)
            await write_what_is_left(self.partition, self.state, upto)

    async def _finish_snapshot(self, files: SnapshotFile) -> None:
        try:
            await files.finish()
        finally:
            self._is_finishing = False

    async def _prepare(self) -> None:
        """Have ready what is due soon. Records are read meanwhile, ahead of their time."""
        stage, machine = self.state.stage, self.state.machine
        if stage.wants_more(machine.wheel.next_at(), self._clock.now()):
            while not self.is_over:
                upto_ms, room = self._ahead(self._clock.now())
                if room <= 0:
                    break
                is_all = machine.wheel.deal_out(upto_ms, DEAL_AT_ONCE)
                taken = machine.wheel.take(upto_ms, min(room, DEAL_AT_ONCE))
                stage.add(due for due in taken if machine.is_waiting(*due))
                if is_all and not taken:
                    break
                await asyncio.sleep(0)
        wanted = [] if self._is_reading else stage.wanted()
        if wanted:
            self._is_reading = True
            self._spawn(self._read_ahead(wanted))

    def _ahead(self, now: int) -> tuple[int, int]:
        """Up to when records are made ready, and how many. Where there is no more room, those that are due before all
        that is ready come in all the same.
        """
        room, first = self.state.stage.room, self.state.stage.first()
        if room > 0 or first is None:
            return now + AHEAD_MS, max(room, 1)
        return now + SOON_MS, DEAL_AT_ONCE if first[0] > now + SOON_MS else 0

    async def _read_ahead(self, wanted: list[int]) -> None:
        stage = self.state.stage
        place, failed_at = 0, -1
        try:
            while place < len(wanted) and not self.is_over:
                if place and stage.is_full:
                    break
                try:
                    upto, found = await self._reader.some_records(wanted, place)
                except CorruptMessage as damage:
                    if failed_at != place:  # now that it is known, what lies in front of it can be read
                        failed_at = place
                        continue
                    # It is held until it can be read again, and the others go on.
                    _log.warning("record that waits is damaged", offset=wanted[place], reason=damage.message)
                    upto, found = place + 1, {}
                for offset in wanted[place:upto]:
                    stage.bring(offset, found.get(offset))
                place = upto
                self._wake.set()
        except Refusal as refusal:
            name = str(self.partition.topic_partition)
            _log.warning("schedule cannot read its records", partition=name, reason=refusal.message)
            await asyncio.sleep(RETRY_S)
        finally:
            self._is_reading = False
            self._wake.set()

    # Housekeeping -------------------------------------------------------------------------------------------------

    def _raise_floor(self) -> None:
        """Let go of the log's start as far as nothing of it is needed, and look again at what was put aside. What a
        note says has to be replicated: else the next leader would lack both the record and the word that it is done.
        """
        partition, steady = self.partition, self.partition.now_ms()
        state = self.state
        if state.aside and steady >= self._aside_at:
            is_better = len(state.aside) < self._aside_count
            self._aside_ms = ASIDE_MS_FIRST if is_better else min(2 * self._aside_ms, ASIDE_MS_MAX)
            self._aside_at, self._aside_count = steady + self._aside_ms, len(state.aside)
            state.put_back(ASIDE_AT_ONCE)
        if steady < self._floor_at or self.is_over or state.noted_to > partition.high_watermark:
            return
        self._floor_at = steady + FLOOR_EVERY_MS
        floor = min(state.machine.floor(), self._intake.cursor)
        if floor > partition.start_offset and partition.trouble is None:
            partition.delete_records(floor)

    def _rest_s(self) -> float:
        now, steady = self._clock.now(), self.partition.now_ms()
        rests = [1000 * LOOKS_EVERY_S]
        stage, relay = self.state.stage, self.state.relay
        first, waiting = stage.first(), self.state.machine.wheel.next_at()
        if first is not None:
            rests.append(first[0] - now if first[0] > now else NO_ROOM_MS)
        if waiting is not None and stage.room > 0:
            rests.append(max(waiting - AHEAD_MS // 2 - now, NO_ROOM_MS))
        if relay.wake_at is not None:
            rests.append(relay.wake_at - steady)
        return max(min(rests), 0) / 1000

    def _counts(self) -> tuple[int, int]:
        machine = self.state.machine
        return machine.cancelled, machine.cancelled_late

    def _count(self) -> None:
        counted, self._counted = self._counted, self._counts()
        metrics = self._metrics
        metrics.cancelled += self._counted[0] - counted[0]
        metrics.cancelled_late += self._counted[1] - counted[1]
