"""ShareFetch (KIP-932): records of partitions that a share group reads, given to this member for a while; and what
became of those that it was given before.

v2 acquire modes (KIP-1206) and more time with a record (KIP-1222).
"""

import asyncio
from collections.abc import Coroutine
from typing import Any

from penstock.access.authorizer import Authorizer
from penstock.access.quotas.client_quotas import ClientQuotas
from penstock.access.rights import READ_GROUP, READ_TOPIC, ResourceKind
from penstock.broker.after_receive import AfterReceive
from penstock.broker.deadlines import Deadlines
from penstock.broker.registry import LaterReply, RawReply, RequestContext, answers_raw
from penstock.broker.share_requests import SharePlaces, acknowledge, said_of, session_key
from penstock.broker.throttling import hold_back, in_ms
from penstock.cluster import ClusterImage
from penstock.delivery.shares.acquiring import Wanted
from penstock.delivery.shares.fetching import Given, Limits, NotInMemory, ShareFetch
from penstock.delivery.shares.service import ShareDelivery
from penstock.delivery.shares.sessions import FINAL, INITIAL, SharedPartition, ShareSession
from penstock.errors import InvalidRequest, Refusal, ShareSessionLimitReached
from penstock.model import Clock, TopicId
from penstock.replication import Partition, Partitions, Promise
from penstock.settings import Config
from penstock.settings.broker import FETCH_MAX_BYTES
from penstock.wire.api import ApiKey
from penstock.wire.messages.share_fetch_request import ShareFetchRequest
from penstock.wire.share_fetch import SharePartitionAnswer, encode_response

RECORD_LIMIT = 1
"""The acquire mode in which no more records are given than were asked for."""


@answers_raw(ApiKey.SHARE_FETCH, versions=(1, 2), requires=(READ_GROUP, READ_TOPIC), audits=(ResourceKind.GROUP,))
def share_fetch(
    frame: memoryview,
    position: int,
    context: RequestContext,
    shares: ShareDelivery,
    partitions: Partitions,
    image: ClusterImage,
    authorizer: Authorizer,
    quotas: ClientQuotas,
    config: Config,
    clock: Clock,
    afterwards: AfterReceive,
    deadlines: Deadlines,
) -> RawReply | LaterReply | Coroutine[Any, Any, RawReply | LaterReply]:
    request = ShareFetchRequest.decode(frame, context.api_version, position)
    subject = context.caller.subject
    try:
        key = session_key(request.group_id, request.member_id, image, authorizer, subject)
        _check_renewal(request)
        session = shares.begin_fetch(
            key,
            request.share_session_epoch,
            context.caller,
            asked=_asked(request),
            forgotten=_forgotten(request),
            says_something=any(part.acknowledgement_batches for topic in request.topics for part in topic.partitions),
        )
    except ShareSessionLimitReached as refusal:
        return _refused_later(refusal, request.max_wait_ms, deadlines)
    except Refusal as refusal:
        return _refused(refusal)
    places = SharePlaces(partitions, image, authorizer, subject, context.listener)
    answer = _Answer(request, context, shares, session, places)
    answer.acknowledge()
    if request.is_renew_ack or request.share_session_epoch == FINAL:
        return answer.come_to([])
    work = answer.fetch(config[FETCH_MAX_BYTES], partitions.slices_max, quotas, clock)
    if work.is_idle:
        return answer.come_to(work.give())
    try:
        is_enough = work.look(may_load=False)
    except NotInMemory as missing:
        return _run_slowly(answer, work, missing, afterwards, deadlines)
    return _give_or_park(answer, work, is_enough, afterwards, deadlines)


def _check_renewal(request: ShareFetchRequest) -> None:
    if request.is_renew_ack and (request.max_bytes or request.min_bytes or request.max_records or request.max_wait_ms):
        raise InvalidRequest("a request that renews locks fetches nothing: its limits must be 0")


def _asked(request: ShareFetchRequest) -> list[SharedPartition]:
    return [
        SharedPartition(TopicId(topic.topic_id), part.partition_index)
        for topic in request.topics
        for part in topic.partitions
    ]


