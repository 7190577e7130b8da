"""Fetch: records of many partitions in one answer, as slices of the log's own files.

A fetch that finds fewer than its minimum of bytes is parked: it watches its partitions and is answered by the append
that satisfies it, by an error, or when its wait is over. v5 log start offset, v7 sessions (KIP-227), v9 leader epochs,
v11 rack, v12 flexible with diverging epochs (KIP-595), v13 topic ids, v15 replica state, v16 node endpoints (KIP-951),
v17 directory, v18 the fetcher's high watermark (KIP-1166).
"""

import asyncio
from collections.abc import Coroutine
from functools import partial
from typing import Any

import msgspec
import structlog

from penstock.access.authorizer import Authorizer
from penstock.access.quotas.client_quotas import ClientQuotas, FetchQuota
from penstock.access.rights import CLUSTER_ACTION, NOTHING, READ_TOPIC
from penstock.broker.after_receive import AfterReceive
from penstock.broker.deadlines import Deadline, Deadlines
from penstock.broker.fetch_answers import idle, preferred_elsewhere, read
from penstock.broker.fetch_sessions import Asked, FetchSession, FetchSessions
from penstock.broker.read_replicas import READ_HERE, RackAwareChoice, choice_for
from penstock.broker.registry import LaterReply, RawReply, RequestContext, answers_raw
from penstock.broker.throttling import hold_back, in_ms
from penstock.cluster import ClusterImage, ReadBarrier
from penstock.errors import (
    FencedLeaderEpoch,
    NotLeaderOrFollower,
    OffsetOutOfRange,
    Refusal,
    TopicAuthorizationFailed,
    UnknownServerError,
    UnknownTopicId,
    UnknownTopicOrPartition,
)
from penstock.model import TopicId
from penstock.replication import (
    LaterRecords,
    NoMatch,
    Partition,
    Partitions,
    Promise,
    RecordBytes,
    Records,
    ReplicaSessions,
)
from penstock.settings import Config
from penstock.settings.broker import FETCH_MAX_BYTES, PENSTOCK_VIEW_SCAN_BYTES_MAX
from penstock.wire.api import ApiKey
from penstock.wire.fetch import (
    ENDPOINTS_FROM,
    NO_SESSION,
    TOPIC_IDS_FROM,
    FetchPartition,
    FetchRequest,
    PartitionAnswer,
    decode_request,
    encode_response,
)
from penstock.wire.produce import Endpoint, TopicKey

READ_COMMITTED = 1
FORBIDDEN = TopicAuthorizationFailed.code
KNOWN_ISOLATION_LEVELS = (0, READ_COMMITTED)
"""Any other is refused: taken for one that is known, it could show what was aborted."""
FOLLOWERS_FROM = 11
"""From this version on a consumer may read from a follower (KIP-392)."""

Answers = list[tuple[TopicKey, FetchPartition, PartitionAnswer, Partition | None]]

_log = structlog.get_logger(__name__)


@answers_raw(ApiKey.FETCH, versions=(4, 18), requires=(READ_TOPIC, CLUSTER_ACTION), audits=NOTHING)
def fetch(
    frame: memoryview,
    position: int,
    context: RequestContext,
    partitions: Partitions,
    image: ClusterImage,
    sessions: FetchSessions,
    config: Config,
    replicas: ReplicaSessions,
    read_barrier: ReadBarrier,
    afterwards: AfterReceive,
    deadlines: Deadlines,
    authorizer: Authorizer,
    quotas: ClientQuotas,
) -> RawReply | LaterReply | Coroutine[Any, Any, RawReply | LaterReply]:
    request = decode_request(frame, position, context.api_version)
    if request.replica_id >= 0:
        if not authorizer.allows(context.caller.subject, CLUSTER_ACTION):
            return _forbidden_whole(request, context)
        return replicas.fetch(request, context.api_version, proved=context.caller.broker_id)
    if request.isolation_level not in KNOWN_ISOLATION_LEVELS:
        return _refused_whole(request, context, UnknownServerError.code)
    try:
        session, is_incremental = sessions.begin(request, context.api_version, context.caller.subject.principal)
    except Refusal as refusal:
        return encode_response(context.api_version, [], error_code=refusal.code)
    asked = session.asked() if session is not None and is_incremental else _asked(request)
    work = _Fetch(request, context, partitions, image, authorizer, session, is_incremental, asked, config)
    if request.rack_id:
        work.choice = choice_for(request.rack_id, image, config)
    if quotas.is_on:
        work.be_held_to(quotas, sessions)
    is_enough = work.read(may_load=False)
    if work.cold or work.is_beyond:
        return work.run_slowly(read_barrier, afterwards, deadlines)
    if is_enough or request.wait_ms_max <= 0:
        return work.answer_when_brought(afterwards, deadlines)
    return work.park(afterwards, deadlines)


