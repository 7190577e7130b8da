"""Sends what is due on its way: writes intents, and does what the relay says.

An intent is written only where all that was acknowledged has been taken in, with no await in between: so a cancel that
was acknowledged wins (S6). The relay goes by a clock that nobody sets; only what is due goes by the time of day.
"""

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final

import structlog

from penstock.cluster import ClusterImage
from penstock.delivery.dedup.ids import header_of
from penstock.delivery.relay import batches
from penstock.delivery.relay.entries import Entry, Target, encode
from penstock.delivery.relay.machine import Answer, Send, Start, Write
from penstock.delivery.relay.metrics import RelayMetrics
from penstock.delivery.relay.sender import RelaySender, TargetGone
from penstock.delivery.schedules.firing import DUE, TAKES_NOTHING, Route, TargetLimits, choose
from penstock.delivery.schedules.log_reader import LogReader
from penstock.delivery.schedules.metrics import ScheduleMetrics
from penstock.delivery.schedules.plan import Plan, read
from penstock.delivery.schedules.refs import decode as decode_refs
from penstock.delivery.schedules.refs import encode as encode_refs
from penstock.delivery.schedules.retries import RetryRules
from penstock.delivery.schedules.retry_groups import RetryGroups
from penstock.delivery.schedules.state import ScheduleState
from penstock.errors import NotEnoughReplicas, OutOfOrderSequence, Refusal
from penstock.model import Clock
from penstock.replication import Partition, append_note
from penstock.settings import TopicConfig
from penstock.settings import topic as settings
from penstock.wire.records import Record

INTENTS_A_TURN: Final = 4
PAUSE_MS: Final = 1_000

_log = structlog.get_logger(__name__)