def _forgotten(request: ShareFetchRequest) -> list[SharedPartition]:
    return [
        SharedPartition(TopicId(topic.topic_id), index)
        for topic in request.forgotten_topics_data
        for index in topic.partitions
    ]


def _refused(refusal: Refusal) -> RawReply:
    return encode_response([], error_code=refusal.code, error_message=refusal.message)


def _refused_later(refusal: Refusal, wait_ms: int, deadlines: Deadlines) -> RawReply | LaterReply:
    """Whoever finds no room would come again at once."""
    if wait_ms <= 0:
        return _refused(refusal)
    promise: LaterReply = Promise()
    deadline = deadlines.call_later(wait_ms, lambda: promise.set_result(_refused(refusal)))
    promise.add_done_callback(lambda _done: deadline.cancel())
    return promise


async def _run_slowly(
    answer: "_Answer", work: ShareFetch, missing: NotInMemory, afterwards: AfterReceive, deadlines: Deadlines
) -> RawReply | LaterReply:
    """Read in threads what is not in memory: the loop does not wait for a disk."""
    work.let_go()
    try:
        await asyncio.to_thread(missing.bring)
    finally:
        missing.release()
    return _give_or_park(answer, work, work.look(may_load=True), afterwards, deadlines)


def _give_or_park(
    answer: "_Answer", work: ShareFetch, is_enough: bool, afterwards: AfterReceive, deadlines: Deadlines
) -> RawReply | LaterReply:
    if is_enough or answer.wait_ms <= 0:
        return answer.come_to(work.give())
    return answer.come_later(work.park(afterwards, deadlines))


