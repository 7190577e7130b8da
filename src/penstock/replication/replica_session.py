"""One follower's fetch session, as its leader keeps it: it costs what has changed and no more.

A follower names a partition when it joins the session, and again each time it has taken in what it was sent: that is
how the leader learns how far it is. In between the leader sends nothing more of it, but news: that the high watermark
or the log's start has moved, or that it has lost track of the follower. So a fetch looks at the partitions that were
named and at those in which something happened, however many thousands there are (session_partitions.py).

A fetch that finds nothing is parked. An append wakes it: followers read to the log's end, not to the high watermark. A
newer fetch of the same session answers it as it is, so that a follower can name another partition at once. News of the
high watermark alone waits a little, and a little longer while records keep coming: the next ones carry it.
"""

import asyncio
import math
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeAlias

from penstock.cluster import ClusterImage
from penstock.model import BrokerId
from penstock.replication.partitions import Partitions
from penstock.replication.promise import Promise
from penstock.replication.sent_partition import SentPartition
from penstock.replication.session_partitions import Answers, SessionPartitions
from penstock.replication.session_ports import AfterReceivePort, DeadlinePort, DeadlinesPort
from penstock.replication.throttle import Throttle
from penstock.wire.fetch import FetchRequest, PartitionAnswer, encode_response
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

FetchReply: TypeAlias = list[Any] | None
"""The body's chunks, as a connection sends them."""
LaterFetchReply: TypeAlias = Promise[FetchReply]
FetchOutcome: TypeAlias = FetchReply | LaterFetchReply | Coroutine[Any, Any, FetchReply | LaterFetchReply]


class ReplicaSession:
    def __init__(
        self,
        session_id: int,
        broker_id: BrokerId,
        partitions: Partitions,
        image: ClusterImage,
        *,
        afterwards: AfterReceivePort,
        deadlines: DeadlinesPort,
        throttle: Throttle,
        on_lost: Callable[[BrokerId], None],
    ) -> None:
        self.id = session_id
        self.broker_id = broker_id
        self.epoch = 1
        self._loop = asyncio.get_running_loop()
        self._afterwards = afterwards
        self._deadlines = deadlines
        self._on_lost = on_lost
        self._contents = SessionPartitions(self, partitions, image, throttle)
        self._request: FetchRequest | None = None
        self._version = 0
        self._parked: LaterFetchReply | None = None
        self._time_over: DeadlinePort | None = None
        self._news_due: DeadlinePort | None = None
        self._took_in_at = -math.inf
        self._is_in_a_run = False
        """Whether the follower has taken in records twice within a short time: more are likely to come."""
        self._is_scheduled = False
        self._warming: asyncio.Future[None] | None = None
        """While indexes are loaded for a fetch: done when that has its answer."""

    def __len__(self) -> int:
        return len(self._contents)

    def end(self) -> None:
        """The follower has begun another session, or none: nothing here is watched any more."""
        if self._parked is not None and not self._parked.done():
            self._finish([])
        self._contents.clear()

    # A request --------------------------------------------------------------------------------------------------

    def fetch(self, request: FetchRequest, version: int, *, may_park: bool) -> FetchOutcome:
        if self._warming is not None:
            return self._fetch_after(self._warming, request, version, may_park)
        self.release()
        self._request, self._version = request, version
        if request.topics:
            now = self._loop.time()
            self._is_in_a_run = now - self._took_in_at <= NEWS_IN_A_RUN_AFTER_MS / 1000
            self._took_in_at = now
        unknown = self._contents.take_in(request, version)
        if cold := [sent for sent in self._contents.to_read if sent.is_cold]:
            self._warming = self._loop.create_future()
            return self._fetch_cold(cold, unknown, may_park, self._warming)
        return self._answer_or_park(unknown, may_park)

    async def _fetch_after(
        self, warming: "asyncio.Future[None]", request: FetchRequest, version: int, may_park: bool
    ) -> FetchReply | LaterFetchReply:
        """What this one names the one before must not answer: its follower takes in nothing that it had not asked for
        by then, and would wait for ever.
        """
        await asyncio.wait([warming])
        outcome = self.fetch(request, version, may_park=may_park)
        return await outcome if isinstance(outcome, Coroutine) else outcome

    async def _fetch_cold(
        self, cold: list[SentPartition], unknown: Answers, may_park: bool, warming: "asyncio.Future[None]"
    ) -> FetchReply | LaterFetchReply:
        """Load indexes in threads first: the loop does not wait for a disk. Nor do the others for more than a few: what
        is left is for the next answers, and the follower asks for those at once.
        """
        contents = self._contents
        try:
            for sent in cold[:COLD_AT_ONCE]:
                await asyncio.to_thread(sent.partition.log.warm, sent.asked.offset)
            left = [sent for sent in cold[COLD_AT_ONCE:] if sent in contents.to_read]
            for sent in left:
                del contents.to_read[sent]
            reply = self._answer_or_park(unknown, may_park and not left)
            contents.to_read.update(dict.fromkeys(left))
            return reply
        finally:
            self._warming = None
            warming.set_result(None)

    def _answer_or_park(self, unknown: Answers, may_park: bool) -> FetchReply | LaterFetchReply:
        assert self._request is not None
        answers = [*unknown, *self._contents.read(self._request.bytes_max)]
        if self._is_enough(answers) or not may_park:
            return self._encode(answers)
        self._contents.put_back(answers)
        parked: LaterFetchReply = Promise()
        self._parked = parked
        parked.add_done_callback(self._unparked)
        self._time_over = self._deadlines.call_later(self._request.wait_ms_max, self.release)
        if self._contents.news:
            self._tell_news_later()
        return parked

    def _is_enough(self, answers: Answers) -> bool:
        assert self._request is not None
        if not answers:
            return False
        if self._request.bytes_min <= 1:
            return True
        size = sum(answer.records.size for _, answer in answers if answer.records is not None)
        return size >= self._request.bytes_min or any(answer.records is None for _, answer in answers)

    def _encode(self, answers: Answers) -> FetchReply:
        topics: dict[TopicKey, list[PartitionAnswer]] = {}
        for key, answer in answers:
            topics.setdefault(key, []).append(answer)
        return encode_response(self._version, list(topics.items()), session_id=self.id)

    # While parked -----------------------------------------------------------------------------------------------

    def wake(self, sent: SentPartition) -> None:
        self._contents.to_read[sent] = None
        if self._parked is not None and not self._is_scheduled:
            # Many appends of one receive become one answer, after the last of them.
            self._is_scheduled = True
            self._afterwards.soon(self._look_again)

    def news(self, sent: SentPartition) -> None:
        self._contents.news[sent] = None
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
        parked, request = self._parked, self._request
        if parked is None or parked.done() or request is None:
            return
        answers = self._contents.read(request.bytes_max, with_news=with_news)
        if self._is_enough(answers):
            self._finish(answers)
        else:
            self._contents.put_back(answers)

    def _unparked(self, parked: LaterFetchReply) -> None:
        if parked.cancelled() and self._parked is parked:
            self._parked = None
            self._on_lost(self.broker_id)
            self._cancel_deadlines()

    def release(self) -> None:
        """Answer a parked fetch as it is: its time is over, or a newer one is here."""
        if self._parked is not None and not self._parked.done() and self._request is not None:
            self._finish(self._contents.read(self._request.bytes_max, with_news=True))

    def _finish(self, answers: Answers) -> None:
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
