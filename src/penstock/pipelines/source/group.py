"""A query's progress as a consumer group's offsets, so that lag tools see Spark like any other consumer."""

from __future__ import annotations

import structlog

from penstock.model import TopicPartition
from penstock.pipelines import kafka_names as kafka
from penstock.pipelines.kafka_names import Consumer, KafkaException
from penstock.pipelines.source.options import SourceOptions
from penstock.pipelines.source.positions import Offsets

_log = structlog.get_logger(__name__)


class GroupProgress:
    """Commits without joining: the group stays empty, its offsets move. What fails is said and does not end the query,
    whose own checkpoint is what counts."""

    def __init__(self, options: SourceOptions) -> None:
        self._options = options
        self._consumer: Consumer | None = None
        self._committed: dict[TopicPartition, int] = {}

    def commit(self, offsets: Offsets) -> None:
        group = self._options.group
        moved = {each: offset for each, offset in offsets.items() if self._committed.get(each) != offset}
        if group is None or not moved:
            return
        try:
            self._client(group).commit(
                offsets=[kafka.TopicPartition(each.topic, each.partition, offset) for each, offset in moved.items()],
                asynchronous=False,
            )
        except KafkaException as error:
            _log.warning("progress not committed", group=group, reason=error.args[0].str())
            return
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
