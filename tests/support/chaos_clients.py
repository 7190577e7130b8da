"""Clients that go on through everything and write down what they did and saw: librdkafka's and aiokafka's.

Each runs in a thread of its own from `start` to `stop` and is never restarted. `trouble` is what no client survives: a
fatal error, or its thread's end.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, ConsumerRebalanceListener
from aiokafka.errors import KafkaError as AiokafkaError
from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition
from tests.support.chaos_login import OPEN, Login, is_refusal
from tests.support.history import UNTOLD, Ack, Consuming, Producing, Seen

TIMEOUT_MS = 3_000
"""Of one request: a broker that hangs, or is cut off, is given up after that; the record itself is not."""
DELIVERY_TIMEOUT_MS = 300_000
UNACKNOWLEDGED_MAX = 2_000
"""Records under way at which a producer stops sending: what nobody acknowledges is not to grow without end."""
FLUSH_S = 120.0
CLOSE_S = 20.0


class Client(ABC):
    def __init__(self, name: str, bootstrap: str, topic: str, *, login: Login = OPEN) -> None:
        self.name = name
        self.login = login
        self.bootstrap = bootstrap
        self.topic = topic
        self.trouble: list[str] = []
        self.notes: dict[str, int] = {}
        """Errors that it went on after, and how often."""
        self.is_stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self.is_stopping.set()
        self._thread.join(FLUSH_S + 30)
        if self._thread.is_alive():
            self.trouble.append("does not end")

    def note(self, what: object) -> None:
        if is_refusal(str(what)):
            self.trouble.append(f"kept out: {what}")
        self.notes[str(what)] = self.notes.get(str(what), 0) + 1

    def _on_error(self, error: KafkaError) -> None:
        """Of librdkafka."""
        self.note(error.name())
        if is_refusal(error.str()):
            self.trouble.append(f"kept out: {error.str()}")
        if error.fatal():
            self.trouble.append(f"fatal: {error.str()}")

    def _run(self) -> None:
        try:
            self.work()
        except Exception as failure:  # whatever it is, the run fails with it
            self.trouble.append(f"{type(failure).__name__}: {failure}")

    @abstractmethod
    def work(self) -> None: ...

    @property
    @abstractmethod
    def progress(self) -> int:
        """What grows for as long as it is served."""


class WritingClient(Client):
    def __init__(
        self, name: str, bootstrap: str, topic: str, *, partitions: int, per_s: float, login: Login = OPEN
    ) -> None:
        super().__init__(name, bootstrap, topic, login=login)
        self.did = Producing(name)
        self.partitions = partitions
        self.every_s = 1 / per_s
        self.acked_at_s: list[float] = []

    @property
    def progress(self) -> int:
        return len(self.did.acks)

    def acked(self, ack: Ack) -> None:
        self.did.acks.append(ack)
        self.acked_at_s.append(time.monotonic())

    @property
    def unacknowledged(self) -> int:
        return self.did.sent - len(self.did.acks) - len(self.did.failed)


class ReadingClient(Client):
    def __init__(self, name: str, bootstrap: str, topic: str, *, login: Login = OPEN) -> None:
        super().__init__(name, bootstrap, topic, login=login)
        self.did = Consuming(name)
        self.run_number = 0
        self.positions: dict[int, int] = {}
        """The offset after the last one read, by partition."""

    @property
    def progress(self) -> int:
        return len(self.did.seen)

    def saw(self, partition: int, offset: int, value: bytes | None) -> None:
        self.did.seen.append(Seen(partition, offset, (value or b"").decode(), self.run_number))
        self.positions[partition] = offset + 1


# librdkafka -------------------------------------------------------------------------------------------------------


class ConfluentProducer(WritingClient):
    def work(self) -> None:
        producer = Producer(
            {
                **self.login.librdkafka,
                "bootstrap.servers": self.bootstrap,
                "enable.idempotence": True,
                "acks": "all",
                "linger.ms": 2,
                "request.timeout.ms": TIMEOUT_MS,
                "socket.timeout.ms": TIMEOUT_MS,
                "delivery.timeout.ms": DELIVERY_TIMEOUT_MS,
                "log_level": 0,
                "error_cb": self._on_error,
            }
        )
        due = time.monotonic()
        while not self.is_stopping.is_set():
            due = max(due + self.every_s, time.monotonic() - 0.1)
            if self.unacknowledged < UNACKNOWLEDGED_MAX:
                self._send(producer)
            producer.poll(max(0.0, due - time.monotonic()))
        if left := producer.flush(FLUSH_S):
            self.trouble.append(f"{left} records were still under way after {FLUSH_S:g} s")

    def _send(self, producer: Producer) -> None:
        sequence = self.did.sent
        self.did.sent += 1

        def delivered(error: KafkaError | None, message: Message) -> None:
            if error is not None:
                self.did.failed.append((sequence, str(error)))
            else:
                offset = message.offset()
                self.acked(Ack(sequence, message.partition() or 0, UNTOLD if offset is None else offset))
                if offset is None:
                    self.note("acknowledged as there already")

        value = self.did.value(sequence)
        producer.produce(self.topic, value, partition=sequence % self.partitions, on_delivery=delivered)


class ConfluentReader(ReadingClient):
    """`group`: takes part in one, and goes on where that has committed; else it reads all partitions by itself."""

    def __init__(
        self,
        name: str,
        bootstrap: str,
        topic: str,
        *,
        partitions: int,
        group: str | None = None,
        login: Login = OPEN,
    ) -> None:
        super().__init__(name, bootstrap, topic, login=login)
        self._partitions = partitions
        self._group = group

    def work(self) -> None:
        consumer = Consumer(
            {
                **self.login.librdkafka,
                "bootstrap.servers": self.bootstrap,
                "group.id": self._group or self.name,
                "auto.offset.reset": "earliest",
                "auto.commit.interval.ms": 1_000,
                "enable.auto.commit": self._group is not None,
                "session.timeout.ms": 10_000,
                "socket.timeout.ms": TIMEOUT_MS,
                "log_level": 0,
                "error_cb": self._on_error,
            }
        )
        if self._group is None:
            consumer.assign([TopicPartition(self.topic, index, 0) for index in range(self._partitions)])
        else:
            consumer.subscribe([self.topic], on_assign=self._on_assign)
        while not self.is_stopping.is_set():
            message = consumer.poll(0.2)
            if message is None:
                continue
            error = message.error()
            if error is None:
                self.saw(message.partition() or 0, message.offset() or 0, message.value())
                continue
            self._on_error(error)
        consumer.close()

    def _on_assign(self, _consumer: Consumer, _partitions: list[TopicPartition]) -> None:
        self.run_number += 1


# aiokafka ---------------------------------------------------------------------------------------------------------


class AiokafkaProducer(WritingClient):
    def work(self) -> None:
        asyncio.run(self._produce())

    async def _produce(self) -> None:
        producer = AIOKafkaProducer(
            **self.login.aiokafka,
            bootstrap_servers=self.bootstrap.split(","),
            enable_idempotence=True,
            linger_ms=5,
            metadata_max_age_ms=5_000,
            request_timeout_ms=DELIVERY_TIMEOUT_MS,  # which is also how long a record may wait
        )
        await producer.start()
        waiting: set[asyncio.Task[None]] = set()
        try:
            while not self.is_stopping.is_set():
                if self.unacknowledged < UNACKNOWLEDGED_MAX:
                    sequence = self.did.sent
                    self.did.sent += 1
                    future = await producer.send(
                        self.topic, self.did.value(sequence).encode(), partition=sequence % self.partitions
                    )
                    task = asyncio.ensure_future(self._delivered(sequence, future))
                    waiting.add(task)
                    task.add_done_callback(waiting.discard)
                await asyncio.sleep(self.every_s)
            async with asyncio.timeout(FLUSH_S):
                await asyncio.gather(*waiting)
        finally:
            await producer.stop()

    async def _delivered(self, sequence: int, future: Any) -> None:
        try:
            sent = await future
        except Exception as failure:  # one of aiokafka's many
            self.note(type(failure).__name__)
            self.did.failed.append((sequence, str(failure)))
        else:
            self.acked(Ack(sequence, sent.partition, sent.offset))


class _Listener(ConsumerRebalanceListener):  # type: ignore[misc]
    def __init__(self, reader: ReadingClient) -> None:
        self._reader = reader

    def on_partitions_revoked(self, revoked: Sequence[Any]) -> None:
        pass

    def on_partitions_assigned(self, assigned: Sequence[Any]) -> None:
        self._reader.run_number += 1


class _OutOfRange(logging.Handler):
    """Notes that a consumer was told that its offset is not there, which makes it begin anew: nobody should be."""

    def __init__(self, reader: ReadingClient) -> None:
        super().__init__(logging.INFO)
        self._reader = reader

    def emit(self, record: logging.LogRecord) -> None:
        if "out of range" in record.msg:
            self._reader.note(f"{datetime.now(UTC):%H:%M:%S.%f} {record.getMessage()}")


class AiokafkaReader(ReadingClient):
    def work(self) -> None:
        logger, handler = logging.getLogger("aiokafka.consumer.fetcher"), _OutOfRange(self)
        logger.setLevel(logging.INFO)
        logger.addHandler(handler)
        try:
            asyncio.run(self._consume())
        finally:
            logger.removeHandler(handler)

    async def _consume(self) -> None:
        consumer = AIOKafkaConsumer(
            **self.login.aiokafka,
            bootstrap_servers=self.bootstrap.split(","),
            group_id=self.name,
            auto_offset_reset="earliest",
            auto_commit_interval_ms=1_000,
            metadata_max_age_ms=5_000,
            request_timeout_ms=TIMEOUT_MS + 2_000,
        )
        consumer.subscribe([self.topic], listener=_Listener(self))
        await consumer.start()
        try:
            while not self.is_stopping.is_set():
                try:
                    fetched = await consumer.getmany(timeout_ms=200)
                except Exception as failure:
                    self.note(type(failure).__name__)
                    continue
                for partition, records in fetched.items():
                    for record in records:
                        self.saw(partition.partition, record.offset, record.value)
            await self._commit(consumer)
        finally:
            await self._close(consumer)

    async def _commit(self, consumer: AIOKafkaConsumer) -> None:
        async with asyncio.timeout(FLUSH_S):
            while True:
                try:
                    await consumer.commit()
                except AiokafkaError as failure:  # it is joining anew, or tells of what befell it before
                    self.note(type(failure).__name__)
                    await asyncio.sleep(0.1)
                else:
                    return

    async def _close(self, consumer: AIOKafkaConsumer) -> None:
        """aiokafka looks for no coordinator once it closes: where that moved since the last commit, it tries to commit
        without one for ever. So what has to be committed is committed before, and the rest is cut off.
        """
        try:
            async with asyncio.timeout(CLOSE_S):
                await consumer.stop()
        except TimeoutError:
            self.note("did not close by itself")
            await consumer._client.close()  # what it had not come to: sockets that are left open fail a test, too
