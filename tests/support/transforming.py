"""A worker that reads, transforms and writes in transactions, and goes on through whatever happens to the broker.

A program of its own, so that it can be killed, and is started anew where it got stuck, as an orchestrator would. Its
transactional id fences what it left behind. A fatal error ends a producer, and the worker goes on with the next one:
librdkafka 2.16 fails so when a broker dies before it got AddPartitionsToTxn, since it then aborts a transaction that
the coordinator never heard of (its issue 4849; tests/integration/test_transactions_lost_requests.py has that alone).
"""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, KafkaException, Message, Producer

BATCH_MAX = 100
POLL_S = 0.02
WORK_S = 0.05
"""The longest that a worker thinks about its records, and about its offsets: what is killed finds transactions open."""
ABORTED_IN = 10
"""One transaction in so many, a worker's first among them, is aborted on purpose, after its records were written."""

STUCK_AFTER_S = 10.0
"""Longer than anything takes that goes on by itself."""
START_S = 60.0
"""A program says nothing until it has begun, and on a busy machine that takes longer: killed before, it never would."""


def patient(bootstrap: str) -> dict[str, Any]:
    """Settings of a client that sits out the restart of its only broker, and looks for it often.

    By default librdkafka forgets every broker and begins anew from its bootstrap servers when all are away, and
    send_offsets_to_transaction then waits for a forgotten one, beyond its timeout (its issues 5456 and 5511).
    """
    return {
        "bootstrap.servers": bootstrap,
        "metadata.recovery.strategy": "none",
        "reconnect.backoff.max.ms": 100,
        "retry.backoff.max.ms": 100,
        "log_level": 0,  # it would tell of every refused connection
    }


class Workers:
    """So many workers of one group, watched: one that says nothing for too long is killed and started anew."""

    def __init__(self, bootstrap: str, *, source: str, targets: tuple[str, str], group: str, count: int) -> None:
        self._workers = [Worker([bootstrap, source, *targets, group, f"worker-{number}"]) for number in range(count)]

    @property
    def committed(self) -> int:
        return sum(worker.told["committed"] for worker in self._workers)

    @property
    def aborted(self) -> int:
        return sum(worker.told["aborted"] for worker in self._workers)

    @property
    def amid(self) -> int:
        """Transactions that are under way, by what the workers said last."""
        return sum(worker.is_amid for worker in self._workers)

    def watch(self) -> None:
        for worker in self._workers:
            if worker.is_stuck():
                worker.kill_and_start()

    def kill_one(self, dice: random.Random) -> None:
        """It leaves the group without a word, and its transaction open; the next one takes both over."""
        dice.choice(self._workers).kill_and_start()

    def leave_one(self, dice: random.Random) -> None:
        dice.choice(self._workers).leave_and_join()

    def stop(self) -> None:
        for worker in self._workers:
            worker.kill()

    def __repr__(self) -> str:
        return ", ".join(map(repr, self._workers))


class Worker:
    def __init__(self, arguments: list[str]) -> None:
        self.told: Counter[str] = Counter()
        self.kills = 0
        self.is_amid = False
        self._command = [sys.executable, "-m", __name__, *arguments]
        self._start()

    def _start(self) -> None:
        self._heard_at = time.monotonic() + START_S
        self._process = subprocess.Popen(
            self._command, cwd=Path(__file__).parents[2], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            word = line.strip()
            self.told[word] += 1
            self.is_amid = word == "begun"
            self._heard_at = time.monotonic()

    def is_stuck(self) -> bool:
        return self._process.poll() is not None or time.monotonic() - self._heard_at > STUCK_AFTER_S

    def leave_and_join(self) -> None:
        """It leaves the group and comes back: the others rebalance twice."""
        assert self._process.stdin is not None
        self._process.stdin.write("leave\n")
        self._process.stdin.flush()

    def kill_and_start(self) -> None:
        self.kill()
        self.kills += 1
        self._start()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join()
        self.is_amid = False
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            stream.close()

    def __repr__(self) -> str:
        return f"{dict(self.told)} after {self.kills} kills"


class Transformer:
    """Every input's value goes to both outputs, and the input's offset with them: all in one transaction or not at all.

    Several of these share a group; each has a transactional id of its own, which fences its former self.
    """

    def __init__(self, bootstrap: str, source: str, left: str, right: str, group: str, name: str) -> None:
        self._bootstrap, self._group, self._name = bootstrap, group, name
        self._source, self._targets = source, (left, right)
        self._random = random.Random()
        self._begun = 0
        self._leave = threading.Event()

    def run(self) -> None:
        threading.Thread(target=self._listen, daemon=True).start()
        while True:
            self._leave.clear()
            self._live()

    def _listen(self) -> None:
        for _ in sys.stdin:
            self._leave.set()

    def _live(self) -> None:
        """One life of a consumer and its producer, until it leaves, stops, or a fatal error ends the producer."""
        consumer = Consumer(
            patient(self._bootstrap)
            | {
                "group.id": self._group,
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "session.timeout.ms": 2_000,
                "heartbeat.interval.ms": 300,
                "max.poll.interval.ms": 10_000,
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
            while not self._leave.is_set():
                print("alive", flush=True)
                messages = [
                    message for message in consumer.consume(BATCH_MAX, timeout=POLL_S) if message.error() is None
                ]
                if messages and not self._transform(consumer, producer, messages):
                    return
        finally:
            consumer.close()

    def _begin(self, producer: Producer) -> bool:
        while True:
            print("alive", flush=True)
            try:
                producer.init_transactions(5)
                return True
            except KafkaException as error:
                if not error.args[0].retriable():
                    return False

    def _transform(self, consumer: Consumer, producer: Producer, messages: list[Message]) -> bool:
        """Whether this life can go on."""
        try:
            producer.begin_transaction()
            self._begun += 1
            print("begun", flush=True)
            for message in messages:
                for target in self._targets:
                    producer.produce(target, message.value(), partition=message.partition() or 0)
            if self._begun % ABORTED_IN == 1:
                producer.flush(1)  # some of it is in the log by then
                return self._give_up(consumer, producer)
            self._work()
            positions = [place for place in consumer.position(consumer.assignment()) if place.offset >= 0]
            producer.send_offsets_to_transaction(positions, consumer.consumer_group_metadata(), 5)
            self._work()
            return self._commit(consumer, producer)
        except KafkaException as error:
            return not error.args[0].fatal() and self._give_up(consumer, producer)

    def _work(self) -> None:
        time.sleep(self._random.uniform(0, WORK_S))

    def _commit(self, consumer: Consumer, producer: Producer) -> bool:
        while True:
            try:
                producer.commit_transaction(5)
                print("committed", flush=True)
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
        print("aborted", flush=True)
        while True:
            try:
                for position in consumer.committed(consumer.assignment(), timeout=5):
                    position.offset = max(position.offset, 0)
                    consumer.seek(position)
                return True
            except KafkaException as error:
                if not error.args[0].retriable():
                    return False


if __name__ == "__main__":
    Transformer(*sys.argv[1:]).run()
