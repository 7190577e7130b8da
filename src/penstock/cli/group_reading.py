"""Reads a topic as a member of a group, and commits what was printed, after it was printed: at least once."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from penstock.cli.client import Cluster
from penstock.cli.exits import Failure, Unreachable
from penstock.cli.librdkafka import Consumer, KafkaError, KafkaException, Message, TopicPartition, failure
from penstock.cli.output import note
from penstock.cli.reading import poll, printed_record
from penstock.cli.records import PrintedRecord

COMMIT_EVERY_S = 1.0
JOIN_S = 60.0
"""How long to wait for a share. A rebalance waits for members that died, as long as their sessions last."""

_SHARE_IS_ANOTHERS = frozenset(
    {
        KafkaError.REBALANCE_IN_PROGRESS,
        KafkaError.ILLEGAL_GENERATION,
        KafkaError.UNKNOWN_MEMBER_ID,
        KafkaError._ASSIGNMENT_LOST,
    }
)


@dataclass
class GroupReader:
    consumer: Consumer
    cluster: Cluster
    topic: str
    group: str
    ends: dict[int, int]
    """Where each partition ended when reading began."""

    _share: set[int] | None = None
    """Partitions given to this member; None until the group has decided."""
    _finished: set[int] = field(default_factory=set)
    _reached: dict[int, int] = field(default_factory=dict)
    """Ends that were come upon in the records not yet said to be written: offsets there may hold no record."""
    _uncommitted: dict[int, int] = field(default_factory=dict)
    _committed_at: float = field(default_factory=time.monotonic)

    def read(self, *, follow: bool) -> Iterator[list[PrintedRecord]]:
        """Records of this member's share as they come; ends at the partitions' ends unless it shall follow.

        Call `wrote` with what was written of each list before asking for the next.
        """
        self.consumer.subscribe(
            [self.topic], on_assign=self._on_assign, on_revoke=self._on_revoke, on_lost=self._on_lost
        )
        progressed = time.monotonic()
        while follow or self._share is None or self._share - self._finished:
            messages = poll(self.consumer)
            yield self._take(messages, follow=follow)
            now = time.monotonic()
            if now - self._committed_at > COMMIT_EVERY_S:
                self.commit()
            if messages:
                progressed = now
            elif not follow:
                self._check_patience(now - progressed)
        if not self._share:
            note(f"other members of {self.group} read all partitions of {self.topic}")

    def _take(self, messages: list[Message], *, follow: bool) -> list[PrintedRecord]:
        records = []
        for message in messages:
            error = message.error()
            if error is None:
                record = printed_record(message)
                end = self.ends.get(record.partition, 0)
                if follow or record.offset < end:
                    records.append(record)
                if record.offset >= end - 1:
                    self._finished.add(record.partition)
            elif error.code() == KafkaError._PARTITION_EOF:
                index, offset = message.partition() or 0, message.offset() or 0
                end = self.ends.get(index, 0)
                if offset >= end:  # a leader that has just taken over may call an earlier place its end
                    self._finished.add(index)
                self._reached[index] = offset if follow else min(offset, end)
            else:
                raise failure(error, self.cluster, doing=f"read {self.topic} in group {self.group}")
        return records

    def wrote(self, records: list[PrintedRecord], *, is_all: bool) -> None:
        for record in records:
            self._uncommitted[record.partition] = record.offset + 1
        if is_all:
            for index, offset in self._reached.items():
                self._uncommitted[index] = max(offset, self._uncommitted.get(index, 0))
        self._reached.clear()

    def commit(self) -> None:
        self._committed_at = time.monotonic()
        offsets = [TopicPartition(self.topic, index, offset) for index, offset in self._uncommitted.items()]
        self._uncommitted.clear()
        if not offsets:
            return
        try:
            self.consumer.commit(offsets=offsets, asynchronous=False)
        except KafkaException as error:
            if error.args[0].code() not in _SHARE_IS_ANOTHERS:
                raise failure(error.args[0], self.cluster, doing=f"commit for {self.group}") from error
            note(f"{self.group} shared out anew before the last commit: some records may be read again by others")

    def _check_patience(self, waited_s: float) -> None:
        if self._share is None and waited_s > max(JOIN_S, self.cluster.timeout_s):
            raise Failure(
                f"could not join {self.group}: no share of {self.topic} within {waited_s:.0f} s",
                hint=f"`penstock group describe {self.group}` shows its state and members.",
            )
        if self._share is not None and waited_s > self.cluster.timeout_s:
            missing = ", ".join(f"{self.topic}-{index}" for index in sorted(self._share - self._finished))
            raise Unreachable(
                f"could not read to the end in group {self.group}: nothing came from {missing} for {waited_s:.0f} s",
                hint=self.cluster.silence_advice(),
            )

    # Called by the library, from within poll.

    def _on_assign(self, _: Consumer, places: list[TopicPartition]) -> None:
        mine = {place.partition for place in places}
        self._share = (self._share or set()) | mine
        # Others may have left it half read.
        self._finished -= mine

    def _on_revoke(self, _: Consumer, places: list[TopicPartition]) -> None:
        self.commit()
        self._give_up(places)

    def _on_lost(self, _: Consumer, places: list[TopicPartition]) -> None:
        for place in places:
            self._uncommitted.pop(place.partition, None)
        self._give_up(places)

    def _give_up(self, places: list[TopicPartition]) -> None:
        # None until shared out anew: a member with nothing for a moment is not one that is done.
        self._share = (self._share or set()) - {place.partition for place in places} or None
