"""A steady load of acknowledged writes, or of reads, and the longest time in which there were none."""

import threading
import time
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from confluent_kafka import OFFSET_END, Consumer, KafkaError, Message, Producer, TopicPartition

EVERY_S = 0.005
_FLUSH_S = 120.0
NONE: Mapping[str, str | int] = {}


class Writes:
    """One idempotent producer with acks=all, a record every 5 ms to partition 0, from `with` to its end.

    `also`: partitions that get as many, for the connections to their leaders. Only partition 0 is counted.
    """

    def __init__(
        self, bootstrap: str, topic: str, settings: Mapping[str, str | int] = NONE, *, also: Sequence[int] = ()
    ) -> None:
        self._topic = topic
        self._also = also
        self._producer = Producer(
            {
                "bootstrap.servers": bootstrap,
                "enable.idempotence": True,
                "linger.ms": 1,
                "log_level": 0,
                **settings,
            }
        )
        self.acked_at_s: list[float] = []
        self.errors: list[str] = []
        self._is_stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "Writes":
        self._thread.start()
        while not self.acked_at_s:
            time.sleep(0.01)
        return self

    def __exit__(self, *_: object) -> None:
        self._is_stopping.set()
        self._thread.join()
        self._producer.flush(_FLUSH_S)

    def _run(self) -> None:
        due_s = time.monotonic()
        while not self._is_stopping.is_set():
            due_s = max(due_s + EVERY_S, time.monotonic() - 0.1)
            try:
                for partition in self._also:
                    self._producer.produce(self._topic, b"x" * 100, partition=partition)
                self._producer.produce(self._topic, b"x" * 100, partition=0, on_delivery=self._delivered)
            except BufferError:
                pass  # it has been without a leader for long: what is queued is enough
            self._producer.poll(max(0.0, due_s - time.monotonic()))

    def _delivered(self, error: KafkaError | None, _message: Message) -> None:
        if error is None:
            self.acked_at_s.append(time.monotonic())
        else:
            self.errors.append(str(error))

    def gap_s(self, since_s: float, until_s: float) -> float:
        return longest_gap(self.acked_at_s, since_s, until_s)

    def wait_until_acked_after(self, moment_s: float, *, within_s: float) -> None:
        deadline_s = time.monotonic() + within_s
        while not (self.acked_at_s and self.acked_at_s[-1] > moment_s) and time.monotonic() < deadline_s:
            time.sleep(0.01)


class Reads:
    """One consumer of partition 0 from its end on."""

    def __init__(self, bootstrap: str, topic: str) -> None:
        settings: dict[str, Any] = {"bootstrap.servers": bootstrap, "group.id": "failover", "log_level": 0}
        self._consumer = Consumer({**settings, "enable.auto.commit": False})
        self._consumer.assign([TopicPartition(topic, 0, OFFSET_END)])  # no group, which would need a coordinator
        self.read_at_s: list[float] = []
        self.errors: list[str] = []
        self._is_stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "Reads":
        self._thread.start()
        while not self.read_at_s:
            time.sleep(0.01)
        return self

    def __exit__(self, *_: object) -> None:
        self._is_stopping.set()
        self._thread.join()
        self._consumer.close()

    def _run(self) -> None:
        while not self._is_stopping.is_set():
            message = self._consumer.poll(0.1)
            if message is None:
                continue
            if (error := message.error()) is not None:
                self.errors.append(str(error))
            else:
                self.read_at_s.append(time.monotonic())

    def gap_s(self, since_s: float, until_s: float) -> float:
        return longest_gap(self.read_at_s, since_s, until_s)


def longest_gap(moments_s: Sequence[float], since_s: float, until_s: float) -> float:
    """Between two moments, of which the later one lies within; what is open at the end counts as far as it goes."""
    before = [moment for moment in moments_s if moment < since_s][-1:]
    within = [moment for moment in moments_s if since_s <= moment <= until_s]
    return max((after - earlier for earlier, after in pairwise([*before, *within, until_s])), default=until_s - since_s)
