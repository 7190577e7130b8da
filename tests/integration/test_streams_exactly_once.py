"""Kafka Streams with exactly_once_v2: every input counted once and every count seen once, whoever is killed."""

from __future__ import annotations

import subprocess
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, Message, Producer, TopicPartition
from tests.support import java
from tests.support.clients import make_topic
from tests.support.faults import eventually, program

SOURCE = Path(__file__).parents[1] / "java" / "CountingStreams.java"
PARTITIONS, KEYS = 2, 8
STREAMS_KILLS, BROKER_KILLS = 4, 4
WITHIN_S = 180.0


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return java.compiled(SOURCE, tmp_path_factory.mktemp("streams"))


class Streams:
    """The program, started and killed as often as the test likes; its state folder stays."""

    def __init__(self, compiled: Path, bootstrap: str, folder: Path, *, words: str, counts: str) -> None:
        self._command = java.command(
            "CountingStreams", bootstrap, "counting", words, counts, str(folder / "state"), also=compiled
        )
        self._log = folder / "streams.log"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with open(self._log, "ab") as log:
            self._process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def kill(self) -> None:
        assert self._process is not None
        assert self._process.poll() is None, f"it had ended by itself:\n{self.said()}"
        self._process.kill()
        self._process.wait()

    def end(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def said(self) -> str:
        return self._log.read_text(errors="replace")[-4_000:]


class Words:
    """Keys in turn, forever; counts what was acknowledged of each."""

    def __init__(self, bootstrap: str, topic: str) -> None:
        self._topic = topic
        self.acknowledged: dict[str, int] = defaultdict(int)
        self._producer = Producer(
            {
                "bootstrap.servers": bootstrap,
                "enable.idempotence": True,
                "message.timeout.ms": 120_000,
                "reconnect.backoff.max.ms": 200,
                "log_level": 0,
            }
        )
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        number = 0
        while not self._stopping.is_set():
            key = f"key-{number % KEYS}"
            self._producer.produce(self._topic, b"x", key=key, on_delivery=self._told)
            self._producer.poll(0)
            number += 1
            time.sleep(0.005)

    def _told(self, error: KafkaError | None, message: Message) -> None:
        key = message.key()
        assert error is None and key is not None, error
        self.acknowledged[key.decode()] += 1

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join()
        assert self._producer.flush(60) == 0


class Counts:
    """What a read_committed consumer sees of the output, by key and in order."""

    def __init__(self, bootstrap: str, topic: str) -> None:
        self.seen: dict[str, list[int]] = defaultdict(list)
        self._consumer = Consumer(
            {
                "bootstrap.servers": bootstrap,
                "group.id": "unused",
                "isolation.level": "read_committed",
                "enable.auto.commit": False,
                "reconnect.backoff.max.ms": 200,
                "log_level": 0,
            }
        )
        self._consumer.assign([TopicPartition(topic, index, OFFSET_BEGINNING) for index in range(PARTITIONS)])

    @property
    def total(self) -> int:
        return sum(map(len, self.seen.values()))

    def poll(self) -> None:
        for message in self._consumer.consume(1_000, timeout=0.2):
            if message.error() is None:
                key, value = message.key(), message.value()
                assert key is not None and value is not None
                self.seen[key.decode()].append(int(value))

    def reach(self, total: int, streams: Streams) -> None:
        deadline = time.monotonic() + WITHIN_S
        while self.total < total:
            self.poll()
            assert time.monotonic() < deadline, f"{self.total} of {total} counts within {WITHIN_S} s:\n{streams.said()}"

    def close(self) -> None:
        self._consumer.close()


@contextmanager
def started(streams: Streams) -> Iterator[Streams]:
    try:
        streams.start()
        yield streams
    finally:
        streams.end()


def test_counts_neither_skip_nor_repeat_when_program_and_broker_are_killed(compiled: Path, tmp_path: Path) -> None:
    settings = {"group.initial.rebalance.delay.ms": "0"}
    with program(tmp_path / "broker", settings) as broker:
        to_count = make_topic(broker.bootstrap, "words", partitions=PARTITIONS)
        counted = make_topic(broker.bootstrap, "counts", partitions=PARTITIONS)
        with started(Streams(compiled, broker.bootstrap, tmp_path, words=to_count, counts=counted)) as streams:
            words, counts = Words(broker.bootstrap, to_count), Counts(broker.bootstrap, counted)
            try:
                counts.reach(50, streams)
                for kill in range(STREAMS_KILLS + BROKER_KILLS):
                    if kill % 2:
                        broker.kill()
                        broker.start()
                    else:
                        streams.kill()
                        streams.start()
                    counts.reach(counts.total + 50, streams)
            finally:
                words.stop()
            counts.reach(sum(words.acknowledged.values()), streams)
            eventually(lambda: _is_quiet(counts), "no further count")
            counts.close()
    expected = {key: list(range(1, count + 1)) for key, count in words.acknowledged.items()}
    assert dict(counts.seen) == expected


def _is_quiet(counts: Counts) -> bool:
    before = counts.total
    counts.poll()
    return counts.total == before