class _Answer:
    """What a member is told: of the records that it was given before, and those that it is given now."""

    def __init__(
        self,
        request: ShareFetchRequest,
        context: RequestContext,
        shares: ShareDelivery,
        session: ShareSession,
        places: SharePlaces,
    ) -> None:
        self.wait_ms = request.max_wait_ms
        self._request = request
        self._context = context
        self._shares = shares
        self._session = session
        self._places = places
        self._acknowledged: list[tuple[SharedPartition, Promise[Refusal | None]]] = []
        self._given: list[Given] | None = None
        self._work: ShareFetch | None = None
        self._promise: LaterReply | None = None

    # Asking -----------------------------------------------------------------------------------------------------

    def acknowledge(self) -> None:
        request, version = self._request, self._context.api_version
        shares, key, places, leaves = (
            self._shares, self._session.key, self._places, request.share_session_epoch == FINAL
        )  # fmt: skip
        for topic in request.topics:
            for part in topic.partitions:
                if not part.acknowledgement_batches:
                    continue
                shared = SharedPartition(TopicId(topic.topic_id), part.partition_index)
                try:
                    said = said_of(part.acknowledgement_batches, version=version, renews=request.is_renew_ack)
                except InvalidRequest as refusal:
                    told = acknowledge(shares, key, places, shared, refusal, leaves=leaves)
                else:
                    told = acknowledge(shares, key, places, shared, said, leaves=leaves)
                self._acknowledged.append((shared, told))

    def fetch(self, bytes_max: int, slices_max: int, quotas: ClientQuotas, clock: Clock) -> ShareFetch:
        request, context = self._request, self._context
        found: list[tuple[SharedPartition, Partition]] = []
        refused: list[Given] = []
        for shared in self._session.asked(request.share_session_epoch):
            try:
                found.append((shared, self._places.find(shared)))
            except Refusal as refusal:
                refused.append(Given(shared, error=refusal))
        bytes_max = min(request.max_bytes, bytes_max)
        quota = quotas.fetches(quotas.share(context.principal.name, context.client_id)) if quotas.is_on else None
        if quota is not None:
            bytes_max = min(bytes_max, quota.bytes_max({partition.topic for _, partition in found}))
        lanes = self._shares.rules_of(self._session.key.group).lanes
        if lanes:
            found.sort(key=lambda each: -lanes.get(each[1].topic, 0))
        self._work = ShareFetch(
            self._shares,
            self._session.key.group,
            Wanted(
                self._session.key.member,
                request.max_records,
                batch_size=max(request.batch_size, 1),
                is_strict=request.share_acquire_mode == RECORD_LIMIT,
            ),
            Limits(request.max_wait_ms, min(request.min_bytes, bytes_max), bytes_max, slices_max),
            found,
            refused=refused,
            is_current=lambda: self._shares.sessions.get(self._session.key) is self._session,
            require_right=self._places.right_of(self._session.key.group),
            clock=clock,
            has_lanes=bool(lanes),
            hold_back=None if quota is None else quota.take,
        )
        return self._work

    # Answering --------------------------------------------------------------------------------------------------

    def come_to(self, given: list[Given]) -> RawReply | LaterReply:
        """Now, if all that was said is kept by now."""
        self._given = given
        if all(told.done() for _, told in self._acknowledged):
            return self._reply()
        self._promise = Promise()
        self._promise.add_done_callback(self._ended)
        for _shared, told in self._acknowledged:
            told.add_done_callback(self._came)
        return self._promise

    def come_later(self, parked: Promise[list[Given]]) -> LaterReply:
        self._promise = promise = Promise[RawReply]()

        def looked(done: Promise[list[Given]]) -> None:
            if promise.done():
                return
            try:
                self._given = done.result()
            except Exception as bug:
                promise.set_exception(bug)
                return
            self._came(done)

        promise.add_done_callback(self._ended)
        promise.add_done_callback(lambda _done: parked.cancel())
        parked.add_done_callback(looked)
        for _shared, told in self._acknowledged:
            told.add_done_callback(self._came)
        return promise

    def _came(self, _done: object) -> None:
        promise = self._promise
        if promise is None or promise.done() or self._given is None:
            return
        if all(told.done() for _, told in self._acknowledged):
            promise.set_result(self._reply())

    def _ended(self, done: LaterReply) -> None:
        """Nobody waits any more: what was read is let go, and what was given out its session gives back."""
        if done.cancelled():
            for each in self._given or ():
                if each.records is not None:
                    each.records.release()

    def _reply(self) -> RawReply:
        given, self._given = self._given or [], None
        session, places = self._session, self._places
        rows: dict[SharedPartition, SharePartitionAnswer] = {}
        for each in given:
            has_error = each.error is not None
            if not session.must_tell(each.shared, has_records=each.records is not None, has_error=has_error):
                continue
            row = rows[each.shared] = SharePartitionAnswer(
                each.shared.number, records=each.records, acquired=each.acquired
            )
            if each.error is not None:
                row.error_code, row.error_message = each.error.code, each.error.message
                row.current_leader = places.leader(each.shared, each.error) or row.current_leader
        if self._work is not None:
            for shared in session.untold():
                is_open = self._shares.is_open(session.key.group, shared)
                if is_open and shared not in rows:
                    rows[shared] = SharePartitionAnswer(shared.number)
                if is_open or self._request.share_session_epoch == INITIAL:
                    session.told(shared)
        for shared, told in self._acknowledged:
            row = rows.setdefault(shared, SharePartitionAnswer(shared.number))
            refusal = told.result()
            if refusal is not None:
                row.acknowledge_error_code, row.acknowledge_error_message = refusal.code, refusal.message
                row.current_leader = places.leader(shared, refusal) or row.current_leader
        self._shares.end_if_final(session, self._request.share_session_epoch)
        held_s = 0.0 if self._work is None else self._work.held_s
        hold_back(self._context, held_s)
        leaders = {row.current_leader[0] for row in rows.values() if row.current_leader != (0, 0)}
        return encode_response(
            _by_topic(rows),
            throttle_time_ms=in_ms(held_s),
            lock_timeout_ms=self._shares.rules_of(session.key.group).lock_ms,
            endpoints=places.endpoints(leaders) if leaders else (),
        )


def _by_topic(
    rows: dict[SharedPartition, SharePartitionAnswer],
) -> list[tuple[bytes, list[SharePartitionAnswer]]]:
    topics: dict[TopicId, list[SharePartitionAnswer]] = {}
    for shared, row in rows.items():
        topics.setdefault(shared.topic_id, []).append(row)
    return list(topics.items())
