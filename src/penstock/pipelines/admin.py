"""What source, sink and jobs ask a cluster and have it make: librdkafka's admin client, on the driver.

Whatever goes wrong is a KafkaException, a time that is over too. What it means to who asked is theirs to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any, NamedTuple

from confluent_kafka.admin._config import ConfigResource, ConfigSource
from confluent_kafka.admin._resource import ResourceType

from penstock.pipelines.kafka_names import (
    AdminClient,
    IsolationLevel,
    KafkaError,
    KafkaException,
    NewTopic,
    OffsetSpec,
    TopicCollection,
    TopicPartition,
)
from penstock.pipelines.transient_errors import NOT_THERE, passes

EARLIEST, LATEST = OffsetSpec.earliest(), OffsetSpec.latest()  # type: ignore[no-untyped-call]
_BEYOND_S = 5
"""The client gives up by itself; this is for one that does not."""
_UNSAID = -1001
"""librdkafka's word for no offset: what it answers, without an error, for a leader that went away meanwhile."""


class TopicFacts(NamedTuple):
    topic_id: str
    partitions: int


class Admin:
    def __init__(self, settings: Mapping[str, Any], *, answer_s: float) -> None:
        self._client = AdminClient(dict(settings))
        self._answer_s = answer_s

    def cluster_id(self) -> str:
        return str(self._wait(self._client.describe_cluster(request_timeout=self._answer_s)).cluster_id or "")

    def every_partition(self) -> Iterable[TopicPartition]:
        topics = self._client.list_topics(timeout=self._answer_s).topics
        return (TopicPartition(name, index) for name, topic in topics.items() for index in topic.partitions)

    def topics(self, names: Sequence[str]) -> dict[str, TopicFacts | None]:
        """None for one that is not there."""
        answers = self._client.describe_topics(TopicCollection(list(names)), request_timeout=self._answer_s)
        return {name: self._facts(answer) for name, answer in answers.items()}

    def _facts(self, answer: Future[Any]) -> TopicFacts | None:
        try:
            topic = self._wait(answer)
        except KafkaException as error:
            if error.args[0].code() in NOT_THERE:
                return None
            raise
        return TopicFacts(str(topic.topic_id or ""), len(topic.partitions))

    def offsets(
        self, partitions: Iterable[TopicPartition], spec: OffsetSpec, *, read_committed: bool
    ) -> dict[TopicPartition, int | None]:
        """An offset of each partition; None of one that is not there.

        The client asks whom it believes to lead, under the epoch that it believes in, and does not look anew when it
        is told that it is wrong, not in minutes: so we do, for whoever asks again.
        """
        level = IsolationLevel.READ_COMMITTED if read_committed else IsolationLevel.READ_UNCOMMITTED
        asked = dict.fromkeys(partitions, spec)
        answers = self._client.list_offsets(asked, isolation_level=level, request_timeout=self._answer_s)
        try:
            return {place: self._offset(answer) for place, answer in answers.items()}
        except KafkaException as error:
            if passes(error.args[0]):
                self._look_anew()
            raise

    def _offset(self, answer: Future[Any]) -> int | None:
        try:
            offset = int(self._wait(answer).offset)
        except KafkaException as error:
            if error.args[0].code() in NOT_THERE:
                return None
            if error.args[0].code() == KafkaError._NOENT:  # "No leaders found", while a cluster is just starting
                raise KafkaException(KafkaError(KafkaError.LEADER_NOT_AVAILABLE)) from error
            raise
        if offset == _UNSAID:
            raise KafkaException(KafkaError(KafkaError._TRANSPORT))
        return offset

    def _look_anew(self) -> None:
        try:
            # Of all topics: asked by name, a topic that was deleted would be made anew (auto.create.topics.enable).
            self._client.list_topics(timeout=self._answer_s)
        except KafkaException:
            pass  # then whoever asks again is told so

    def number(self, names: Iterable[str], setting: str) -> list[int]:
        """A setting of some topics."""
        return [int(entries[setting].value) for entries in self._settings(names)]

    def own_settings(self, name: str) -> dict[str, str]:
        """What was set for this very topic."""
        (entries,) = self._settings([name])
        return {
            key: entry.value
            for key, entry in entries.items()
            if entry.source == ConfigSource.DYNAMIC_TOPIC_CONFIG.value and entry.value is not None
        }

    def _settings(self, names: Iterable[str]) -> list[Any]:
        wanted = [ConfigResource(ResourceType.TOPIC, name) for name in names]
        answers = self._client.describe_configs(wanted, request_timeout=self._answer_s)
        return [self._wait(answer) for answer in answers.values()]

    def create(self, name: str, *, partitions: int, config: dict[str, str]) -> None:
        """Unless it is there."""
        made = self._client.create_topics(
            [NewTopic(name, num_partitions=partitions, replication_factor=-1, config=config)],
            operation_timeout=self._answer_s,
            request_timeout=self._answer_s * 2,
        )
        try:
            self._wait(made[name], within_s=self._answer_s * 2)
        except KafkaException as error:
            if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                raise

    def _wait(self, answer: Future[Any], *, within_s: float | None = None) -> Any:
        try:
            return answer.result(timeout=(within_s or self._answer_s) + _BEYOND_S)
        except FutureTimeout as error:
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT)) from error
