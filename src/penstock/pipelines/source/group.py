"""A query's progress as a consumer group's offsets, so that lag tools see Spark like any other consumer.

Which group is the driver's to know where the options name one. Where they do not it is spark.<query name>, and Spark
tells a query's name to the tasks of its batches alone. So there the first task of a batch commits where the batch
began, which is what Spark has the driver's side do at that time, too.
"""

from __future__ import annotations

import re
import time
from dataclasses import replace

import structlog
from pyspark import TaskContext

from penstock.model import TopicPartition
from penstock.pipelines import kafka_names as kafka
from penstock.pipelines.kafka_names import Consumer, KafkaError, KafkaException
from penstock.pipelines.source.options import SourceOptions
from penstock.pipelines.source.positions import Offsets

_log = structlog.get_logger(__name__)

_TRY_FOR_S = 30.0
_PAUSE_S = 0.2
# Of a coordinator that was just elected, or of a cluster's first group: the client hands them on without trying again.
_NOT_YET = frozenset(
    {KafkaError.COORDINATOR_NOT_AVAILABLE, KafkaError.COORDINATOR_LOAD_IN_PROGRESS, KafkaError.NOT_COORDINATOR}
)
_given_up: set[str] = set()
"""Groups whose coordinator did not come in that time, in this process."""
_OF_A_BATCH = re.compile(r"(?P<name>.+)\nid = [0-9a-f-]{36}\nrunId = [0-9a-f-]{36}\nbatch = \d+")
"""How Spark describes the jobs of a query that has a name."""


def named_by_query(options: SourceOptions) -> SourceOptions:
    """In a task: the options with the group that they leave to the query's name, if it has one."""
    if options.group is not None:
        return options
    task = TaskContext.get()
    described = _OF_A_BATCH.fullmatch((task and task.getLocalProperty("spark.job.description")) or "")
    return options if described is None else replace(options, group=f"spark.{described['name']}")


def is_first_attempt() -> bool:
    """An attempt that was begun beside another may end long after its batch: it must not take the group back."""
    task = TaskContext.get()
    return task is None or task.attemptNumber() == 0


def commit(consumer: Consumer, group: str, offsets: Offsets) -> bool:
    """Without joining: the group stays empty, its offsets move. What fails is said and does not end the query, whose
    own checkpoint is what counts.
    """
    places = [kafka.TopicPartition(each.topic, each.partition, offset) for each, offset in offsets.items()]
    # Not given up at once: after a run's last batch nobody would commit it later. But waited for only once.
    deadline = time.monotonic() + (0 if group in _given_up else _TRY_FOR_S)
    while True:
        try:
            consumer.commit(offsets=places, asynchronous=False)
        except KafkaException as error:
            reason = error.args[0]
            if reason.code() in _NOT_YET and time.monotonic() < deadline:
                time.sleep(_PAUSE_S)
                continue
            _log.warning("progress not committed", group=group, reason=reason.str())
            _given_up.add(group)
            return False
        _given_up.discard(group)
        return True


class GroupProgress:
    """A group that the options name."""

    def __init__(self, options: SourceOptions) -> None:
        self._options = options
        self._consumer: Consumer | None = None
        self._committed: dict[TopicPartition, int] = {}

    def commit(self, offsets: Offsets) -> None:
        group = self._options.group
        moved = {each: offset for each, offset in offsets.items() if self._committed.get(each) != offset}
        if group and moved and commit(self._client(group), group, moved):
            self._committed.update(moved)

    def close(self) -> None:
        consumer, self._consumer = self._consumer, None
        if consumer is not None:
            consumer.close()

    def _client(self, group: str) -> Consumer:
        if self._consumer is None:
            settings = self._options.client_settings()
            self._consumer = Consumer({**settings, "group.id": group, "enable.auto.commit": False})
        return self._consumer
