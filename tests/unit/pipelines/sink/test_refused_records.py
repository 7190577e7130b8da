"""Why a transaction broke: the record that was refused is named, also where librdkafka reports it after the fact.

A stand-in for the client, as nobody can make the real one be late: it marks a transaction as broken before the report
of the record that broke it is there to be taken.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException

from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.sink import SinkOptions, transactions
from penstock.pipelines.sink.transactions import TransactionalProducer


class LateProducer:
    def __init__(self, _settings: dict[str, Any]) -> None:
        self._report: Callable[[], None] | None = None

    def list_topics(self, *_args: Any, **_more: Any) -> None: ...
    def init_transactions(self, _timeout_s: float) -> None: ...
    def begin_transaction(self) -> None: ...

    def produce(self, topic: str, *, on_delivery: Any, **_more: Any) -> None:
        if self._report is not None:
            raise KafkaException(KafkaError(KafkaError._STATE))
        message = SimpleNamespace(topic=lambda: topic, partition=lambda: 2, key=lambda: b"k", value=lambda: b"v" * 10)
        on_delivery(KafkaError(KafkaError._PURGE_QUEUE), message)  # of another record, which comes first
        self._report = lambda: on_delivery(KafkaError(KafkaError.MSG_SIZE_TOO_LARGE), message)

    def poll(self, _timeout_s: float) -> None:
        if self._report is not None:
            self._report()

    def commit_transaction(self, _timeout_s: float) -> None:
        raise KafkaException(KafkaError(KafkaError._STATE))


@pytest.fixture
def producer(monkeypatch: pytest.MonkeyPatch) -> TransactionalProducer:
    monkeypatch.setattr(transactions, "Producer", LateProducer)
    made = TransactionalProducer(SinkOptions("127.0.0.1:1", ("orders",)), "t")
    made.begin()
    made.send("orders", 2, key=b"k", value=b"v", timestamp_ms=None)
    return made


def test_a_record_that_is_refused_while_others_are_sent_is_named(producer: TransactionalProducer) -> None:
    with pytest.raises(PipelineProblem, match="key b'k' and 10 bytes of value for orders/2 is larger than the topic"):
        producer.send("orders", 2, key=b"l", value=b"v", timestamp_ms=None)


def test_a_record_that_is_refused_at_the_end_is_named(producer: TransactionalProducer) -> None:
    with pytest.raises(PipelineProblem, match="orders/2 is larger than the topic allows"):
        producer.commit()
