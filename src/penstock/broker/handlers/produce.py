"""Produce: append each partition's batch, then answer as the acknowledgement level asks.

acks=0 is never answered, acks=1 at once, acks=all when the high watermark has passed (and both after the flush where
the topic flushes before it acknowledges). v5 log start offset, v7 zstd, v8 record errors, v9 flexible, v10 current
leader (KIP-951), v12 implicit transactions (KIP-890), v13 topic ids. Versions 0 to 2 are told to old clients but
refused when used (RULES 37).

The append runs before the next request of the connection is looked at, so a producer's batches keep their order, also
while a transaction's coordinator is asked (see `produce_transactions`).
"""

import asyncio
from collections.abc import Coroutine, Mapping
from functools import partial
from math import ceil
from typing import Any

import structlog

from penstock.access.authorizer import Authorizer
from penstock.access.quotas.client_quotas import ClientQuotas
from penstock.access.rights import WRITE_TOPIC, WRITE_TRANSACTIONAL_ID, ResourceKind
from penstock.broker.batch_opening import BatchOpener
from penstock.broker.deadlines import Deadline, Deadlines
from penstock.broker.produce_transactions import (
    LOW_ATTRIBUTES_AT,
    ProducedTransaction,
    find_transaction,
    is_transactional,
)
from penstock.broker.registry import LaterReply, RawReply, RequestContext, Unanswerable, answers_raw
from penstock.broker.throttling import hold_back, in_ms
from penstock.cluster import AUDIT, ClusterImage
from penstock.coordinators.transactions.transaction_gate import TransactionGate
from penstock.errors import (
    CorruptMessage,
    DuplicateSequence,
    FencedLeaderEpoch,
    InvalidRequiredAcks,
    InvalidTopic,
    KafkaStorageError,
    MessageTooLarge,
    NotLeaderOrFollower,
    OutOfOrderSequence,
    PolicyViolation,
    RecordListTooLarge,
    Refusal,
    RequestTimedOut,
    TopicAuthorizationFailed,
    TransactionalIdAuthorizationFailed,
    UnknownServerError,
    UnknownTopicId,
    UnknownTopicOrPartition,
    UnsupportedCompressionType,
)
from penstock.model import TopicId
from penstock.replication import (
    ALL,
    Appended,
    NotOneBatch,
    Opened,
    Partition,
    Partitions,
    Promise,
    RecordsRefused,
    TimestampsRefused,
    VerificationGuard,
    append_moved,
)
from penstock.settings.topic import PENSTOCK_SCHEDULE_TARGET
from penstock.wire import batch as layout
from penstock.wire.api import ApiKey
from penstock.wire.compression import ZSTD
from penstock.wire.produce import (
    CURRENT_LEADER_FROM,
    MOVED_FROM,
    TOPIC_IDS_FROM,
    Endpoint,
    PartitionOutcome,
    PartitionRecords,
    ProduceRequest,
    TopicKey,
    decode_request,
    encode_accepted,
    encode_response,
)

ZSTD_FROM = 7
CUT_OFF = "this broker is cut off: another may lead by now"
LOOK_AGAIN_MS = 1_000
"""How often a write that is not replicated yet looks whether it still can be: replication takes milliseconds."""
ANSWERED_ACKS = (1, ALL)
KNOWN_ACKS = (0, 1, ALL)
# Refused before the log was looked at, or by a log that cannot be read: these answers say nothing of its start.
SAY_NO_START = (
    CorruptMessage,
    InvalidTopic,
    KafkaStorageError,
    MessageTooLarge,
    NotLeaderOrFollower,
    NotOneBatch,
    RecordListTooLarge,
    UnsupportedCompressionType,
)

_log = structlog.get_logger(__name__)

Place = tuple[TopicKey, int]
"""A topic of the request, and the how-manieth of its partitions."""
LookedInto = Mapping[Place, Opened | Refusal]
"""The batches that were opened, or why they cannot be taken."""
Outcomes = list[tuple[TopicKey, list[PartitionOutcome]]]
Waiting = list[tuple[PartitionOutcome, Partition, Promise[None]]]