def _refused_whole(request: FetchRequest, context: RequestContext, error_code: int) -> RawReply:
    """As Kafka does it: with topic ids the code stands once, before that each partition has it too."""
    topics: list[tuple[TopicKey, list[PartitionAnswer]]] = []
    if context.api_version < TOPIC_IDS_FROM:
        topics = [
            (key, [PartitionAnswer(each.index, error_code, aborted=[]) for each in parts])
            for key, parts in request.topics
        ]
    return encode_response(context.api_version, topics, error_code=error_code)


def _forbidden_whole(request: FetchRequest, context: RequestContext) -> RawReply:
    code = TopicAuthorizationFailed.code
    return encode_response(
        context.api_version,
        [(key, [PartitionAnswer(each.index, code, aborted=[]) for each in parts]) for key, parts in request.topics],
    )


def _asked(request: FetchRequest) -> Asked:
    return [(key, partition) for key, parts in request.topics for partition in parts]


class _Fetch:
    """One fetch, tried now and, while parked, again whenever one of its partitions has moved."""

    __slots__ = (
        "_afterwards",
        "_answers",
        "_asked",
        "_authorizer",
        "_bytes_max",
        "_context",
        "_deadline",
        "_image",
        "_is_confirmed",
        "_is_incremental",
        "_is_scheduled",
        "_is_time_over",
        "_later",
        "_may_be_read",
        "_partitions",
        "_promise",
        "_quota",
        "_request",
        "_scan_max",
        "_session",
        "_sessions",
        "_skipped",
        "_watched",
        "choice",
        "cold",
        "is_beyond",
    )

    def __init__(
        self,
        request: FetchRequest,
        context: RequestContext,
        partitions: Partitions,
        image: ClusterImage,
        authorizer: Authorizer,
        session: FetchSession | None,
        is_incremental: bool,
        asked: Asked,
        config: Config,
    ) -> None:
        self._request = request
        self._context = context
        self._partitions = partitions
        self._image = image
        self._authorizer = authorizer
        self._session = session
        self._is_incremental = is_incremental
        self._asked = asked
        self._bytes_max = min(request.bytes_max, config[FETCH_MAX_BYTES])
        self._scan_max = config[PENSTOCK_VIEW_SCAN_BYTES_MAX] // 2
        self._answers: Answers = []
        self._promise: Promise[RawReply] | None = None
        self._afterwards: AfterReceive | None = None
        self._deadline: Deadline | None = None
        self._is_scheduled = False
        self._later = 0
        """Answers whose records have to be brought first."""
        self._is_time_over = request.wait_ms_max <= 0
        self._skipped: dict[tuple[TopicKey, int], NoMatch] = {}
        """What the reader of a view is told if nothing is found until the time is over: how far it may go on."""
        self._watched: list[Partition] = []
        self.cold: list[tuple[Partition, int]] = []
        self._may_be_read: dict[TopicKey, bool] = {}
        self.is_beyond = False
        self._is_confirmed = False
        self.choice: RackAwareChoice | None = None
        self._quota: FetchQuota | None = None
        self._sessions: FetchSessions | None = None

    def be_held_to(self, quotas: ClientQuotas, sessions: FetchSessions) -> None:
        context = self._context
        self._quota = quotas.fetches(quotas.share(context.principal.name, context.client_id))
        if self._quota is not None:
            self._sessions = sessions
            find = self._partitions.reading_finder(by_id=context.api_version >= TOPIC_IDS_FROM)
            local = (find(key) for key in dict.fromkeys(key for key, _ in self._asked))
            topics = [next(iter(parts.values())).topic for parts in local if parts]
            self._bytes_max = min(self._bytes_max, self._quota.bytes_max(topics))

    # Reading ----------------------------------------------------------------------------------------------------

    def read(self, *, may_load: bool) -> bool:
        """Read all partitions once; whether that is enough to answer.

        A partition that must be read where no index is in memory is loaded if that `may_load`; else it goes to `cold`,
        with its offset, and nothing is answered before a thread has been there. What is asked for beyond a log's end
        makes it `is_beyond`: only the metadata store knows whether this broker still leads.
        """
        answers: Answers = []
        self._answers = answers
        self.cold = []
        self._may_be_read = {}
        self._later = 0
        self.is_beyond = False
        session = self._session if self._is_incremental else None
        committed_only = self._request.isolation_level == READ_COMMITTED
        left, total, has_error = self._bytes_max, 0, False
        at_leader = self._context.api_version < FOLLOWERS_FROM
        slices_left = self._partitions.slices_max
        scan_left = self._scan_max
        find = self._partitions.reading_finder(by_id=self._context.api_version >= TOPIC_IDS_FROM)
        readable = self._authorizer.known(self._context.caller.subject, READ_TOPIC)
        allowed: TopicKey | None = None
        for key, asked in self._asked:
            local = find(key)
            partition = local.get(asked.index) if local is not None else None
            if readable is not None and key is not allowed:
                if (partition is None or partition.topic not in readable) and not self._may_read(key):
                    answers.append((key, asked, PartitionAnswer(asked.index, FORBIDDEN, aborted=[]), None))
                    has_error = True
                    continue
                allowed = key  # partitions of a topic mostly come together, with one object as their key
            if partition is None:
                answers.append((key, asked, self._unknown(key, asked.index), None))
                has_error = True
                continue
            partition.metrics.totalfetchrequests += 1
            if self.choice is not None:
                preferred = self.choice.preferred(partition, asked.offset)
                if preferred != READ_HERE:
                    answers.append((key, asked, preferred_elsewhere(partition, preferred), partition))
                    has_error = True
                    continue
            if asked.last_fetched_epoch < 0 and partition.is_idle_at(
                asked.offset, asked.current_leader_epoch, committed_only
            ):
                # Most partitions of most fetches. In a session nothing need be said of them, nor an answer made.
                if session is None or not session.knows(key, partition):
                    answers.append((key, asked, idle(partition, committed_only), partition))
                has_error = has_error or partition.high_watermark > asked.high_watermark
                continue
            if not may_load and asked.offset < partition.high_watermark and not partition.reader.is_near(asked.offset):
                self.cold.append((partition, asked.offset))
                continue
            if scan_left <= 0 and partition.reader.source is not None:
                # Enough was looked through: what is left out is the next fetch's.
                answers.append((key, asked, idle(partition, committed_only), partition))
                continue
            try:
                answer = read(partition, asked, committed_only, left, at_least_one=total == 0, at_leader=at_leader)
            except Exception as error:
                answer = self._refused(partition, asked, error)
                has_error = True
            answers.append((key, asked, answer, partition))
            if answer.records is not None:
                left -= answer.records.size
                total += answer.records.size
                if type(answer.records) is LaterRecords:
                    self._later += 1
                    covers = answer.records.covers
                    scan_left -= 0 if covers is None else covers.size
                slices_left -= 1
                if not slices_left:
                    left = 0  # full: each slice holds a file open until it is sent, and others want to read too
            if answer.diverging_epoch is not None or answer.high_watermark > asked.high_watermark:
                has_error = True  # a fetcher that tells its high watermark wants to hear of a newer one at once
        if has_error or total >= min(self._request.bytes_min, self._bytes_max) or not self._asked:
            return True
        return total > 0 and self._waits_in_vain()

    def _may_read(self, key: TopicKey) -> bool:
        """Asked for once a topic, however many of its partitions there are, and in whichever order."""
        may = self._may_be_read.get(key)
        if may is None:
            may = self._may_be_read[key] = self._is_allowed(key)
        return may

    def _is_allowed(self, key: TopicKey) -> bool:
        """What nobody knows is not forbidden where it has only an id: there is no name to hide."""
        if self._context.api_version < TOPIC_IDS_FROM:
            name = key.decode(errors="replace")
        elif (topic := self._image.topics_by_id.get(TopicId(key))) is not None:
            name = topic.name
        else:
            return True
        return self._authorizer.allows(self._context.caller.subject, READ_TOPIC, name)

    def _waits_in_vain(self) -> bool:
        """Whether more is there than the answer may hold: the minimum counts what could be had, as in Kafka. A slice
        ends with a batch, below the limits; and it ends with its segment, whose successor is the next fetch's.
        """
        committed_only = self._request.isolation_level == READ_COMMITTED
        had = 0
        for _key, asked, answer, partition in self._answers:
            if answer.records is not None and partition is not None:
                available = partition.reader.bytes_from(answer.records, committed_only=committed_only)
                if available is None:
                    return True
                had += min(available, max(asked.bytes_max, answer.records.size))
            elif partition is not None and asked.offset < (
                answer.last_stable_offset if committed_only else answer.high_watermark
            ):
                had += max(asked.bytes_max, 0)  # left out: the answer is full
        return had >= min(self._request.bytes_min, self._bytes_max)

    async def run_slowly(
        self, read_barrier: ReadBarrier, afterwards: AfterReceive, deadlines: Deadlines
    ) -> RawReply | LaterReply:
        """Load indexes in threads first: the loop does not wait for a disk. Have it confirmed that this broker leads,
        where a consumer is further than the log.
        """
        self._release()
        if self.is_beyond:
            self._is_confirmed = await read_barrier.passed()
        for partition, offset in self.cold:
            await asyncio.to_thread(partition.reader.warm, offset)
        if self.read(may_load=True) or self._request.wait_ms_max <= 0:
            return self.answer_when_brought(afterwards, deadlines)
        return self.park(afterwards, deadlines)

    def _unknown(self, key: TopicKey, index: int) -> PartitionAnswer:
        by_id = self._context.api_version >= TOPIC_IDS_FROM
        elsewhere = self._partitions.kept_elsewhere(key, index, by_id=by_id)
        if elsewhere is not None:
            answer = PartitionAnswer(index, NotLeaderOrFollower.code)
            if elsewhere.leader >= 0 and self._context.api_version >= ENDPOINTS_FROM:
                answer.current_leader = (elsewhere.leader, elsewhere.leader_epoch)
            return answer
        is_unknown_id = by_id and key not in self._image.topics_by_id
        return PartitionAnswer(index, (UnknownTopicId if is_unknown_id else UnknownTopicOrPartition).code, aborted=[])

    def _refused(self, partition: Partition, asked: FetchPartition, error: Exception) -> PartitionAnswer:
        if isinstance(error, OffsetOutOfRange) and asked.offset > partition.end_offset and not self._is_confirmed:
            self.is_beyond = True
            return PartitionAnswer(partition.index, NotLeaderOrFollower.code)  # ask again, perhaps elsewhere
        if not isinstance(error, Refusal):
            _log.error("read failed", partition=str(partition.topic_partition), exc_info=error)
            error = UnknownServerError()
        partition.metrics.failedfetchrequests += 1
        answer = PartitionAnswer(partition.index, error.code)
        if isinstance(error, (NotLeaderOrFollower, FencedLeaderEpoch)) and partition.leader >= 0:
            answer.current_leader = (partition.leader, partition.leader_epoch)
        return answer

    # Parking ----------------------------------------------------------------------------------------------------

    def answer_when_brought(self, afterwards: AfterReceive, deadlines: Deadlines) -> RawReply | Promise[RawReply]:
        """The answer, or a promise of it. What is brought may turn out to be nothing to show: then it waits for more,
        as long as the request allows.
        """
        if not self._later or self._request.wait_ms_max <= 0:
            return self.answer()
        return self.answer(self._wait(afterwards, deadlines))

    def park(self, afterwards: AfterReceive, deadlines: Deadlines) -> Promise[RawReply]:
        self._release()
        return self._wait(afterwards, deadlines)

    def _wait(self, afterwards: AfterReceive, deadlines: Deadlines) -> Promise[RawReply]:
        self._is_confirmed = False
        self._afterwards = afterwards
        promise: Promise[RawReply] = Promise()
        self._promise = promise
        self._deadline = deadlines.call_later(self._request.wait_ms_max, self._time_over)
        find = self._partitions.reading_finder(by_id=self._context.api_version >= TOPIC_IDS_FROM)
        self._watched = [
            local[asked.index] for key, asked in self._asked if (local := find(key)) and asked.index in local
        ]
        for partition in self._watched:
            partition.waiters.watch(self)
        promise.add_done_callback(self._unpark)
        return promise

    def partition_moved(self) -> None:
        # Many appends of one receive become one look, after the last of them.
        if not self._is_scheduled and self._afterwards is not None:
            self._is_scheduled = True
            self._afterwards.soon(self._try_again)

    def _try_again(self) -> None:
        self._is_scheduled = False
        self._look_again(is_time_over=False)

    def _time_over(self) -> None:
        self._is_time_over = True
        self._look_again(is_time_over=True)

    def _look_again(self, *, is_time_over: bool) -> None:
        promise = self._promise
        if promise is None or promise.done() or self._later:
            return
        try:
            reply = self.answer(promise) if self.read(may_load=True) or is_time_over else None
        except Exception as bug:  # whoever waits must not wait for ever
            self._release()
            promise.set_exception(bug)
            return
        if reply is None:
            self._release()
        elif not isinstance(reply, Promise):
            promise.set_result(reply)

    def _unpark(self, _promise: Promise[RawReply]) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        for partition in self._watched:
            partition.waiters.unwatch(self)

    def _release(self) -> None:
        for _key, _asked, answer, _partition in self._answers:
            if answer.records is not None:
                answer.records.release()
        self._answers = []
        self._later = 0

    # Answering --------------------------------------------------------------------------------------------------

    def answer(self, promise: Promise[RawReply] | None = None) -> RawReply | Promise[RawReply]:
        """The reply to what was read. Where records have to be brought first, a promise of it: this one, if there is
        one already. Slices are held until then, and let go should nobody wait any more.
        """
        if not self._later:
            return self.reply()
        promise = Promise() if promise is None else promise
        promise.add_done_callback(lambda done: self._release() if done.cancelled() else None)
        for place, (_key, _asked, answer, _partition) in enumerate(self._answers):
            if isinstance(answer.records, LaterRecords):
                answer.records.add_done_callback(partial(self._brought, promise, place, answer.records))
        return promise

    def _brought(self, promise: Promise[RawReply], place: int, later: LaterRecords, _done: Promise[Records]) -> None:
        if promise.done() or later.cancelled():
            return  # released
        key, asked, answer, partition = self._answers[place]
        assert partition is not None
        try:
            records = answer.records = later.result()
            if answer.aborted is not None and isinstance(records, RecordBytes) and later.covers is None:
                answer.aborted = records.aborted
        except Exception as error:
            self._answers[place] = key, asked, self._refused(partition, asked, error), partition
        self._later -= 1
        if self._later:
            return
        if self._is_time_over or not self._skips_what_was_brought():
            promise.set_result(self.reply())
        else:
            self._look_again(is_time_over=False)  # something may have come meanwhile

    def _skips_what_was_brought(self) -> bool:
        """Whether there is nothing to show and nothing to say: then those partitions are read on from where the looking
        through has ended, and the fetch waits for more. What has not come to the end yet is answered, for the next
        fetch to go on.
        """
        if self._promise is None:
            return False
        for _key, asked, answer, _partition in self._answers:
            records = answer.records
            if records is not None and not (isinstance(records, NoMatch) and records.is_at_end):
                return False
            if answer.error_code or answer.preferred_read_replica >= 0 or answer.diverging_epoch is not None:
                return False
            if answer.high_watermark > asked.high_watermark:
                return False
        for key, asked, answer, _partition in self._answers:
            if isinstance(answer.records, NoMatch):
                self._skip(key, asked, answer.records)
        self._release()
        return True

    def _skip(self, key: TopicKey, asked: FetchPartition, nothing: NoMatch) -> None:
        self._skipped[key, asked.index] = nothing
        further = msgspec.structs.replace(asked, offset=nothing.next_offset)
        self._asked = [(each_key, further if each is asked else each) for each_key, each in self._asked]

    def _tell_skipped(self) -> None:
        """Where there is still nothing to show, how far the reader may go on."""
        answered = {(key, answer.index): answer for key, _, answer, _ in self._answers}
        find = self._partitions.reading_finder(by_id=self._context.api_version >= TOPIC_IDS_FROM)
        committed_only = self._request.isolation_level == READ_COMMITTED
        asked_of = {(key, asked.index): asked for key, asked in self._asked}
        for (key, index), nothing in self._skipped.items():
            answer = answered.get((key, index))
            partition = (find(key) or {}).get(index)
            if answer is None and partition is not None:
                answer = idle(partition, committed_only)
                self._answers.append((key, asked_of[key, index], answer, partition))
            if answer is not None and answer.records is None and not answer.error_code:
                answer.records = nothing

    def reply(self) -> RawReply:
        if self._skipped:
            self._tell_skipped()
        if self._quota is not None and (seconds := self._quota.take(self._sizes())) > 0:
            return self._held_back(seconds)
        session = self._session
        # Partitions in the order in which they were served, as Kafka has them: a topic may come more than once.
        topics: list[tuple[TopicKey, list[PartitionAnswer]]] = []
        last: TopicKey | None = None
        for key, _asked, answer, partition in self._answers:
            if partition is not None and answer.records is not None:
                partition.metrics.bytesout += answer.records.size
            if session is not None and not session.changed(key, answer) and self._is_incremental:
                continue
            if key != last:
                topics.append((key, answers := []))
                last = key
            answers.append(answer)
        return encode_response(
            self._context.api_version,
            topics,
            session_id=session.id if session is not None else NO_SESSION,
            endpoints=self._endpoints(),
        )

    def _sizes(self) -> list[tuple[str, int]]:
        return [
            (partition.topic, answer.records.size)
            for _, _, answer, partition in self._answers
            if answer.records is not None and partition is not None
        ]

    def _held_back(self, seconds: float) -> RawReply:
        """Nothing, and when to come again. A session that was just begun is none: its fetcher has been told nothing of
        its partitions, and begins anew.
        """
        self._release()
        hold_back(self._context, seconds)
        session = self._session
        if session is not None and not self._is_incremental and self._sessions is not None:
            self._sessions.forget(session)
            session = None
        return encode_response(
            self._context.api_version,
            [],
            session_id=session.id if session is not None else NO_SESSION,
            throttle_time_ms=in_ms(seconds),
        )

    def _endpoints(self) -> list[Endpoint] | None:
        if self._context.api_version < ENDPOINTS_FROM:
            return None
        leaders = {answer.current_leader[0] for _, _, answer, _ in self._answers if answer.current_leader is not None}
        return self._partitions.endpoints(leaders, listener=self._context.listener) if leaders else None
