"""Fetch as a leader answers its followers: one session a follower, which costs what has changed and no more.

A follower names a partition when it joins the session, and again each time it has taken in what it was sent: that is
how the leader learns how far it is. In between the leader sends nothing more of it, but news: that the high watermark
or the log's start has moved, or that it has lost track of the follower. So a fetch looks at the partitions that were
named and at those in which something happened, however many thousands there are.

A fetch that finds nothing is parked. An append wakes it: followers read to the log's end, not to the high watermark. A
newer fetch of the same session answers it as it is, so that a follower can name another partition at once. News of the
high watermark alone waits a little, and a little longer while records keep coming: the next ones carry it.
"""

import asyncio
import math
from collections.abc import Callable, Coroutine
from typing import Any, Final

import structlog

from penstock.broker.after_receive import AfterReceive
from penstock.broker.deadlines import Deadline, Deadlines
from penstock.broker.fetch_sessions import EPOCH_MAX, FINAL_EPOCH, FULL_EPOCH, NO_SESSION
from penstock.broker.registry import LaterReply, RawReply, RequestContext
from penstock.cluster import ClusterImage
from penstock.errors import (
    ClusterAuthorizationFailed,
    FetchSessionIdNotFound,
    InvalidFetchSessionEpoch,
    NotLeaderOrFollower,
    OffsetOutOfRange,
    Refusal,
    ReplicaNotAvailable,
    UnknownServerError,
    UnknownTopicId,
    UnknownTopicOrPartition,
)
from penstock.model import BrokerId, Dice
from penstock.replication import Diverging, Partition, Partitions, Promise, Throttle
from penstock.replication.throttle import PAUSE_S
from penstock.wire.fetch import TOPIC_IDS_FROM, FetchPartition, FetchRequest, PartitionAnswer, encode_response
from penstock.wire.produce import TopicKey

NEWS_AFTER_MS: Final = 5
"""How long news of a high watermark waits for records to travel with."""
NEWS_IN_A_RUN_AFTER_MS: Final = 50
"""How long it waits while records keep coming, each within this time of those before. Told by itself the high watermark
costs a send, a receive and a turn of the loop at both ends, twice: half of all fetches, where a producer's requests are
10 ms apart at each leader.
"""

COLD_AT_ONCE: Final = 32
"""Logs whose indexes are loaded for one answer, a millisecond each, or ten from a disk. A follower that begins with
nothing asks for thousands of old segments at once; what it is in sync with, and producers wait for, is in that answer.
"""

_log = structlog.get_logger(__name__)

Place = tuple[TopicKey, int]


class Followed:
    """One partition of a follower's session. Watches the partition for as long as it is in the session."""

    __slots__ = (
        "asked",
        "diverging",
        "is_waiting",
        "key",
        "partition",
        "refusal",
        "session",
        "told_mark",
        "told_start",
    )

    def __init__(self, session: "ReplicaSession", key: TopicKey, partition: Partition, asked: FetchPartition) -> None:
        self.session = session
        self.key = key
        self.partition = partition
        self.asked = asked
        self.is_waiting = False
        """It was sent something, and is named again when that is taken in."""
        self.refusal: Refusal | None = None
        self.diverging: Diverging | None = None
        self.told_mark = asked.high_watermark
        self.told_start = asked.log_start_offset
        partition.waiters.watch(self)
        partition.waiters.watch_end(self)

    def end_moved(self) -> None:
        if not self.is_waiting:
            self.session.wake(self)

    def partition_moved(self) -> None:
        if self.is_waiting:
            return
        partition, broker_id = self.partition, self.session.broker_id
        if partition.leader_epoch != self.asked.current_leader_epoch or not partition.is_leader:
            self.session.wake(self)
        elif (
            broker_id not in partition.in_sync
            and partition.followers.has_lost_track_of(broker_id)
            and self.asked.offset >= partition.end_offset  # else it is owed records, and named again after those
        ):
            self._have_it_named_again()
        else:
            self.session.news(self)

    def _have_it_named_again(self) -> None:
        """The follower was taken out of the in-sync set after it had named the partition. How far it is counts when it
        has said so again, and where nothing happens it would never have a reason to.
        """
        if self.refusal is None and self.diverging is None:
            self.refusal = ReplicaNotAvailable("Since this was asked for, the replica has been out of sync")
        self.session.wake(self)

    def leave(self) -> None:
        self.partition.waiters.unwatch(self)
        self.partition.waiters.unwatch_end(self)