@answers_raw(
    ApiKey.PRODUCE,
    versions=(3, 13),
    requires=(WRITE_TOPIC, WRITE_TRANSACTIONAL_ID),
    audits=(ResourceKind.TOPIC,),
    advertised_from=0,
)
def produce(
    frame: memoryview,
    position: int,
    context: RequestContext,
    partitions: Partitions,
    image: ClusterImage,
    gate: TransactionGate,
    deadlines: Deadlines,
    opener: BatchOpener,
    authorizer: Authorizer,
    quotas: ClientQuotas,
) -> RawReply | LaterReply | Coroutine[Any, Any, RawReply | LaterReply]:
    version = context.api_version
    request = decode_request(frame, position, version)
    work = _Produce(request, context, partitions, image, deadlines)
    topics = request.topics
    if len(topics) == 1 and len(topics[0][1]) == 1 and version >= ZSTD_FROM and request.acks in ANSWERED_ACKS:
        key, ((index, records),) = topics[0]
        local = partitions.finder(by_id=version >= TOPIC_IDS_FROM)(key)
        partition = None if local is None else local.get(index)
        if (
            partition is not None
            and records is not None
            and _is_plain(partition, records)
            and not quotas.has_tenants
            and (not authorizer.is_on or authorizer.has(context.caller.subject, WRITE_TOPIC, partition.topic))
        ):
            skips, slot = context.caller.skips, partition.slot
            if left := skips[slot]:  # `BatchSamples.wants`, of which a call would be felt
                skips[slot] = left - 1  # type: ignore[index] # the one that cannot be written to holds no count
                return work.append_one(key, partition, records)
            if not partition.rules.samples_batches or not partition.is_leader:
                return work.append_one(key, partition, records)
            if opener.is_small(records):
                return work.open_one(key, partition, records, opener)
    if request.transactional_id is not None and context.caller.is_broker:
        moved_from = request.transactional_id.removeprefix(MOVED_FROM)
        if moved_from != request.transactional_id and moved_from.isdigit():
            work.own_records()
            return work.run_moved(int(moved_from))
    if quotas.has_tenants:
        work.quotas, work.let_in = quotas, []
    if authorizer.is_on and not work.leave_what_is_allowed(authorizer):
        return work.reply()
    try:
        transaction = work.find_transaction()
    except Refusal as refusal:
        work.refuse_all(refusal)
        return work.reply()
    if transaction is not None and transaction.unasked:
        # Waiting means that a copy must be kept: half a millisecond for a batch of 1 MB, with each transaction's first.
        transaction.ask_at_once(gate)
    to_open = work.batches_to_open(opener)
    if (transaction is not None and transaction.unasked) or not all(each.is_small for each in to_open):
        work.own_records()
        return work.run_slowly(transaction, gate, to_open, opener)
    looked_into = {each.place: work.open(each, opener) for each in to_open}
    return work.append_and_answer(transaction, looked_into)


