"""What the driver asks: which partitions there are, what they hold, where a time is in them, how large records are."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from penstock.model import PartitionIndex, TopicPartition
from penstock.pipelines import admin
from penstock.pipelines import kafka_names as kafka
from penstock.pipelines.admin import Admin
from penstock.pipelines.kafka_names import Consumer, OffsetSpec
from penstock.pipelines.problems import Kind, PipelineProblem
from penstock.pipelines.source.columns import header_pairs
from penstock.pipelines.source.options import EARLIEST, LATEST, Place, SourceOptions
from penstock.pipelines.source.planning import Log
from penstock.pipelines.source.reading import consumer_settings
from penstock.pipelines.transient_errors import passes, patiently

SAMPLE_RECORDS = 200
ASK_S = 10.0
_T = TypeVar("_T")


class Cluster:
    """Answers, or waits until the cluster is back (brokerWaitMs), or says what is the matter."""

    def __init__(self, options: SourceOptions) -> None:
        self._options = options
        self._admin: Admin | None = None
        self._consumer: Consumer | None = None

    def close(self) -> None:
        consumer, self._consumer = self._consumer, None
        if consumer is not None:
            consumer.close()

    def partitions(self) -> list[TopicPartition]:
        """Of the topics that the options name and that exist; which of them do not, `missing` says."""
        found = self._ask(self._every_partition)
        if self._options.assigned:
            wanted = set(self._options.assigned)
            return [each for each in found if each in wanted]
        if self._options.pattern is not None:
            pattern = re.compile(self._options.pattern)
            return [each for each in found if pattern.fullmatch(each.topic)]
        topics = set(self._options.topics)
        return [each for each in found if each.topic in topics]

    def require(self, partitions: Iterable[TopicPartition]) -> None:
        """A query that begins with a topic that is not there is a misspelt one."""
        there = set(partitions)
        absent = [str(each) for each in self._options.assigned if each not in there]
        absent += [topic for topic in self._options.topics if topic not in {each.topic for each in there}]
        if absent:
            raise PipelineProblem(
                f"there is no {', '.join(absent)} at {self._options.bootstrap}",
                hint=f"`penstock topic list -b {self._options.bootstrap}` shows what exists.",
                kind=Kind.MISSING,
            )
        if not there:
            raise PipelineProblem(
                f"no topic at {self._options.bootstrap} fits {self._options.pattern!r}", kind=Kind.MISSING
            )

    def ids(self, partitions: Iterable[TopicPartition]) -> dict[str, str]:
        """The topics' ids, of those that have one."""
        topics = sorted({each.topic for each in partitions})
        if not topics:
            return {}

        facts = self._ask(lambda: self._admin_client().topics(topics))
        return {topic: found.topic_id for topic, found in facts.items() if found is not None}

    def logs(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, Log]:
        wanted = list(partitions)
        starts = self._offsets(wanted, admin.EARLIEST)
        ends = self._offsets(wanted, admin.LATEST)
        return {each: Log(starts[each], ends[each]) for each in wanted if each in starts and each in ends}

    def placed(self, place: Place, logs: Mapping[TopicPartition, Log]) -> dict[TopicPartition, int]:
        """Offsets for a place, of every partition."""
        at_time: Mapping[TopicPartition, int] = {}
        if place.time_ms is not None:
            at_time = self._offsets(list(logs), OffsetSpec.for_timestamp(max(place.time_ms, 0)))
        found = {}
        for each, log in logs.items():
            ends = {EARLIEST: log.start, LATEST: log.end}
            named = log.start if place.named == "earliest" else log.end
            if place.time_ms is not None:
                offset = at_time.get(each, -1)
                found[each] = offset if offset >= 0 else log.end  # no record is that late
            else:
                chosen = place.offsets.get(each, named)
                found[each] = ends.get(chosen, chosen)
        return found

    def record_bytes(self, starts: Mapping[TopicPartition, int]) -> dict[TopicPartition, float]:
        """The mean size of the first records from each offset: key, value and headers. Nothing for an empty range."""
        found = {}
        for each, start in starts.items():
            sizes = self._sample(each, start)
            if sizes:
                found[each] = sum(sizes) / len(sizes)
        return found

    def _sample(self, partition: TopicPartition, start: int) -> list[int]:
        if self._consumer is None:
            self._consumer = Consumer(consumer_settings(self._options))
        self._consumer.assign([kafka.TopicPartition(partition.topic, partition.partition, start)])
        sizes: list[int] = []
        # For as long as any other question: a cluster that is slow to answer does not make records small.
        deadline = time.monotonic() + self._options.broker_wait_ms / 1000
        while not sizes and time.monotonic() < deadline:
            for record in self._consumer.consume(SAMPLE_RECORDS, 0.2):
                error = record.error()
                if error is None:
                    sizes.append(_size_of(record))
                elif not passes(error):
                    return sizes  # the end, or an error that the reading itself will meet and name
        return sizes

    def _every_partition(self) -> list[TopicPartition]:
        return sorted(
            TopicPartition(each.topic, PartitionIndex(each.partition))
            for each in self._admin_client().every_partition()
        )

    def _offsets(self, partitions: list[TopicPartition], spec: OffsetSpec) -> dict[TopicPartition, int]:
        """One kind of offset of many partitions; those that are gone are left out."""
        if not partitions:
            return {}

        asked = [kafka.TopicPartition(each.topic, each.partition) for each in partitions]
        read_committed = self._options.read_committed
        found = self._ask(lambda: self._admin_client().offsets(asked, spec, read_committed=read_committed))
        return {
            TopicPartition(each.topic, PartitionIndex(each.partition)): offset
            for each, offset in found.items()
            if offset is not None
        }

    def _admin_client(self) -> Admin:
        if self._admin is None:
            self._admin = Admin(self._options.client_settings(), answer_s=ASK_S)
        return self._admin

    def _ask(self, question: Callable[[], _T]) -> _T:
        return patiently(
            question,
            bootstrap=self._options.bootstrap,
            wait_s=self._options.broker_wait_ms / 1000,
            hint="Is a broker running there? brokerWaitMs is how long to wait for one to come back.",
        )


def _size_of(record: kafka.Message) -> int:
    return (
        len(record.value() or b"")
        + len(record.key() or b"")
        + sum(len(name) + len(value or b"") for name, value in header_pairs(record))
    )
