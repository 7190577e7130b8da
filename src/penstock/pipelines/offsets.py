"""Asking a cluster for offsets: librdkafka's admin client needs help when leaders change."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any

from penstock.pipelines.kafka_names import (
    AdminClient,
    IsolationLevel,
    KafkaError,
    KafkaException,
    OffsetSpec,
    TopicPartition,
)
from penstock.pipelines.transient_errors import passes

_UNSAID = -1001
"""librdkafka's word for no offset: what it answers, without an error, for a leader that went away meanwhile."""


def listed_offsets(
    admin: AdminClient, asked: Mapping[TopicPartition, OffsetSpec], *, read_committed: bool, timeout_s: float
) -> dict[TopicPartition, int | KafkaException]:
    """An offset of each partition, or why not.

    The client asks whom it believes to lead, under the epoch that it believes in, and does not look anew when it is
    told that it is wrong, not in minutes: so we do, for whoever asks again.
    """
    level = IsolationLevel.READ_COMMITTED if read_committed else IsolationLevel.READ_UNCOMMITTED
    answers = admin.list_offsets(dict(asked), isolation_level=level, request_timeout=timeout_s)
    found = {place: _answer(future, timeout_s) for place, future in answers.items()}
    if any(isinstance(answer, KafkaException) and passes(answer.args[0]) for answer in found.values()):
        try:
            # Of all topics: asked by name, a topic that was deleted would be made anew (auto.create.topics.enable).
            admin.list_topics(timeout=timeout_s)
        except KafkaException:
            pass  # then whoever asks again is told so
    return found


def _answer(future: Future[Any], timeout_s: float) -> int | KafkaException:
    try:
        offset = int(future.result(timeout=timeout_s + 5).offset)
    except FutureTimeout:
        return KafkaException(KafkaError(KafkaError._TIMED_OUT))
    except KafkaException as error:
        # "No leaders found", while a cluster is just starting.
        nobody = error.args[0].code() == KafkaError._NOENT
        return KafkaException(KafkaError(KafkaError.LEADER_NOT_AVAILABLE)) if nobody else error
    return KafkaException(KafkaError(KafkaError._TRANSPORT)) if offset == _UNSAID else offset