class _Produce:
    """One request on its way. Short-lived; holds views into the frame only until `append_all` is done."""

    __slots__ = ("_context", "_deadlines", "_image", "_outcomes", "_partitions", "_request", "let_in", "quotas")

    let_in: list[tuple[str, int]]
    """Where there are tenants: what was appended, as bytes of a topic."""

    def __init__(
        self,
        request: ProduceRequest,
        context: RequestContext,
        partitions: Partitions,
        image: ClusterImage,
        deadlines: Deadlines,
    ) -> None:
        self._request = request
        self._context = context
        self._partitions = partitions
        self._image = image
        self._deadlines = deadlines
        self._outcomes: Outcomes = []
        self.quotas: ClientQuotas | None = None
        """Where there are tenants."""

    # The ordered part -------------------------------------------------------------------------------------------

    def open_one(
        self, key: TopicKey, partition: Partition, records: memoryview, opener: BatchOpener
    ) -> RawReply | LaterReply:
        try:
            opened = opener.open(partition, records, self._context)
        except Refusal as refusal:
            self._outcomes.append((key, [self._refused(partition, refusal)]))
            return self.reply()
        return self.append_one(key, partition, opened.view, opened)

    def append_one(
        self, key: TopicKey, partition: Partition, records: memoryview, opened: Opened | None = None
    ) -> RawReply | LaterReply:
        """What `append_all` and `reply` do for one batch, without what only many need: two thirds of the cost."""
        acks = self._request.acks
        partition.metrics.totalproducerequests += 1
        try:
            if opened is None:
                appended = partition.append(records, acks=acks)
            else:
                appended = partition.append_opened(opened, acks=acks)
            pending = partition.acknowledged(appended, acks=acks)
        except Exception as error:
            self._outcomes.append((key, [self._refused(partition, error)]))
            return self.reply()
        if pending is not None or appended.base_offset < 0:
            outcome = _accepted(partition, appended)
            self._outcomes.append((key, [outcome]))
            return self.reply() if pending is None else self.park([(outcome, partition, pending)])
        accepted = encode_accepted(
            self._context.api_version,
            key,
            index=partition.index,
            base_offset=appended.base_offset,
            log_append_time_ms=appended.log_append_time_ms,
            log_start_offset=appended.log_start_offset,
        )
        return [accepted]

    def leave_what_is_allowed(self, authorizer: Authorizer) -> bool:
        """Refuse what the client may not write, before anything is asked or added for it; whether something is left."""
        request, subject = self._request, self._context.caller.subject
        if is_transactional(request):
            transactional_id = request.transactional_id
            if transactional_id is None or not authorizer.allows(subject, WRITE_TRANSACTIONAL_ID, transactional_id):
                self.refuse_all(TransactionalIdAuthorizationFailed())
                return False
        allowed: list[tuple[TopicKey, list[PartitionRecords]]] = []
        for key, parts in request.topics:
            name = self._name_of(key)
            if name is None or all(authorizer.allows(subject, WRITE_TOPIC, each) for each in self._written_by(name)):
                allowed.append((key, parts))
            else:
                refusal = TopicAuthorizationFailed
                refused = [PartitionOutcome(index, refusal.code, error_message=refusal.meaning()) for index, _ in parts]
                self._outcomes.append((key, refused))
        request.topics = allowed
        return bool(allowed)

    def _name_of(self, key: TopicKey) -> str | None:
        """None where it is an id that nobody has."""
        if self._context.api_version < TOPIC_IDS_FROM:
            return key.decode(errors="replace")
        topic = self._image.topics_by_id.get(TopicId(key))
        return None if topic is None else topic.name

    def _written_by(self, name: str) -> tuple[str, ...]:
        """A topic, and the one that its records go on to, if any: the broker writes there for whoever wrote here."""
        topic = self._image.topics.get(name)
        target = "" if topic is None else topic.overrides.get(PENSTOCK_SCHEDULE_TARGET.name, "")
        return (name, target) if target else (name,)

    def find_transaction(self) -> ProducedTransaction | None:
        if self._request.acks not in KNOWN_ACKS:
            return None  # all of it will be refused
        find = self._partitions.finder(by_id=self._context.api_version >= TOPIC_IDS_FROM)
        return find_transaction(self._request, find, self._context.api_version)

    def append_and_answer(
        self, transaction: ProducedTransaction | None, looked_into: LookedInto
    ) -> RawReply | LaterReply:
        waiting = self.append_all(transaction, looked_into)
        return self.park(waiting) if waiting else self.reply()

    def append_all(self, transaction: ProducedTransaction | None, looked_into: LookedInto) -> Waiting:
        """Append everything but what was refused before; a partition's outcome is its own."""
        request = self._request
        waiting: Waiting = []
        if request.acks not in KNOWN_ACKS:
            self.refuse_all(InvalidRequiredAcks(f"acks is {request.acks}; 0, 1 and -1 are known"))
            return waiting
        find = self._partitions.finder(by_id=self._context.api_version >= TOPIC_IDS_FROM)
        for key, parts in request.topics:
            if not parts:
                continue  # as Kafka does, which answers partitions
            outcomes: list[PartitionOutcome] = []
            local = find(key)
            for number, (index, records) in enumerate(parts):
                partition = local.get(index) if local is not None else None
                if partition is None:
                    outcomes.append(self._unknown(key, index))
                    continue
                try:
                    opened = looked_into.get((key, number))
                    if isinstance(opened, Refusal):
                        raise opened
                    guard = None if transaction is None else transaction.guard_at((key, index))
                    outcome, pending = self._append(partition, records, guard, opened)
                except Exception as error:
                    outcome, pending = self._refused(partition, error), None
                    if transaction is not None and (key, index) in transaction.refusals:
                        outcome.log_start_offset = -1  # refused before the log was looked at
                outcomes.append(outcome)
                if pending is not None:
                    waiting.append((outcome, partition, pending))
            self._outcomes.append((key, outcomes))
        return waiting

    def _append(
        self,
        partition: Partition,
        records: memoryview | None,
        guard: VerificationGuard | None,
        opened: Opened | None,
    ) -> tuple[PartitionOutcome, Promise[None] | None]:
        if partition.is_internal and not (partition.topic == AUDIT and self._context.caller.is_broker):
            # Whatever a client calls itself; coordinators write without asking.
            raise InvalidTopic(f"{partition.topic} is kept by the broker itself: clients do not write to it")
        if records is None:
            raise NotOneBatch("A produce request needs one record batch for each partition, this one has none")
        if self._context.api_version < ZSTD_FROM and _codec_of(records) == ZSTD:
            raise UnsupportedCompressionType("Zstandard needs a produce request of version 7 or later")
        if self.quotas is not None:
            for name in self._written_by(partition.topic):
                self.quotas.tenants.require_room(name, len(records))
        partition.metrics.totalproducerequests += 1
        if opened is None:
            appended = partition.append(records, acks=self._request.acks, guard=guard)
        else:
            appended = partition.append_opened(opened, acks=self._request.acks, guard=guard)
        if self.quotas is not None:
            self.let_in.append((partition.topic, len(records)))
        outcome = _accepted(partition, appended)
        return outcome, partition.acknowledged(appended, acks=self._request.acks)

    def refuse_all(self, refusal: Refusal) -> None:
        for key, parts in self._request.topics:
            outcomes = [PartitionOutcome(index, refusal.code, error_message=refusal.message) for index, _ in parts]
            self._outcomes.append((key, outcomes))

    def _unknown(self, key: TopicKey, index: int) -> PartitionOutcome:
        by_id = self._context.api_version >= TOPIC_IDS_FROM
        topic = (
            self._image.topics_by_id.get(TopicId(key))
            if by_id
            else self._image.topics.get(key.decode(errors="replace"))
        )
        if topic is not None and topic.source is not None:
            why = f"{topic.name} is a view, and read only"
            return PartitionOutcome(index, PolicyViolation.code, error_message=why)
        elsewhere = self._partitions.kept_elsewhere(key, index, by_id=by_id)
        if elsewhere is not None:
            outcome = PartitionOutcome(index, NotLeaderOrFollower.code, error_message=NotLeaderOrFollower.meaning())
            if elsewhere.leader >= 0:
                outcome.current_leader = (elsewhere.leader, elsewhere.leader_epoch)
            return outcome
        is_unknown_id = by_id and key not in self._image.topics_by_id
        refusal: type[Refusal] = UnknownTopicId if is_unknown_id else UnknownTopicOrPartition
        return PartitionOutcome(index, refusal.code, error_message=refusal.meaning())

    def _refused(self, partition: Partition, error: Exception) -> PartitionOutcome:
        if not isinstance(error, Refusal):
            _log.error("append failed", partition=str(partition.topic_partition), exc_info=error)
            error = UnknownServerError()
        partition.metrics.failedproducerequests += 1
        if isinstance(error, OutOfOrderSequence) and self._partitions.is_cut_off():
            # What its successor has taken meanwhile is no gap. Told of one, a producer gives up what it sent, or begins
            # a new epoch and sends again what the successor has.
            return PartitionOutcome(partition.index, NotLeaderOrFollower.code, error_message=CUT_OFF)
        outcome = PartitionOutcome(partition.index, error.code, error_message=error.message)
        outcome.log_start_offset = -1 if isinstance(error, SAY_NO_START) else partition.start_offset
        if isinstance(error, RecordsRefused | TimestampsRefused):
            outcome.record_errors = list(error.record_errors)
        if isinstance(error, (NotLeaderOrFollower, FencedLeaderEpoch)) and partition.leader >= 0:
            outcome.current_leader = (partition.leader, partition.leader_epoch)
        return outcome

    # Batches that must be opened, transactions that must be asked for ------------------------------------------------

    def batches_to_open(self, opener: BatchOpener) -> list["_ToOpen"]:
        """Those that the topic wants looked into, always or this time."""
        if self._request.acks not in KNOWN_ACKS:
            return []  # all of it will be refused
        find = self._partitions.finder(by_id=self._context.api_version >= TOPIC_IDS_FROM)
        found: list[_ToOpen] = []
        for key, parts in self._request.topics:
            local = find(key)
            if local is None:
                continue
            for number, (index, view) in enumerate(parts):
                partition = local.get(index)
                if partition is None or view is None or not partition.is_leader or partition.is_internal:
                    continue  # refused without a look inside
                if opener.is_wanted(self._context, partition):
                    found.append(_ToOpen((key, number), parts, partition, is_small=opener.is_small(view)))
        return found

    def open(self, each: "_ToOpen", opener: BatchOpener) -> Opened | Refusal:
        try:
            return opener.open(each.partition, each.view, self._context)
        except Refusal as refusal:
            return refusal

    async def open_in_thread(self, each: "_ToOpen", opener: BatchOpener) -> Opened | Refusal:
        try:
            return await opener.open_in_thread(each.partition, each.view, self._context)
        except Refusal as refusal:
            return refusal

    def own_records(self) -> None:
        """Copy the records out of the frame, whose memory is used again as soon as the handler returns."""
        for _key, parts in self._request.topics:
            parts[:] = [(index, None if view is None else memoryview(bytearray(view))) for index, view in parts]

    async def run_slowly(
        self,
        transaction: ProducedTransaction | None,
        gate: TransactionGate,
        to_open: list["_ToOpen"],
        opener: BatchOpener,
    ) -> RawReply | LaterReply:
        if transaction is not None and transaction.unasked:
            await transaction.ask(gate)
        looked_into = {
            each.place: self.open(each, opener) if each.is_small else await self.open_in_thread(each, opener)
            for each in to_open
        }
        return self.append_and_answer(transaction, looked_into)

    async def run_moved(self, from_offset: int) -> RawReply | LaterReply:
        """One batch that another broker moves here (moved_records.py). What it moves it was allowed to."""
        find = self._partitions.finder(by_id=self._context.api_version >= TOPIC_IDS_FROM)
        key, ((index, records),) = self._request.topics[0]
        partition = (find(key) or {}).get(index)
        if partition is None or records is None:
            self._outcomes.append((key, [self._unknown(key, index)]))
            return self.reply()
        try:
            appended = await append_moved(partition, records, from_offset=from_offset)
            pending = partition.acknowledged(appended, acks=ALL)
        except Exception as error:
            self._outcomes.append((key, [self._refused(partition, error)]))
            return self.reply()
        outcome = _accepted(partition, appended)
        self._outcomes.append((key, [outcome]))
        return self.reply() if pending is None else self.park([(outcome, partition, pending)])

    # Waiting and answering --------------------------------------------------------------------------------------

    def park(self, waiting: Waiting) -> Promise[RawReply]:
        """A promise of the reply: when all partitions are acknowledged, or the request's own timeout has passed.

        A leader that is cut off from the metadata store waits in vain once its followers have gone to another. Its
        producers are told to look for that one, and not kept until they give up by themselves.
        """
        loop = asyncio.get_running_loop()
        reply: Promise[RawReply] = Promise()
        left = len(waiting)
        timeout_ms = max(self._request.timeout_ms, 0)
        over_at = loop.time() + timeout_ms / 1000
        deadline: Deadline

        def settle(outcome: PartitionOutcome, partition: Partition, done: Promise[None]) -> None:
            nonlocal left
            left -= 1
            if not done.cancelled() and (error := done.exception()) is not None:
                _refuse(outcome, error if isinstance(error, Refusal) else UnknownServerError())
                if isinstance(error, NotLeaderOrFollower) and partition.leader >= 0:
                    outcome.current_leader = (partition.leader, partition.leader_epoch)
            if left == 0 and not reply.done():
                reply.set_result(self.reply())

        def give_up(refusal: Refusal) -> None:
            for outcome, _partition, pending in waiting:
                if not pending.done():
                    _refuse(outcome, refusal)
            for _outcome, _partition, pending in waiting:
                pending.cancel()  # the last one settles the reply

        def look() -> None:
            nonlocal deadline
            if reply.done():
                return
            left_ms = ceil(1000 * (over_at - loop.time()))
            if left_ms <= 0:
                give_up(RequestTimedOut())
            elif self._request.acks == ALL and self._partitions.is_cut_off():
                give_up(NotLeaderOrFollower(CUT_OFF))
            else:
                deadline = self._deadlines.call_later(min(left_ms, LOOK_AGAIN_MS), look)

        deadline = self._deadlines.call_later(min(timeout_ms, LOOK_AGAIN_MS), look)
        reply.add_done_callback(lambda _reply: deadline.cancel())
        for outcome, partition, pending in waiting:
            pending.add_done_callback(partial(settle, outcome, partition))
        return reply

    def _held_ms(self, quotas: ClientQuotas) -> int:
        """For how long the client is held back, as its tenants wrote more than they may. What was refused is not
        charged: nobody may use up what a tenant has by naming its topics.
        """
        seconds = quotas.wrote(self.let_in)
        hold_back(self._context, seconds)
        return in_ms(seconds)

    def reply(self) -> RawReply:
        held_ms = 0 if self.quotas is None else self._held_ms(self.quotas)
        if self._request.acks == 0:
            return self._reply_to_none()
        version = self._context.api_version
        endpoints: list[Endpoint] = []
        if version >= CURRENT_LEADER_FROM:
            leaders = {
                o.current_leader[0] for _, parts in self._outcomes for o in parts if o.current_leader is not None
            }
            endpoints = self._partitions.endpoints(leaders, listener=self._context.listener) if leaders else []
        return [encode_response(version, self._outcomes, endpoints, held_ms)]

    def _reply_to_none(self) -> RawReply:
        """acks=0 has no answer to carry an error, so Kafka closes the connection: the producer then asks for
        metadata.
        """
        if any(outcome.error_code for _, parts in self._outcomes for outcome in parts):
            raise Unanswerable("a produce request with acks=0 was refused")
        return None