class ReplicaSession:
    def __init__(
        self,
        session_id: int,
        broker_id: BrokerId,
        partitions: Partitions,
        image: ClusterImage,
        afterwards: AfterReceive,
        deadlines: Deadlines,
        throttle: Throttle,
        on_lost: Callable[[BrokerId], None],
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._afterwards = afterwards
        self._deadlines = deadlines
        self._on_lost = on_lost
        self.id = session_id
        self.broker_id = broker_id
        self.epoch = 1
        self._partitions = partitions
        self._image = image
        self._throttle = throttle
        self._held_back: dict[Followed, None] = {}
        self._followed: dict[Place, Followed] = {}
        self._to_read: dict[Followed, None] = {}
        self._news: dict[Followed, None] = {}
        self._request: FetchRequest | None = None
        self._version = 0
        self._by_id = True
        self._parked: Promise[RawReply] | None = None
        self._time_over: Deadline | None = None
        self._news_due: Deadline | None = None
        self._took_in_at = -math.inf
        self._is_in_a_run = False
        """Whether the follower has taken in records twice within a short time: more are likely to come."""
        self._was_full = False
        """Whether the last answer had no room for all that there was."""
        self._is_scheduled = False

    def __len__(self) -> int:
        return len(self._followed)

    # A request --------------------------------------------------------------------------------------------------

    def fetch(
        self, request: FetchRequest, version: int, *, may_park: bool
    ) -> RawReply | LaterReply | Coroutine[Any, Any, RawReply | LaterReply]:
        self.release()
        self._request, self._version = request, version
        self._by_id = version >= TOPIC_IDS_FROM
        if request.topics:
            now = self._loop.time()
            self._is_in_a_run = now - self._took_in_at <= NEWS_IN_A_RUN_AFTER_MS / 1000
            self._took_in_at = now
        unknown = self._take_in(request)
        if cold := self._cold():
            return self._fetch_cold(cold, unknown, may_park)
        return self._answer_or_park(unknown, may_park)

    async def _fetch_cold(
        self, cold: list[Followed], unknown: "list[tuple[TopicKey, PartitionAnswer]]", may_park: bool
    ) -> RawReply | LaterReply:
        """Load indexes in threads first: the loop does not wait for a disk. Nor do the others for more than a few: what
        is left is for the next answers, and the follower asks for those at once.
        """
        for followed in cold[:COLD_AT_ONCE]:
            await asyncio.to_thread(followed.partition.reader.warm, followed.asked.offset)
        left = [followed for followed in cold[COLD_AT_ONCE:] if followed in self._to_read]
        for followed in left:
            del self._to_read[followed]
        reply = self._answer_or_park(unknown, may_park and not left)
        self._to_read.update(dict.fromkeys(left))
        return reply

    def _cold(self) -> list[Followed]:
        return [
            followed
            for followed in self._to_read
            if followed.asked.offset < followed.partition.end_offset
            and not followed.partition.reader.is_near(max(followed.asked.offset, followed.partition.start_offset))
        ]

    def _take_in(self, request: FetchRequest) -> "list[tuple[TopicKey, PartitionAnswer]]":
        """Take note of what the follower says of each partition it names; what cannot be answered for is returned."""
        unknown = []
        find = self._partitions.finder(by_id=self._by_id)
        for key, parts in request.topics:
            local = find(key)
            for asked in parts:
                partition = None if local is None else local.get(asked.index)
                if partition is None:
                    self._forget((key, asked.index))
                    unknown.append((key, self._unknown(key, asked.index)))
                else:
                    self._note(key, partition, asked, request.replica_epoch)
        for key, indexes in request.forgotten:
            for index in indexes:
                self._forget((key, index))
        return unknown

    def _note(self, key: TopicKey, partition: Partition, asked: FetchPartition, broker_epoch: int) -> None:
        followed = self._followed.get((key, asked.index))
        if followed is None or followed.partition is not partition:
            self._forget((key, asked.index))
            followed = self._followed[key, asked.index] = Followed(self, key, partition, asked)
        followed.asked = asked
        followed.is_waiting = False
        followed.refusal = followed.diverging = None
        followed.told_mark = asked.high_watermark
        try:
            followed.diverging = partition.followers.fetched(self.broker_id, asked, broker_epoch=broker_epoch)
        except Exception as error:
            followed.refusal = self._refusal(partition, error)
        self._to_read[followed] = None

    def _refusal(self, partition: Partition, error: Exception) -> Refusal:
        if isinstance(error, Refusal):
            return error
        _log.error("replica fetch failed", partition=str(partition.topic_partition), exc_info=error)
        return UnknownServerError()

    def _forget(self, place: Place) -> None:
        gone = self._followed.pop(place, None)
        if gone is not None:
            gone.leave()
            self._to_read.pop(gone, None)
            self._news.pop(gone, None)

    def _unknown(self, key: TopicKey, index: int) -> PartitionAnswer:
        if self._by_id and key not in self._image.topics_by_id:
            return PartitionAnswer(index, UnknownTopicId.code)
        if self._partitions.kept_elsewhere(key, index, by_id=self._by_id) is not None:
            return PartitionAnswer(index, NotLeaderOrFollower.code)
        return PartitionAnswer(index, UnknownTopicOrPartition.code)

    # An answer --------------------------------------------------------------------------------------------------

    def _answer_or_park(
        self, unknown: "list[tuple[TopicKey, PartitionAnswer]]", may_park: bool
    ) -> RawReply | LaterReply:
        assert self._request is not None
        answers = [*unknown, *self._read()]
        if self._is_enough(answers) or not may_park:
            return self._encode(answers)
        self._put_back(answers)
        parked: Promise[RawReply] = Promise()
        self._parked = parked
        parked.add_done_callback(self._unparked)
        self._time_over = self._deadlines.call_later(self._request.wait_ms_max, self.release)
        if self._news:
            self._tell_news_later()
        return parked

    def _is_enough(self, answers: "list[tuple[TopicKey, PartitionAnswer]]") -> bool:
        assert self._request is not None
        if not answers:
            return False
        if self._request.bytes_min <= 1:
            return True
        size = sum(answer.records.size for _, answer in answers if answer.records is not None)
        return size >= self._request.bytes_min or any(answer.records is None for _, answer in answers)

    def _put_back(self, answers: "list[tuple[TopicKey, PartitionAnswer]]") -> None:
        """Too little to answer with: the follower is owed it still."""
        for key, answer in answers:
            answer.records.release()
            followed = self._followed[key, answer.index]
            followed.is_waiting = False
            followed.partition.metrics.replicationbytesout -= answer.records.size
            self._to_read[followed] = None

    def _read(self, *, with_news: bool = False) -> "list[tuple[TopicKey, PartitionAnswer]]":
        assert self._request is not None
        answers: list[tuple[TopicKey, PartitionAnswer]] = []
        left, slices_left = self._request.bytes_max, self._partitions.slices_max
        to_read, self._to_read = self._to_read, {}
        in_turn = self._in_sync_early(to_read) if self._was_full and to_read else to_read
        self._was_full = False
        for followed in in_turn:
            if left <= 0 or not slices_left:
                self._to_read[followed] = None  # the first of the next answer
                self._was_full = True
                continue
            if self._is_held_back(followed):
                continue
            is_first = left == self._request.bytes_max
            answer = self._read_one(followed, min(followed.asked.bytes_max, left), at_least_one=is_first)
            if answer is None:
                if followed.asked.offset < followed.partition.end_offset:
                    self._to_read[followed] = None  # too large for what is left of this answer
                    self._was_full = True
                elif self._has_news(followed):
                    self._news[followed] = None
                continue
            if answer.records is not None:
                left -= answer.records.size
                slices_left -= 1
                followed.partition.metrics.replicationbytesout += answer.records.size
                if self.broker_id not in followed.partition.in_sync:
                    self._count_against_throttle(followed, answer.records.size)
            answers.append((followed.key, answer))
        if in_turn is not to_read:  # whoever has waited longest is still the first
            self._to_read = {followed: None for followed in to_read if followed in self._to_read} | self._to_read
        if answers or with_news:
            answers += [(followed.key, self._state(followed)) for followed in self._news if self._has_news(followed)]
            self._news.clear()
        return answers

    def _in_sync_early(self, to_read: "dict[Followed, None]") -> "list[Followed]":
        """Of more than one answer holds: after whoever has waited longest come those that the follower is in sync with,
        which producers wait for. Behind thousands of partitions that it catches up on it would fall out of sync.
        """
        first, *others = to_read
        return [first, *sorted(others, key=lambda followed: self.broker_id not in followed.partition.in_sync)]

    def _read_one(self, followed: Followed, bytes_max: int, *, at_least_one: bool) -> PartitionAnswer | None:
        partition, asked = followed.partition, followed.asked
        records, refusal = None, followed.refusal
        try:
            if refusal is None:
                partition.require_leader(asked.current_leader_epoch)
                if followed.diverging is None:
                    records = partition.followers.slice(asked.offset, bytes_max=bytes_max, at_least_one=at_least_one)
                    if records is None:
                        return None
        except Exception as error:
            refusal = self._refusal(partition, error)
        followed.is_waiting = True
        answer = self._state(followed)
        answer.records = records
        if refusal is not None:
            answer.error_code = refusal.code
            if not isinstance(refusal, OffsetOutOfRange):
                answer.current_leader = (partition.leader, partition.leader_epoch)
        elif followed.diverging is not None:
            answer.diverging_epoch = (followed.diverging.epoch, followed.diverging.end_offset)
        return answer

    def _is_held_back(self, followed: Followed) -> bool:
        """Whether a follower that catches up has used up what it may have, for now."""
        if self.broker_id in followed.partition.in_sync or followed.refusal is not None:
            return False
        if not self._throttle.concerns(followed.partition, self.broker_id) or not self._throttle.is_used_up():
            return False
        if not self._held_back:
            self._loop.call_later(PAUSE_S, self._let_go)
        self._held_back[followed] = None
        return True

    def _count_against_throttle(self, followed: Followed, size: int) -> None:
        if self._throttle.concerns(followed.partition, self.broker_id):
            self._throttle.use(size)

    def _let_go(self) -> None:
        held_back, self._held_back = self._held_back, {}
        for followed in held_back:
            if self._followed.get((followed.key, followed.asked.index)) is followed:
                followed.end_moved()  # unless it was sent meanwhile

    def _state(self, followed: Followed) -> PartitionAnswer:
        partition = followed.partition
        followed.told_mark, followed.told_start = partition.high_watermark, partition.start_offset
        return PartitionAnswer(
            partition.index,
            high_watermark=followed.told_mark,
            last_stable_offset=-1,  # a follower works out its own
            log_start_offset=followed.told_start,
        )

    def _has_news(self, followed: Followed) -> bool:
        partition = followed.partition
        if followed.is_waiting or followed.refusal is not None or followed.diverging is not None:
            return False  # of a tail that is not ours a high watermark says nothing: first the follower must know that
        return followed.told_mark < partition.high_watermark or followed.told_start < partition.start_offset

    def _encode(self, answers: "list[tuple[TopicKey, PartitionAnswer]]") -> RawReply:
        topics: dict[TopicKey, list[PartitionAnswer]] = {}
        for key, answer in answers:
            topics.setdefault(key, []).append(answer)
        return encode_response(self._version, list(topics.items()), session_id=self.id)

    # While parked -----------------------------------------------------------------------------------------------

    def wake(self, followed: Followed) -> None:
        self._to_read[followed] = None
        if self._parked is not None and not self._is_scheduled:
            # Many appends of one receive become one answer, after the last of them.
            self._is_scheduled = True
            self._afterwards.soon(self._look_again)

    def news(self, followed: Followed) -> None:
        self._news[followed] = None
        if self._parked is not None:
            self._tell_news_later()

    def _tell_news_later(self) -> None:
        if self._news_due is None:
            wait_ms = NEWS_IN_A_RUN_AFTER_MS if self._is_in_a_run else NEWS_AFTER_MS
            self._news_due = self._deadlines.call_later(wait_ms, self._tell_news)

    def _tell_news(self) -> None:
        self._news_due = None
        self._look_again(with_news=True)

    def _look_again(self, *, with_news: bool = False) -> None:
        self._is_scheduled = False
        parked = self._parked
        if parked is None or parked.done():
            return
        answers = self._read(with_news=with_news)
        if self._is_enough(answers):
            self._finish(answers)
        else:
            self._put_back(answers)

    def _unparked(self, parked: Promise[RawReply]) -> None:
        if parked.cancelled() and self._parked is parked:
            self._parked = None
            self._on_lost(self.broker_id)
            self._cancel_deadlines()

    def release(self) -> None:
        """Answer a parked fetch as it is: its time is over, or a newer one is here."""
        if self._parked is not None and not self._parked.done():
            self._finish(self._read(with_news=True))

    def _finish(self, answers: "list[tuple[TopicKey, PartitionAnswer]]") -> None:
        parked, self._parked = self._parked, None
        assert parked is not None
        self._cancel_deadlines()
        parked.set_result(self._encode(answers))

    def _cancel_deadlines(self) -> None:
        if self._time_over is not None:
            self._time_over.cancel()
        if self._news_due is not None:
            self._news_due.cancel()
        self._time_over = self._news_due = None

    def end(self) -> None:
        """The follower has begun another session, or none: nothing here is watched any more."""
        if self._parked is not None and not self._parked.done():
            self._finish([])
        for followed in self._followed.values():
            followed.leave()
        self._followed.clear()
        self._to_read.clear()
        self._news.clear()


class ReplicaSessions:
    """The sessions of all followers: one each, since a follower has one fetcher for each leader."""

    def __init__(
        self,
        partitions: Partitions,
        image: ClusterImage,
        dice: Dice,
        *,
        afterwards: AfterReceive,
        deadlines: Deadlines,
        throttle: Throttle,
        needs_authentication: Callable[[], bool],
        on_lost: Callable[[BrokerId], None] = lambda _broker: None,
    ) -> None:
        """`on_lost` hears of a follower whose connection broke while its fetch was parked."""
        self._on_lost = on_lost
        self._afterwards = afterwards
        self._deadlines = deadlines
        self._throttle = throttle
        self._partitions = partitions
        self._image = image
        self._dice = dice
        self._needs_authentication = needs_authentication
        self._sessions: dict[BrokerId, ReplicaSession] = {}

    def fetch(
        self, request: FetchRequest, context: RequestContext
    ) -> RawReply | LaterReply | Coroutine[Any, Any, RawReply | LaterReply]:
        version = context.api_version
        broker_id = BrokerId(request.replica_id)
        if not self._needs_authentication():
            if broker_id not in self._image.brokers:
                return _refused(request, version)  # whoever it is, there could be as many of them as there are numbers
        elif context.caller.broker_id != broker_id:
            # A stranger's word must not move a high watermark (RULES 25).
            return encode_response(version, [], error_code=ClusterAuthorizationFailed.code)
        if request.session_epoch in (FULL_EPOCH, FINAL_EPOCH):
            # Answered at once: the follower needs the session's number before it can say more.
            return self._begin(broker_id).fetch(request, version, may_park=False)
        session = self._sessions.get(broker_id)
        if session is None or session.id != request.session_id:
            return encode_response(version, [], error_code=FetchSessionIdNotFound.code)
        if session.epoch != request.session_epoch:
            return encode_response(version, [], error_code=InvalidFetchSessionEpoch.code)
        session.epoch = session.epoch + 1 if session.epoch < EPOCH_MAX else 1
        return session.fetch(request, version, may_park=request.wait_ms_max > 0)

    def _begin(self, broker_id: BrokerId) -> ReplicaSession:
        former = self._sessions.pop(broker_id, None)
        if former is not None:
            former.end()
        session_id = NO_SESSION
        while session_id == NO_SESSION:
            session_id = int.from_bytes(self._dice.random_bytes(4), "big") & 0x7FFFFFFF
        session = ReplicaSession(
            session_id,
            broker_id,
            self._partitions,
            self._image,
            self._afterwards,
            self._deadlines,
            self._throttle,
            self._on_lost,
        )
        self._sessions[broker_id] = session
        return session

    def __len__(self) -> int:
        return len(self._sessions)


def _refused(request: FetchRequest, version: int) -> RawReply:
    """To somebody who is no replica of anything."""
    answers = [
        (key, [PartitionAnswer(part.index, NotLeaderOrFollower.code) for part in parts])
        for key, parts in request.topics
    ]
    return encode_response(version, answers)