class Outbox:
    def __init__(
        self,
        partition: Partition,
        reader: LogReader,
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
        wake: Callable[[], None],
        is_over: Callable[[], bool],
    ) -> None:
        self._partition = partition
        self._reader = reader
        self.target_name = partition.config[settings.PENSTOCK_SCHEDULE_TARGET]
        self._image = image
        self._config_of = config_of
        self._sender = sender
        self._groups = groups
        self._next_producer_id = next_producer_id
        self._clock = clock
        self._spawn = spawn
        self._metrics = metrics
        self._relay_metrics = relay_metrics
        self._wake = wake
        self._is_over = is_over
        self._not_before = 0

    # Where records go -----------------------------------------------------------------------------------------------

    @property
    def is_target_away(self) -> bool:
        return self._place(self.target_name) is None

    @property
    def _retry(self) -> RetryRules | None:
        delay = self._reader.delay
        return delay if isinstance(delay, RetryRules) else None

    @property
    def _id_header(self) -> str | None:
        return header_of(self._partition.config[settings.PENSTOCK_DEDUP_BY])

    def _route(self, *, is_given_up: bool) -> Route:
        partition = self._partition
        return Route(partition.topic, partition.index, self._retry, is_given_up, self._id_header)

    def _place(self, name: str, *, takes_any_partition: bool = False) -> tuple[Target, TargetLimits] | None:
        topic = self._image.topics.get(name)
        if topic is None:
            return None
        index, count = self._partition.index, len(topic.partitions)
        if index >= count and not takes_any_partition:
            return None
        config = self._config_of(topic)
        id_header = header_of(config[settings.PENSTOCK_DEDUP_BY])
        limits = TargetLimits(
            config[settings.MAX_MESSAGE_BYTES],
            needs_keys="compact" in config[settings.CLEANUP_POLICY],
            id_header=None if id_header == self._id_header else id_header,  # what acted here does not travel
            ids_need_keys=count > 1,
        )
        return Target(topic.name, topic.topic_id, index % count), limits

    def _destination(self, route: Route) -> tuple[Target, TargetLimits] | None:
        if route.retry is None or not route.is_given_up:
            return self._place(self.target_name)
        return self._place(self._groups.dead_letter_topic(route.retry.group), takes_any_partition=True)

    # Intents ------------------------------------------------------------------------------------------------------

    def fire(self, state: ScheduleState) -> None:
        """Write intents for what is due. No await: whatever was acknowledged has been taken in."""
        now, steady = self._clock.now(), self._partition.now_ms()
        if steady < self._not_before or self.is_target_away:
            return  # held until there is one
        for _ in range(INTENTS_A_TURN):
            first = state.stage.first()
            if first is None or first[0] > now:
                return
            retry, record = self._retry, state.stage.record_of(first)
            is_given_up = retry is not None and record is not None and retry.is_given_up(record)
            route = self._route(is_given_up=is_given_up)
            if not self._intend(state, route, now, steady):
                return

    def _intend(self, state: ScheduleState, route: Route, now: int, steady: int) -> bool:
        """One intent; whether to go on."""
        retry = route.retry
        # Where the group has no dead-letter topic, those that are given up wait for one.
        target, limits = self._destination(route) or (None, TAKES_NOTHING)
        if target is not None and not state.relay.has_room(target, steady):
            if not route.is_given_up or not state.relay.is_failing(target):
                return False
            target, limits = None, TAKES_NOTHING  # nor does a dead-letter topic that is away hold up the others
        before = len(state.aside) + len(state.held)
        chosen = choose(
            state.stage,
            state.machine,
            limits,
            now,
            state.aside,
            state.held,
            lambda record: retry is None or retry.is_given_up(record) == route.is_given_up,
        )
        if target is None or not chosen.refs:
            return len(state.aside) + len(state.held) > before
        refs = encode_refs(chosen.refs)
        state.on_the_way[refs] = [
            route.outgoing(record, due_ms) for (due_ms, _), record in zip(chosen.due, chosen.records, strict=True)
        ]
        if self._write(state, state.relay.intent(target, refs, len(chosen.refs))):
            return True
        state.on_the_way.pop(refs)
        state.stage.add(chosen.due)
        return False

    def _write(self, state: ScheduleState, entry: Entry) -> bool:
        try:
            appended = append_note(self._partition, encode(entry))
        except NotEnoughReplicas:
            steady = self._partition.now_ms()
            state.relay.write_failed(entry.target, steady)
            self._not_before = steady + PAUSE_MS
            return False
        state.apply(entry, appended.next_offset)
        state.relay.replicated_to(self._partition.high_watermark)
        return True

    # The relay ----------------------------------------------------------------------------------------------------

    def carry_out(self, state: ScheduleState) -> None:
        before = state.relay.resent
        for step in state.relay.steps(self._partition.now_ms()):
            match step:
                case Write(entry):
                    self._write(state, entry)
                case Start():
                    self._spawn(self._start(state, step))
                case Send():
                    self._spawn(self._send(state, step))
        self._relay_metrics.resent += state.relay.resent - before

    async def _start(self, state: ScheduleState, step: Start) -> None:
        relay, partition = state.relay, self._partition
        try:
            from_offset = await self._sender.end_of(step.target)
            producer_id = await self._next_producer_id() if step.wants_id else -1
        except Exception as error:
            relay.answered(step, self._answer_for(error, step.target), partition.now_ms())
        else:
            relay.started(step, producer_id=producer_id, from_offset=from_offset, now=partition.now_ms())
        self._wake()

    async def _send(self, state: ScheduleState, step: Send) -> None:
        relay, partition = state.relay, self._partition
        try:
            records = state.on_the_way.get(step.refs) or await self._records_of(step)
            batch = batches.build(
                records,
                producer_id=step.producer_id,
                epoch=step.epoch,
                sequence=step.sequence,
                now=self._clock.now(),
                size=sum(map(batches.size_of, records)),
            )
            if self._is_over():
                return
            offset = await self._sender.send(step.target, batch, from_offset=step.from_offset)
        except Exception as error:
            relay.answered(step, self._answer_for(error, step.target), partition.now_ms())
        else:
            relay.answered(step, Answer.TAKEN, partition.now_ms(), offset=offset)
            self._count(records)
        self._wake()

    async def _records_of(self, step: Send) -> list[Record]:
        """As they were intended, by whoever it was."""
        refs = decode_refs(step.refs)
        found = await self._reader.records(sorted(ref.offset for ref in refs))
        route, delay = self._route(is_given_up=step.target.topic != self.target_name), self._reader.delay
        records = []
        for ref in refs:
            record = found[ref.offset]
            due_ms = ref.due_ms
            if not ref.is_recurring:
                plan = read(record, delay=delay)
                due_ms = plan.due_ms if isinstance(plan, Plan) else -1
            records.append(route.outgoing(record, due_ms))
        return records

    def _answer_for(self, error: Exception, target: Target) -> Answer:
        if isinstance(error, TargetGone):
            return Answer.GONE
        if isinstance(error, OutOfOrderSequence):
            return Answer.OUT_OF_ORDER
        home = str(self._partition.topic_partition)
        if isinstance(error, Refusal):
            _log.info("records not moved yet", home=home, target=str(target), reason=error.message)
        else:
            _log.error("records not moved", home=home, target=str(target), exc_info=error)
        return Answer.LATER

    def _count(self, records: list[Record]) -> None:
        now = self._clock.now()
        self._metrics.fired += len(records)
        for record in records:
            due_ms = next(int(value or 0) for name, value in record.headers if name == DUE)
            self._metrics.lateness.record(max(0, now - due_ms) / 1000)
