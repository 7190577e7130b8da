"""A worker that reads, transforms and writes in transactions, and goes on through whatever happens to the broker."""

from __future__ import annotations

import random
import threading
from typing import Any

from confluent_kafka import Consumer, KafkaException, Message, Producer

BATCH_MAX = 20
ABORTED_IN = 10
"""One transaction in so many is aborted on purpose, after its records were written."""


def patient(bootstrap: str) -> dict[str, Any]:
    """Settings of a client that sits out a broker's restart, and looks for it often."""
    return {
        "bootstrap.servers": bootstrap,
        "reconnect.backoff.max.ms": 100,
        "retry.backoff.max.ms": 100,
        "log_level": 0,  # it would tell of every refused connection
    }


class Transformer:
    """Every input's value goes to both outputs, and the input's offset with them: all in one transaction or not at all.

    Two of these share a group; each has a transactional id of its own, which fences its former self.
    """

    def __init__(self, bootstrap: str, *, source: str, targets: tuple[str, str], group: str, name: str) -> None:
        self.failure: BaseException | None = None
        self.committed = self.aborted = 0
        self._bootstrap, self._group, self._name = bootstrap, group, name
        self._source, self._targets = source, targets
        self._random = random.Random(name)
        self._stopping = threading.Event()
        self._leave = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name)
        self._thread.start()

    def leave_and_join(self) -> None:
        """Leave the group and come back: the others rebalance twice."""
        self._leave.set()

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join()
        if self.failure is not None:
            raise self.failure

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                self._leave.clear()
                self._live()
        except BaseException as failure:  # told to the test, which would otherwise wait for outputs that never come
            self.failure = failure

    def _live(self) -> None:
        """One life of a consumer and its producer, until it leaves, stops, or a fatal error ends the producer."""
        consumer = Consumer(
            patient(self._bootstrap)
            | {
                "group.id": self._group,
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "session.timeout.ms": 6_000,
                "isolation.level": "read_committed",
            }
        )
        producer = Producer(
            patient(self._bootstrap)
            | {"transactional.id": f"{self._group}-{self._name}", "transaction.timeout.ms": 10_000}
        )
        try:
            if not self._begin(producer):
                return
            consumer.subscribe([self._source])
            while not self._stopping.is_set() and not self._leave.is_set():
                messages = [message for message in consumer.consume(BATCH_MAX, timeout=0.1) if message.error() is None]
                if messages and not self._transform(consumer, producer, messages):
                    return
        finally:
            consumer.close()

    def _begin(self, producer: Producer) -> bool:
        while not self._stopping.is_set():
            try:
                producer.init_transactions(5)
                return True
            except KafkaException as error:
                if not error.args[0].retriable():
                    return False
        return False

    def _transform(self, consumer: Consumer, producer: Producer, messages: list[Message]) -> bool:
        """Whether this life can go on."""
        try:
            producer.begin_transaction()
            for message in messages:
                for target in self._targets:
                    producer.produce(target, message.value(), partition=message.partition() or 0)
            if self._random.randrange(ABORTED_IN) == 0:
                producer.flush(1)  # some of it is in the log by then
                return self._give_up(consumer, producer)
            positions = [place for place in consumer.position(consumer.assignment()) if place.offset >= 0]
            producer.send_offsets_to_transaction(positions, consumer.consumer_group_metadata(), 5)
            return self._commit(consumer, producer)
        except KafkaException as error:
            return not error.args[0].fatal() and self._give_up(consumer, producer)

    def _commit(self, consumer: Consumer, producer: Producer) -> bool:
        while True:
            try:
                producer.commit_transaction(5)
                self.committed += 1
                return True
            except KafkaException as error:
                told = error.args[0]
                if told.retriable() and not told.txn_requires_abort():
                    continue  # asked again, the same commit goes on
                return not told.fatal() and self._give_up(consumer, producer)

    def _give_up(self, consumer: Consumer, producer: Producer) -> bool:
        """Abort, and read again from what is committed."""
        while True:
            try:
                producer.abort_transaction(5)
                break
            except KafkaException as error:
                if not error.args[0].retriable():
                    return False
        self.aborted += 1
        while not self._stopping.is_set():
            try:
                for position in consumer.committed(consumer.assignment(), timeout=5):
                    position.offset = max(position.offset, 0)
                    consumer.seek(position)
                return True
            except KafkaException as error:
                if not error.args[0].retriable():
                    return False
        return False
