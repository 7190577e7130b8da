"""kill -9 in the middle of commits, rebalances and transactions, up to fifty times: exactly once stays exactly once."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition
from tests.support.clients import make_topic, read_decided, read_to_end
from tests.support.faults import program
from tests.support.transforming import WORK_S, Workers, patient

KILLS, KILLS_MIN = 50, 10
ENOUGH_S = 300.0
"""After which a machine on which every restart takes long has had kills enough."""
PARTITIONS = 4
WORKERS = 3
WITHIN_S = 120.0


class Source:
    """Numbers into the input, each once; which of them were acknowledged."""

    def __init__(self, bootstrap: str, topic: str) -> None:
        self.acknowledged: set[bytes] = set()
        self.refused: list[KafkaError] = []
        self._topic = topic
        settings = patient(bootstrap) | {"enable.idempotence": True, "message.timeout.ms": 120_000}
        self._producer = Producer(settings)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        number = 0
        while not self._stopping.is_set():
            self._producer.produce(
                self._topic, b"%d" % number, partition=number % PARTITIONS, on_delivery=self._delivered
            )
            self._producer.poll(0)
            number += 1
            time.sleep(0.01)

    def _delivered(self, error: KafkaError | None, message: Message) -> None:
        value = message.value()
        if error is not None or value is None:
            self.refused.append(error or KafkaError(KafkaError._FAIL))
        else:
            self.acknowledged.add(value)

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join()
        assert self._producer.flush(60) == 0


class Committer:
    """Plain commits of a rising offset, outside any transaction: what was acknowledged must never go back."""

    def __init__(self, bootstrap: str, topic: str) -> None:
        self.acknowledged = -1
        self.went_back: list[tuple[int, int]] = []
        self._topic = topic
        settings = {"group.id": "plain-commits", "enable.auto.commit": False}
        self._consumer = Consumer(patient(bootstrap) | settings)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        offset = 0
        while not self._stopping.is_set():
            offset += 1
            try:
                self._consumer.commit(offsets=[TopicPartition(self._topic, 0, offset)], asynchronous=False)
                self.acknowledged = offset
                (kept,) = self._consumer.committed([TopicPartition(self._topic, 0)], timeout=5)
                if kept.offset < self.acknowledged:
                    self.went_back.append((self.acknowledged, kept.offset))
            except KafkaException:
                time.sleep(0.02)

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join()
        self._consumer.close()


def _outputs(bootstrap: str, topic: str, *, read: Callable[..., list[Message]] = read_to_end) -> Counter[bytes]:
    seen: Counter[bytes] = Counter()
    for partition in range(PARTITIONS):
        messages = read(bootstrap, topic, partition)
        seen.update(message.value() or b"" for message in messages)
    return seen


@pytest.mark.timeout(900)
def test_every_input_comes_out_once_through_fifty_kills(tmp_path: Path) -> None:
    dice = random.Random(KILLS)
    settings = {
        "group.initial.rebalance.delay.ms": "100",
        "group.min.session.timeout.ms": "1000",
        "transaction.abort.timed.out.transaction.cleanup.interval.ms": "500",
    }
    with program(tmp_path, settings) as broker:
        bootstrap = broker.bootstrap
        inputs = make_topic(bootstrap, "inputs", partitions=PARTITIONS)
        targets = (
            make_topic(bootstrap, "left", partitions=PARTITIONS),
            make_topic(bootstrap, "right", partitions=PARTITIONS),
        )
        source, committer = Source(bootstrap, inputs), Committer(bootstrap, inputs)
        workers = Workers(bootstrap, source=inputs, targets=targets, group="transforming", count=WORKERS)
        kills_amid: Counter[str] = Counter()
        with ExitStack() as ending:
            ending.callback(workers.stop)
            ending.callback(committer.stop)
            ending.callback(source.stop)
            began_s = time.monotonic()
            for kill in range(KILLS):
                if kill >= KILLS_MIN and time.monotonic() - began_s > ENOUGH_S:
                    break
                _progress(workers)
                if kill % 5 == 0:
                    workers.leave_one(dice)
                if kill % 5 == 2:
                    workers.kill_one(dice)
                time.sleep(dice.uniform(0, 0.5))
                if kill % 5 not in (0, 2):  # else it comes in the middle of a rebalance, with a transaction or without
                    _wait_for_a_transaction(workers, dice)
                kills_amid["transactions" if workers.amid else "pauses"] += 1
                broker.kill()
                broker.start()
            source.stop()
            _wait_for_all(bootstrap, targets, source, workers)
        assert source.refused == []
        for target in targets:
            assert _outputs(bootstrap, target, read=read_decided) == Counter(source.acknowledged), target
        assert committer.went_back == []
        assert committer.acknowledged > 0
        assert workers.aborted > 0
        # Every kill came after transactions were committed since the one before, and most while one was under way.
        assert kills_amid["transactions"] >= kills_amid.total() / 2, dict(kills_amid)


def _progress(workers: Workers) -> None:
    before, deadline = workers.committed, time.monotonic() + WITHIN_S
    while workers.committed < before + WORKERS:
        workers.watch()
        assert time.monotonic() < deadline, f"too few transactions were committed within {WITHIN_S} s: {workers}"
        time.sleep(0.05)


def _wait_for_a_transaction(workers: Workers, dice: random.Random) -> None:
    """And for some moment in it."""
    deadline = time.monotonic() + WITHIN_S
    while True:
        if workers.amid:
            time.sleep(dice.uniform(0, WORK_S))
            if workers.amid:
                return
        workers.watch()
        assert time.monotonic() < deadline, f"no transaction was begun within {WITHIN_S} s: {workers}"
        time.sleep(0.005)


def _wait_for_all(bootstrap: str, targets: tuple[str, str], source: Source, workers: Workers) -> None:
    before, deadline = -1, time.monotonic() + WITHIN_S
    while (came_out := sum(_outputs(bootstrap, targets[1]).values())) < len(source.acknowledged):
        workers.watch()
        if came_out > before:  # a slow machine takes longer; only one that stands still has failed
            before, deadline = came_out, time.monotonic() + WITHIN_S
        assert time.monotonic() < deadline, f"{came_out} of {len(source.acknowledged)} inputs came out: {workers}"