class _ToOpen:
    """A batch of the request that is looked into before it is appended."""

    __slots__ = ("_parts", "is_small", "partition", "place")

    def __init__(
        self, place: Place, parts: list[tuple[int, memoryview | None]], partition: Partition, *, is_small: bool
    ) -> None:
        self.place = place
        self.partition = partition
        self.is_small = is_small
        self._parts = parts

    @property
    def view(self) -> memoryview:
        view = self._parts[self.place[1]][1]
        assert view is not None
        return view


def _is_plain(partition: Partition, records: memoryview) -> bool:
    """Whether nothing but the append itself has to be asked: who writes, what is inside a batch, and its transaction do
    not matter. Settings that have just changed are worked out anew on the general way.
    """
    rules = partition.rules
    return (
        not partition.is_internal
        and not rules.opens_batches
        and rules.version == partition.config.version
        and len(records) > LOW_ATTRIBUTES_AT
        and not records[LOW_ATTRIBUTES_AT] & layout.TRANSACTIONAL
    )


def _accepted(partition: Partition, appended: Appended) -> PartitionOutcome:
    # Of a batch that came too long ago clients take this code for success, without an offset.
    code, words = (0, None) if appended.base_offset >= 0 else (DuplicateSequence.code, DuplicateSequence.meaning())
    where = appended.base_offset, appended.log_append_time_ms, appended.log_start_offset
    return PartitionOutcome(partition.index, code, *where, error_message=words)


def _refuse(outcome: PartitionOutcome, refusal: Refusal) -> None:
    outcome.error_code = refusal.code
    outcome.error_message = refusal.message
    outcome.base_offset = outcome.log_append_time_ms = outcome.log_start_offset = -1


def _codec_of(records: memoryview) -> int:
    if len(records) < layout.HEADER_SIZE:
        return 0
    return int(layout.ATTRIBUTES.unpack_from(records, layout.ATTRIBUTES_AT)[0]) & layout.COMPRESSION_MASK
