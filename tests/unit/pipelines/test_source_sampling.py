"""How large records are: found out by a sample, for which a cluster that is slow is waited as for anything else."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from penstock.model import PartitionIndex, TopicPartition
from penstock.pipelines.kafka_names import KafkaError
from penstock.pipelines.source import cluster as source_cluster
from penstock.pipelines.source.cluster import Cluster
from penstock.pipelines.source.options import SourceOptions

ORDERS = TopicPartition("orders", PartitionIndex(0))


def record(size: int) -> Any:
    return SimpleNamespace(error=lambda: None, value=lambda: bytes(size), key=lambda: None, headers=lambda: None)


def event(code: int) -> Any:
    return SimpleNamespace(error=lambda: KafkaError(code))


class Answers:
    """A consumer that is given something after so many questions, each of which takes a second."""

    def __init__(self, *given: Sequence[Any]) -> None:
        self._given = list(given)
        self.now = 0.0

    def assign(self, _: object) -> None: ...

    def consume(self, *_: object) -> Sequence[Any]:
        self.now += 1
        return self._given.pop(0) if self._given else ()


def sampled(monkeypatch: pytest.MonkeyPatch, answers: Answers, *, broker_wait_ms: int = 60_000) -> dict[Any, float]:
    monkeypatch.setattr(source_cluster, "Consumer", lambda _: answers)
    monkeypatch.setattr(source_cluster, "time", SimpleNamespace(monotonic=lambda: answers.now))
    return Cluster(SourceOptions("h:1", ("orders",), broker_wait_ms=broker_wait_ms)).record_bytes({ORDERS: 0})


def test_records_of_a_cluster_that_stands_still_for_a_while_are_not_taken_for_small(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    still: list[Sequence[Any]] = [()] * 20
    assert sampled(monkeypatch, Answers(*still, [record(1_000), record(2_000)])) == {ORDERS: 1_500}


def test_nor_are_those_of_one_whose_connection_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = [event(KafkaError._TRANSPORT), event(KafkaError._ALL_BROKERS_DOWN)]
    assert sampled(monkeypatch, Answers(broken, [record(1_000)])) == {ORDERS: 1_000}


@pytest.mark.parametrize("code", [KafkaError._PARTITION_EOF, KafkaError.UNKNOWN_TOPIC_OR_PART])
def test_where_nothing_is_to_come_nothing_is_waited_for(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    answers = Answers([event(code)])
    assert sampled(monkeypatch, answers) == {} and answers.now == 1


def test_a_cluster_that_stays_away_is_left_to_the_reading_to_name(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = Answers()
    assert sampled(monkeypatch, answers, broker_wait_ms=5_000) == {} and answers.now == 5
