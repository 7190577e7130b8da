"""The partitions of one follower's fetch session: what the follower said of each, and what it is owed.

A partition is in one of these states: to be read, since the follower has named it or something was appended; waiting,
since it was sent something and has not been named again; with news, since its high watermark or start has moved; held
back by the throttle; or at rest. So an answer costs what has changed and no more.
"""

import asyncio

from penstock.cluster import ClusterImage
from penstock.errors import (
    NotLeaderOrFollower,
    UnknownTopicId,
    UnknownTopicOrPartition,
)
from penstock.replication.partition import Partition
from penstock.replication.partitions import Partitions
from penstock.replication.sent_partition import SentPartition, Session, refusal_of
from penstock.replication.throttle import PAUSE_S, Throttle
from penstock.wire.fetch import TOPIC_IDS_FROM, FetchPartition, FetchRequest, PartitionAnswer
from penstock.wire.produce import TopicKey

Place = tuple[TopicKey, int]
Answers = list[tuple[TopicKey, PartitionAnswer]]


class SessionPartitions:
    def __init__(self, session: Session, partitions: Partitions, image: ClusterImage, throttle: Throttle) -> None:
        self._session = session
        self._partitions = partitions
        self._image = image
        self._throttle = throttle
        self._sent: dict[Place, SentPartition] = {}
        self.to_read: dict[SentPartition, None] = {}
        self.news: dict[SentPartition, None] = {}
        self._held_back: dict[SentPartition, None] = {}
        self._was_full = False
        """Whether the last answer had no room for all that there was."""

    def __len__(self) -> int:
        return len(self._sent)

    def clear(self) -> None:
        for sent in self._sent.values():
            sent.leave()
        self._sent.clear()
        self.to_read.clear()
        self.news.clear()

    # What a request says ----------------------------------------------------------------------------------------

    def take_in(self, request: FetchRequest, version: int) -> Answers:
        """Take note of what the follower says of each partition it names; what cannot be answered for is returned."""
        unknown = []
        by_id = version >= TOPIC_IDS_FROM
        find = self._partitions.finder(by_id=by_id)
        for key, parts in request.topics:
            local = find(key)
            for asked in parts:
                partition = None if local is None else local.get(asked.index)
                if partition is None:
                    self._forget((key, asked.index))
                    unknown.append((key, self._unknown(key, asked.index, by_id)))
                else:
                    self._note(key, partition, asked, request.replica_epoch)
        for key, indexes in request.forgotten:
            for index in indexes:
                self._forget((key, index))
        return unknown

    def _note(self, key: TopicKey, partition: Partition, asked: FetchPartition, broker_epoch: int) -> None:
        sent = self._sent.get((key, asked.index))
        if sent is None or sent.partition is not partition:
            self._forget((key, asked.index))
            sent = self._sent[key, asked.index] = SentPartition(self._session, key, partition, asked)
        sent.asked = asked
        sent.is_waiting = False
        sent.refusal = sent.diverging = None
        sent.told_mark, sent.told_start = asked.high_watermark, asked.log_start_offset
        try:
            sent.diverging = partition.followers.fetched(self._session.broker_id, asked, broker_epoch=broker_epoch)
        except Exception as error:
            sent.refusal = refusal_of(partition, error)
        self.to_read[sent] = None

    def _forget(self, place: Place) -> None:
        gone = self._sent.pop(place, None)
        if gone is not None:
            gone.leave()
            self.to_read.pop(gone, None)
            self.news.pop(gone, None)

    def _unknown(self, key: TopicKey, index: int, by_id: bool) -> PartitionAnswer:
        if by_id and key not in self._image.topics_by_id:
            return PartitionAnswer(index, UnknownTopicId.code)
        if self._partitions.kept_elsewhere(key, index, by_id=by_id) is not None:
            return PartitionAnswer(index, NotLeaderOrFollower.code)
        return PartitionAnswer(index, UnknownTopicOrPartition.code)

    # What an answer holds ---------------------------------------------------------------------------------------

    def read(self, bytes_max: int, *, with_news: bool = False) -> Answers:
        answers: Answers = []
        left, slices_left = bytes_max, self._partitions.slices_max
        broker_id = self._session.broker_id
        to_read, self.to_read = self.to_read, {}
        in_turn = self._in_sync_early(to_read) if self._was_full and to_read else to_read
        self._was_full = False
        for sent in in_turn:
            if left <= 0 or not slices_left:
                self.to_read[sent] = None  # the first of the next answer
                self._was_full = True
                continue
            if broker_id not in sent.partition.in_sync and self._is_held_back(sent):
                continue
            answer = sent.read(min(sent.asked.bytes_max, left), at_least_one=left == bytes_max)
            if answer is None:
                if sent.has_records:
                    self.to_read[sent] = None  # too large for what is left of this answer
                    self._was_full = True
                elif sent.has_news:
                    self.news[sent] = None
                continue
            if answer.records is not None:
                left -= answer.records.size
                slices_left -= 1
                sent.partition.metrics.replicationbytesout += answer.records.size
                if broker_id not in sent.partition.in_sync:
                    self._count_against_throttle(sent, answer.records.size)
            answers.append((sent.key, answer))
        if in_turn is not to_read:  # whoever has waited longest is still the first
            self.to_read = {sent: None for sent in to_read if sent in self.to_read} | self.to_read
        if answers or with_news:
            answers += [(sent.key, sent.state()) for sent in self.news if sent.has_news]
            self.news.clear()
        return answers

    def put_back(self, answers: Answers) -> None:
        """Too little to answer with: the follower is owed it still."""
        for key, answer in answers:
            answer.records.release()
            sent = self._sent[key, answer.index]
            sent.is_waiting = False
            sent.partition.metrics.replicationbytesout -= answer.records.size
            self.to_read[sent] = None

    def _in_sync_early(self, to_read: dict[SentPartition, None]) -> list[SentPartition]:
        """Of more than one answer holds: after whoever has waited longest come those that the follower is in sync with,
        which producers wait for. Behind thousands of partitions that it catches up on it would fall out of sync.
        """
        broker_id = self._session.broker_id
        first, *others = to_read
        return [first, *sorted(others, key=lambda sent: broker_id not in sent.partition.in_sync)]

    # The throttle -----------------------------------------------------------------------------------------------

    def _is_held_back(self, sent: SentPartition) -> bool:
        """Whether a follower that catches up has used up what it may have, for now."""
        throttle = self._throttle
        if sent.refusal is not None or not throttle.concerns(sent.partition, self._session.broker_id):
            return False
        if not throttle.is_used_up():
            return False
        if not self._held_back:
            asyncio.get_running_loop().call_later(PAUSE_S, self._let_go)
        self._held_back[sent] = None
        return True

    def _count_against_throttle(self, sent: SentPartition, size: int) -> None:
        if self._throttle.concerns(sent.partition, self._session.broker_id):
            self._throttle.use(size)

    def _let_go(self) -> None:
        held_back, self._held_back = self._held_back, {}
        for sent in held_back:
            if self._sent.get((sent.key, sent.asked.index)) is sent:
                sent.end_moved()  # unless it was sent meanwhile
