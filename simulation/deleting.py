"""A simulated cluster in which records are deleted: by DeleteRecords, and with them the segments that have no others.

    DeletingWorld(seed).run()

Logs are real, in files. So their starts move while brokers fail: segments go, in the middle of which a machine may lose
power; followers come back whose records the leader has no more, and begin anew where it begins; starts are told, kept
in checkpoints and notes, and believed. What was not to be deleted must be there (RULES 19), at whoever leads or counts.
"""

import asyncio
from contextlib import AbstractContextManager
from typing import Any
from unittest import mock

import msgspec

from penstock.errors import OffsetOutOfRange, Refusal
from penstock.model import TopicPartition
from penstock.replication import Partition
from penstock.replication.followed_partition import FollowedPartition
from penstock.replication.follower_log import FollowerLog
from penstock.replication.followers import Followers
from penstock.replication.following import Follower
from penstock.replication.replica_intake import ReplicaIntake
from penstock.wire.replica_fetch import FetchedPartition
from simulation.broker import BrokerProcess
from simulation.bugs import NO_BUG, Bug
from simulation.disk import Place
from simulation.world import World

EFFECTS = ("records deleted", "segments deleted", "begun anew behind deleted records")


class DeletingWorld(World):
    def __init__(self, seed: int, bugs: Bug = NO_BUG, *, is_told: bool = False) -> None:
        super().__init__(seed, bugs, is_told=is_told, has_files=True)
        self.has_transactions = self.commits_offsets = self.minimum_changes = False
        self.in_sync_least = 2
        self.members = []
        self.more_settings = {"log.retention.check.interval.ms": "400"}
        self._is_deleting = True

    def run(self) -> None:
        with mock.patch.object(FollowerLog, "start_anew", self._counted(FollowerLog.start_anew)):
            super().run()

    def _counted(self, start_anew: Any) -> Any:
        def counted(log: FollowerLog, offset: int) -> None:
            self.marks["begun anew behind deleted records"] += offset > 0
            start_anew(log, offset)

        return counted

    def _begin(self) -> None:
        super()._begin()
        self.loop.spawn(self._delete_now_and_then())

    def _settle(self) -> None:
        self._is_deleting = False
        super()._settle()
        for broker in self.brokers.values():
            for held in broker.machine.held.values():
                self.marks["segments deleted"] += held.begins > 0

    async def _delete_now_and_then(self) -> None:
        while self._is_deleting:
            await asyncio.sleep(0.2 + self.dice.random())
            self._delete(self.dice.choice(self.partitions), how_much=self.dice.choice((0.3, 0.8, 1.0)))

    def _delete(self, at: TopicPartition, *, how_much: float) -> None:
        topic = self.truth.topics.get(at.topic)
        image = None if topic is None else topic.partitions[at.partition]
        broker = None if image is None else self.brokers.get(image.leader)
        process = None if broker is None else broker.process
        if topic is None or process is None or process.is_paused or not process.is_serving:
            return
        where = Place(topic.topic_id, at)
        try:
            partition = process.find_by_id(where)
            before = partition.start_offset + int(how_much * (partition.high_watermark - partition.start_offset))
            start = process.context.copy().run(process.delete_records, where, before)
        except Refusal:
            return
        self.oracle.deleted(where, start)
        self.marks["records deleted"] += 1
        self.note(f"OPERATOR {process} deletes what is below {start} in {at}")

    def _is_all_the_same(self) -> bool:
        """No follower begins before its leader. It may begin later: a start that a crash took back at the leader is
        kept at others.
        """
        led = {place.topic_partition: place.start_offset for place in self._led()}
        starts = [(each.topic_partition, each) for process in self._processes() for each in process.watched]
        told = all(each.start_offset >= led.get(at, 0) for at, each in starts if isinstance(each.role, Follower))
        return super()._is_all_the_same() and told

    def _processes(self) -> list[BrokerProcess]:
        return [broker.process for broker in self.brokers.values() if broker.process is not None]


def begins_anew_at_the_leaders_end() -> AbstractContextManager[Any]:
    """A follower that has nothing of what its leader has begins behind all of it."""
    take_in = ReplicaIntake.take_in

    def taken_in(self: ReplicaIntake, place: FollowedPartition, answer: FetchedPartition) -> None:
        if answer.error_code == OffsetOutOfRange.code:
            end = max(answer.log_start_offset, answer.high_watermark, place.partition.log.end_offset)
            answer = msgspec.structs.replace(answer, log_start_offset=end)
        take_in(self, place, answer)

    return mock.patch.object(ReplicaIntake, "take_in", taken_in)


def deletes_what_is_not_replicated() -> AbstractContextManager[Any]:
    """A leader deletes all that it has, replicated or not."""
    cut = Partition.cut_beginning

    def cut_all(self: Partition, before: int) -> int:
        asked = cut(self, before)
        self.log.high_watermark = self.end_offset
        self.log.retention.advance_start(self.end_offset)
        return asked

    return mock.patch.object(Partition, "cut_beginning", cut_all)


def keeps_what_its_leader_has_deleted() -> AbstractContextManager[Any]:
    """A follower believes what lies below its leader's start, though it may never have been committed."""
    return mock.patch.object(FollowerLog, "is_unshared", lambda *_, **__: False)


def counts_what_it_cannot_compare() -> AbstractContextManager[Any]:
    """A leader counts a follower that has only records which are deleted here, of an epoch that is forgotten."""
    return mock.patch.object(Followers, "_cannot_compare", lambda *_: False)


BUGS: dict[str, Bug] = {
    "begins-anew-at-the-leaders-end": Bug(19, stands_in=begins_anew_at_the_leaders_end),
    "keeps-what-its-leader-has-deleted": Bug(27, stands_in=keeps_what_its_leader_has_deleted, seed=230),
    "counts-what-it-cannot-compare": Bug(27, stands_in=counts_what_it_cannot_compare, seed=1082),
    "deletes-what-is-not-replicated": Bug(19, stands_in=deletes_what_is_not_replicated),
}
