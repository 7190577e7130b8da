"""One partition of a schedule topic, as its leader keeps it: reads what was written, fires what is due.

Everything rests on the partition's own log (docs/adr/0076). Each turn: take in what was committed, have ready what is
due soon, write intents for what is due, do what the relay says. A cancel is acknowledged when the high watermark passes
it, and intents are written only where all that is committed has been taken in, with no await between: so a cancel
that was acknowledged wins (S6).
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any, Final, TypeVar

import structlog

from penstock.cluster import ClusterImage
from penstock.delivery.relay import batches
from penstock.delivery.relay.entries import Entry, Target, decode, encode
from penstock.delivery.relay.machine import Answer, RelayMachine, Send, Start, Write
from penstock.delivery.relay.sender import RelaySender, TargetGone
from penstock.delivery.schedules.firing import Outgoing, TargetLimits, choose, outgoing
from penstock.delivery.schedules.inspector import Inspector
from penstock.delivery.schedules.machine import ScheduleMachine
from penstock.delivery.schedules.metrics import RelayMetrics, ScheduleMetrics
from penstock.delivery.schedules.plan import Plan, read
from penstock.delivery.schedules.reading import (
    Nothing,
    Planned,
    aborted_batches,
    batches_in,
    cancels_in,
    pick,
    plans_in,
)
from penstock.delivery.schedules.refs import Ref
from penstock.delivery.schedules.refs import decode as decode_refs
from penstock.delivery.schedules.refs import encode as encode_refs
from penstock.delivery.schedules.stage import AHEAD_MS, Stage
from penstock.errors import NotEnoughReplicas, NotLeaderOrFollower, OutOfOrderSequence, Refusal
from penstock.log import FileSlice
from penstock.model import Clock
from penstock.replication import Partition, append_note
from penstock.settings import TopicConfig
from penstock.settings import topic as settings
from penstock.wire.notes import may_be_note, read_note
from penstock.wire.records import Record

PIECE_BYTES: Final = 256 * 1024
LOOP_BYTES_MAX: Final = 16 * 1024
"""What is read and taken in on the loop; more goes to a thread."""
DEAL_AT_ONCE: Final = 2_000
SOON_MS: Final = 500
LOOKS_EVERY_S: Final = 1.0
"""However far away the next record is: a clock may be set."""
RETRY_S: Final = 1.0
FLOOR_EVERY_MS: Final = 5_000
ASIDE_MS: Final = 30_000
"""After so long what the target would not take is looked at again."""
INTENTS_A_TURN: Final = 4

T = TypeVar("T")

_log = structlog.get_logger(__name__)


class ScheduleHome:
    def __init__(
        self,
        partition: Partition,
        *,
        image: ClusterImage,
        config_of: Callable[[Any], TopicConfig],
        sender: RelaySender,
        next_producer_id: Callable[[], Awaitable[int]],
        clock: Clock,
        spawn: Callable[[Coroutine[Any, Any, None]], object],
        metrics: ScheduleMetrics,
        relay_metrics: RelayMetrics,
    ) -> None:
        self.partition = partition
        self.target_name = partition.config[settings.PENSTOCK_SCHEDULE_TARGET]
        self.relay = RelayMachine()
        self.machine = ScheduleMachine(partition.start_offset, clock.now())
        self.stage = Stage()
        self.aside: list[tuple[int, int]] = []
        self.is_loaded = False
        self._image = image
        self._config_of = config_of
        self._sender = sender
        self._next_producer_id = next_producer_id
        self._clock = clock
        self._spawn = spawn
        self._metrics = metrics
        self._relay_metrics = relay_metrics
        self._epoch = partition.leader_epoch
        self._cursor = partition.start_offset
        self._early_to = 0
        self._wake = asyncio.Event()
        self._on_the_way: dict[bytes, list[Record]] = {}
        """Records of open intents, by their refs; what a former leader intended is read again."""
        self._back: list[int] = []
        self._counted = (0, 0)
        """Cancels, and late ones, that the metrics have."""
        self._not_before = 0
        self._floor_at = 0
        self._aside_at = 0
        partition.inspector = Inspector(
            partition.config, clock, waiting=lambda: self.machine.waiting, floor=self._floor
        )

    # Leadership ---------------------------------------------------------------------------------------------------

    def serves(self, partition: Partition) -> bool:
        return self.partition is partition and partition.is_leader and partition.leader_epoch == self._epoch

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
                try:
                    if not self.is_loaded:
                        await self._load()
                    rest_s = await self._turn()
                except NotLeaderOrFollower:
                    rest_s = RETRY_S
                except Refusal as refusal:
                    _log.warning("schedule stands still", partition=self._name, reason=refusal.message)
                    rest_s = RETRY_S
                except Exception as bug:
                    _log.error("schedule failed", partition=self._name, exc_info=bug)
                    rest_s = RETRY_S
                await self._rest(rest_s)
        finally:
            self.partition.waiters.unwatch(self)

    @property
    def _name(self) -> str:
        return str(self.partition.topic_partition)

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

    # Taking in ----------------------------------------------------------------------------------------------------

    async def _load(self) -> None:
        """The notes of former leaders, to the log's end: they are this one's to carry out. Then what is committed."""
        partition = self.partition
        self.relay, self.stage = RelayMachine(), Stage()
        self.machine = ScheduleMachine(partition.start_offset, self._clock.now())
        self.aside, self._back = [], []
        self._on_the_way.clear()
        offset = self._cursor = self._early_to = partition.start_offset
        end = partition.end_offset
        while offset < end and not self.is_over:
            data = partition.reader.load(offset, PIECE_BYTES)
            for header, batch in batches_in(data):
                if may_be_note(header) and (content := read_note(batch)) is not None:
                    self._take_note(content, header.next_offset)
                offset = header.next_offset
            if not data:
                break
            await asyncio.sleep(0)
        self.relay.loaded(self._clock.now())
        self._back.clear()  # they are among the records that come now
        while (partition.high_watermark < end or self._cursor < partition.last_stable_offset) and not self.is_over:
            if not await self._take_in():
                await self._rest(RETRY_S)
        self.is_loaded = True
        self._counted = (self.machine.cancelled, self.machine.cancelled_late)
        _log.info("schedule loaded", partition=self._name, waiting=self.machine.waiting, open=len(self.relay))

    def _take_note(self, content: bytes, position: int) -> None:
        try:
            entry = decode(content)
        except ValueError as error:
            _log.error("note not understood", partition=self._name, offset=position - 1, reason=str(error))
            return
        self._apply(entry, position)

    def _apply(self, entry: Entry, position: int) -> None:
        change = self.relay.apply(entry, position)
        if change.opened is not None:
            self.machine.opened(decode_refs(change.opened))
        for refs in change.finished:
            self.machine.finished(decode_refs(refs))
            self._on_the_way.pop(refs, None)
        for refs in change.returned:
            self._back += self.machine.returned(decode_refs(refs))
            self._on_the_way.pop(refs, None)

    async def _take_in(self) -> bool:
        """What was committed since; whether there was something."""
        partition = self.partition
        if self._cursor >= partition.last_stable_offset:
            return False
        readable = partition.reader.read(self._cursor, bytes_max=PIECE_BYTES, committed_only=True, at_least_one=True)
        records = readable.records
        if not isinstance(records, FileSlice):
            self._passed(partition.last_stable_offset)  # nothing but offsets that compaction left out
            return True
        start, aborted = self._cursor, readable.aborted or []
        delay_ms = partition.config[settings.PENSTOCK_SCHEDULE_DELAY_MS]
        found, end = await _from_piece(records, lambda: _read_plans(records, aborted, start, delay_ms))
        for place, planned in enumerate(found):
            self._take(planned)
            if place % DEAL_AT_ONCE == DEAL_AT_ONCE - 1:
                await asyncio.sleep(0)
        self._cursor = end
        return True

    def _passed(self, end: int) -> None:
        self.machine.nothing(self._cursor, end)
        self._cursor = end

    def _take(self, planned: Planned) -> None:
        if isinstance(planned, Nothing):
            self.machine.nothing(planned.first, planned.end)
            self._metrics.unreadable += planned.is_unreadable
            return
        offset, plan = planned
        if isinstance(plan, Plan):
            self.machine.scheduled(offset, plan)
            return
        self.machine.cancel(offset, plan.id, plan.fires_at)

    async def _take_early_cancels(self) -> bool:
        """Those that were acknowledged behind an open transaction; whether there was something to read."""
        partition = self.partition
        offset = max(self._early_to, partition.last_stable_offset)
        if offset >= partition.high_watermark:
            return False
        records = partition.reader.slice(offset, bytes_max=PIECE_BYTES)
        if records is None:
            self._early_to = partition.high_watermark
            return False
        delay_ms = partition.config[settings.PENSTOCK_SCHEDULE_DELAY_MS]
        found, self._early_to = await _from_piece(records, lambda: cancels_in(records.read(), offset, delay_ms))
        for at, schedule_id in found:
            self.machine.cancel_early(at, schedule_id)
        return True

    def _floor(self) -> int:
        return self.machine.floor()

    # A turn -------------------------------------------------------------------------------------------------------

    async def _turn(self) -> float:
        """Seconds to rest, if nothing happens before."""
        while await self._take_in() or await self._take_early_cancels():
            if self.is_over:
                return 0.0
        await self._bring_back()
        await self._prepare()
        self.relay.replicated_to(self.partition.high_watermark)
        now = self._clock.now()
        is_level = max(self._cursor, self._early_to) >= self.partition.high_watermark
        if is_level and not self.is_over:
            self._fire(now)
            self._carry_out(now)
        self._raise_floor(now)
        return self._rest_s(now) if is_level else 0.0

    async def _bring_back(self) -> None:
        """What an intent named whose target is gone."""
        while self._back:
            some = set(self._back[:1_000])
            found = await self._read(some)
            delay_ms = self.partition.config[settings.PENSTOCK_SCHEDULE_DELAY_MS]
            for offset in sorted(some):
                plan = read(found[offset], fixed_delay_ms=delay_ms) if offset in found else None
                if isinstance(plan, Plan):
                    self.machine.scheduled(offset, plan)
            self._back = [offset for offset in self._back if offset not in some]

    async def _prepare(self) -> None:
        """Deal out what is due soon, and read its records."""
        while not self.is_over:
            upto_ms, room = self._ahead(self._clock.now())
            if room <= 0:
                break
            is_all = self.machine.wheel.deal_out(upto_ms, DEAL_AT_ONCE)
            taken = self.machine.wheel.take(upto_ms, min(room, DEAL_AT_ONCE))
            self.stage.add(due for due in taken if self.machine.is_waiting(*due))
            if is_all and not taken:
                break
            await asyncio.sleep(0)
            if self.stage.missing:
                await self._read_missing()
        if self.stage.missing:
            await self._read_missing()

    def _ahead(self, now: int) -> tuple[int, int]:
        """Up to when records are made ready, and how many. Where there is no more room, those that are due before all
        that is ready come in all the same.
        """
        room, first = self.stage.room, self.stage.first()
        if room > 0 or first is None:
            return now + AHEAD_MS, max(room, 1)
        return now + SOON_MS, DEAL_AT_ONCE if first[0] > now + SOON_MS else 0

    async def _read_missing(self) -> None:
        wanted = set(self.stage.missing)
        found = await self._read(wanted)
        for offset in wanted:
            self.stage.bring(offset, found.get(offset))

    async def _read(self, wanted: set[int]) -> dict[int, Record]:
        """Records by offset, as far as the log has them."""
        found: dict[int, Record] = {}
        left = sorted(wanted)
        place = 0
        while place < len(left):
            if left[place] < self.partition.start_offset:
                place += 1
                continue
            piece = self.partition.reader.slice(left[place], bytes_max=PIECE_BYTES)
            if piece is None:
                break
            records, end = await self._pick(piece, wanted)
            found |= records
            while place < len(left) and left[place] < end:
                place += 1
        return found

    @staticmethod
    async def _pick(piece: FileSlice, wanted: set[int]) -> tuple[dict[int, Record], int]:
        return await _from_piece(piece, lambda: pick(piece.read(), wanted))

    def _fire(self, now: int) -> None:
        """Write intents for what is due. No await: whatever was acknowledged has been taken in."""
        if now < self._not_before:
            return
        found = self._target()
        if found is None:
            return  # held until there is one
        target, limits = found
        for _ in range(INTENTS_A_TURN):
            first = self.stage.first()
            if first is None or first[0] > now or not self.relay.has_room(target, now):
                return
            chosen = choose(self.stage, self.machine, limits, now, self.aside)
            if not chosen.refs:
                return
            refs = encode_refs(chosen.refs)
            self._on_the_way[refs] = self._outgoing(chosen)
            if not self._write(self.relay.intent(target, refs, len(chosen.refs)), now):
                self._on_the_way.pop(refs)
                self.stage.add(chosen.due)
                return

    def _target(self) -> tuple[Target, TargetLimits] | None:
        topic = self._image.topics.get(self.target_name)
        index = self.partition.index
        if topic is None or index >= len(topic.partitions):
            return None
        config = self._config_of(topic)
        limits = TargetLimits(config[settings.MAX_MESSAGE_BYTES], "compact" in config[settings.CLEANUP_POLICY])
        return Target(topic.name, topic.topic_id, index), limits

    def _outgoing(self, chosen: Outgoing) -> list[Record]:
        source = self._name
        return [
            outgoing(record, source=source, due_ms=due_ms)
            for (due_ms, _), record in zip(chosen.due, chosen.records, strict=True)
        ]

    def _write(self, entry: Entry, now: int) -> bool:
        try:
            appended = append_note(self.partition, encode(entry))
        except NotEnoughReplicas:
            self.relay.write_failed(entry.target, now)
            self._not_before = now + 1_000
            return False
        self._apply(entry, appended.next_offset)
        self.relay.replicated_to(self.partition.high_watermark)
        return True

    # The relay ----------------------------------------------------------------------------------------------------

    def _carry_out(self, now: int) -> None:
        before = self.relay.resent
        for step in self.relay.steps(now):
            match step:
                case Write(entry):
                    self._write(entry, now)
                case Start():
                    self._spawn(self._start(step))
                case Send():
                    self._spawn(self._send(step))
        self._relay_metrics.resent += self.relay.resent - before
        self._metrics.cancelled += self.machine.cancelled - self._counted[0]
        self._metrics.cancelled_late += self.machine.cancelled_late - self._counted[1]
        self._counted = (self.machine.cancelled, self.machine.cancelled_late)

    async def _start(self, step: Start) -> None:
        relay = self.relay
        try:
            from_offset = await self._sender.end_of(step.target)
            producer_id = await self._next_producer_id() if step.wants_id else -1
        except Exception as error:
            relay.answered(step, self._answer_for(error, step.target), self._clock.now())
        else:
            relay.started(step, producer_id=producer_id, from_offset=from_offset, now=self._clock.now())
        self._wake.set()

    async def _send(self, step: Send) -> None:
        relay = self.relay
        try:
            records = self._on_the_way.get(step.refs) or await self._records_of(decode_refs(step.refs))
            batch = batches.build(
                records,
                producer_id=step.producer_id,
                epoch=step.epoch,
                sequence=step.sequence,
                now=self._clock.now(),
                size=sum(map(batches.size_of, records)),
            )
            if self.is_over:
                return
            offset = await self._sender.send(step.target, batch, from_offset=step.from_offset)
        except Exception as error:
            relay.answered(step, self._answer_for(error, step.target), self._clock.now())
        else:
            relay.answered(step, Answer.TAKEN, self._clock.now(), offset=offset)
            self._count(records)
        self._wake.set()

    async def _records_of(self, refs: Iterable[Ref]) -> list[Record]:
        """As they were intended, by whoever it was."""
        refs = list(refs)
        found = await self._read({ref.offset for ref in refs})
        delay_ms = self.partition.config[settings.PENSTOCK_SCHEDULE_DELAY_MS]
        records = []
        for ref in refs:
            record = found[ref.offset]
            due_ms = ref.due_ms
            if not ref.is_recurring:
                plan = read(record, fixed_delay_ms=delay_ms)
                due_ms = plan.due_ms if isinstance(plan, Plan) else -1
            records.append(outgoing(record, source=self._name, due_ms=due_ms))
        return records

    def _answer_for(self, error: Exception, target: Target) -> Answer:
        if isinstance(error, TargetGone):
            return Answer.GONE
        if isinstance(error, OutOfOrderSequence):
            return Answer.OUT_OF_ORDER
        if isinstance(error, Refusal):
            _log.info("records not moved yet", home=self._name, target=str(target), reason=error.message)
        else:
            _log.error("records not moved", home=self._name, target=str(target), exc_info=error)
        return Answer.LATER

    def _count(self, records: list[Record]) -> None:
        now = self._clock.now()
        self._metrics.fired += len(records)
        for record in records:
            due_ms = next(int(value or 0) for name, value in record.headers if name == "penstock-due")
            self._metrics.lateness.record(max(0, now - due_ms) / 1000)

    # Housekeeping -------------------------------------------------------------------------------------------------

    def _raise_floor(self, now: int) -> None:
        """Let go of the log's start as far as nothing of it is needed, and look again at what was put aside."""
        if self.aside and now >= self._aside_at:
            self._aside_at = now + ASIDE_MS
            self.stage.add(self.aside)
            self.aside = []
        if now < self._floor_at or self.is_over:
            return
        self._floor_at = now + FLOOR_EVERY_MS
        floor = min(self.machine.floor(), self._cursor)
        if floor > self.partition.start_offset and self.partition.trouble is None:
            self.partition.delete_records(floor)

    def _rest_s(self, now: int) -> float:
        times = [now + 1000 * LOOKS_EVERY_S]
        first, waiting = self.stage.first(), self.machine.wheel.next_at()
        if first is not None:
            times.append(first[0] if first[0] > now else now + 50)
        if waiting is not None and self.stage.room > 0:
            times.append(waiting - AHEAD_MS)
        if self.relay.wake_at is not None:
            times.append(self.relay.wake_at)
        return max(min(times) - now, 0) / 1000


async def _from_piece(piece: FileSlice, make: Callable[[], T]) -> T:
    """What is made of a piece of the log: in a thread, unless it is small and surely in memory."""
    try:
        if piece.is_recent and piece.size <= LOOP_BYTES_MAX:
            return make()
        return await asyncio.to_thread(make)
    finally:
        piece.release()


def _read_plans(
    piece: FileSlice, transactions: list[tuple[int, int]], start: int, fixed_delay_ms: int
) -> tuple[list[Planned], int]:
    data = piece.read()
    aborted = aborted_batches(data, transactions) if transactions else set()
    return plans_in(data, aborted, start=start, fixed_delay_ms=fixed_delay_ms)
