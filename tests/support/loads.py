"""A producer that goes on while brokers are killed, and knows what it was promised."""

import threading
import time
from collections import defaultdict

from confluent_kafka import KafkaError, Message, Producer


class Load:
    """An idempotent producer that writes numbers to each partition, and remembers which were acknowledged at which
    offset. A number is padded to a record's size; every tenth waits a little.
    """

    def __init__(
        self,
        bootstrap: str,
        topic: str,
        *,
        partitions: int = 1,
        padding: bytes = b"",
        pending_max: int = 3_000,
        pause_s: float = 0.001,
    ) -> None:
        self.acknowledged: dict[int, dict[int, bytes]] = defaultdict(dict)
        self.sent: dict[int, list[bytes]] = defaultdict(list)
        self.refused: list[KafkaError] = []
        self._topic, self._partitions, self._padding = topic, range(partitions), padding
        self._pending_max, self._pause_s = pending_max, pause_s
        self._stopping = threading.Event()
        self._producer = Producer(
            {
                "bootstrap.servers": bootstrap,
                "enable.idempotence": True,
                "linger.ms": 1,
                "batch.num.messages": 20,
                "reconnect.backoff.max.ms": 100,
                "retry.backoff.max.ms": 100,
                "message.timeout.ms": 120_000,
                "log_level": 0,  # it would tell of every refused connection
            }
        )
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    @property
    def count(self) -> int:
        return sum(map(len, self.acknowledged.values()))

    def _run(self) -> None:
        number = 0
        while not self._stopping.is_set():
            for partition in self._partitions:
                value = b"%d" % number + self._padding
                self.sent[partition].append(value)
                self._producer.produce(self._topic, value, partition=partition, on_delivery=self._delivered)
            number += 1
            self._producer.poll(0)
            while len(self._producer) > self._pending_max and not self._stopping.is_set():
                self._producer.poll(0.01)
            if number % 10 == 0:
                time.sleep(self._pause_s)

    def _delivered(self, error: KafkaError | None, message: Message) -> None:
        if error is not None:
            self.refused.append(error)
            return
        partition, offset, value = message.partition(), message.offset(), message.value()
        assert partition is not None and offset is not None and value is not None
        self.acknowledged[partition][offset] = value

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join()
        assert self._producer.flush(60) == 0
        assert not self.refused, self.refused[0]
