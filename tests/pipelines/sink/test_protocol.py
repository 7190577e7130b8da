"""The writing of a task without Spark around it: attempts that meet, break off, or get only a part of their rows."""

from __future__ import annotations

import random
import threading
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from tests.pipelines.conftest import AWAY_S, QUEUE_SETTINGS
from tests.pipelines.sink.kills import committed
from tests.support.topics import create

import penstock.testing
from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.sink.ledger import Ledger
from penstock.pipelines.sink.options import SinkOptions
from penstock.pipelines.sink.tasks import write_sorted
from penstock.pipelines.sink.topics import Topics
from penstock.pipelines.sink.transactions import Fenced, TransactionalProducer
from penstock.pipelines.sink.work import Outcome, Work

if TYPE_CHECKING:
    from tests.pipelines.conftest import Queue

PARTITIONS = 2


@pytest.fixture
def work(queue: Queue) -> Iterator[Work]:
    """Batch 0 of a query of its own, begun, to be written by one task."""
    topic = create(queue.bootstrap, queue.fresh("slots"), PARTITIONS)
    options = SinkOptions(queue.bootstrap, (topic,), kafka={"linger.ms": "0"})
    topics = Topics(options)
    topics.ensure_markers()
    ledger = Ledger(options, uuid.uuid4().hex)
    begun = ledger.begin(0, topics.layout([topic]), {})
    yield Work(options, ledger.query, 0, begun.layout, begun.since, tasks=1, batch_bytes_max=1_000_000)
    ledger.close()


def rows(slot: int, values: range) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict(
        {
            "last": pa.array([False] * len(values)),
            "slot": pa.array([slot] * len(values), pa.int32()),
            "key": pa.array([b"k"] * len(values), pa.binary()),
            "value": pa.array([str(each).encode() for each in values], pa.binary()),
            "timestamp_ms": pa.array([None] * len(values), pa.int64()),
            "headers": pa.array(
                [None] * len(values), pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
            ),
        }
    )


LAST = pa.RecordBatch.from_pydict({"last": pa.array([True]), "slot": pa.array([0], pa.int32())})
BATCH = [rows(0, range(10)), rows(0, range(10, 20)), rows(1, range(20, 40)), LAST]


def write(work: Work, batches: Iterator[pa.RecordBatch] | list[pa.RecordBatch]) -> list[Outcome]:
    return list(write_sorted(batches, work, task=0))


def out(work: Work) -> list[list[int]]:
    read = committed(work.options.bootstrap, work.options.topics[0], PARTITIONS)
    return [[int(value or b"-1") for _, value in partition] for partition in read]


ALL = [list(range(20)), list(range(20, 40))]


def test_the_second_attempt_finds_the_first_ones_rows(work: Work) -> None:
    assert write(work, BATCH) == [Outcome(0, 20, written=True), Outcome(1, 20, written=True)]
    assert write(work, BATCH) == [Outcome(0, 20, written=False), Outcome(1, 20, written=False)]
    assert out(work) == ALL


def test_an_input_that_ends_early_is_not_taken_for_a_whole_one(work: Work) -> None:
    """As when an executor dies between two of Arrow's batches: to its Python worker that looks like the end."""
    with pytest.raises(RuntimeError, match="ended before its last row"):
        write(work, BATCH[:1])
    assert out(work) == [[], []]
    write(work, BATCH)
    assert out(work) == ALL


def test_an_attempt_that_died_within_its_transaction_is_ended_by_the_next(work: Work) -> None:
    stuck = threading.Event()
    sent = threading.Event()

    def dying() -> Iterator[pa.RecordBatch]:
        yield BATCH[0]
        sent.set()
        stuck.wait(300)  # alive, with a transaction open and records in the log
        yield from BATCH[1:]

    with ThreadPoolExecutor() as pool:
        zombie = pool.submit(write, work, dying())
        assert sent.wait(300)
        time.sleep(1)  # what it sent is in the log by now
        assert [each.written for each in write(work, BATCH)] == [True, True]
        stuck.set()
        # Shut out in the middle, it finds what the other one did, and has done its part too.
        assert [each.written for each in zombie.result(timeout=300)] == [False, False]
    assert out(work) == ALL


def test_a_producer_that_was_shut_out_says_so_whatever_is_asked_of_it(work: Work) -> None:
    """librdkafka says which fatal error it was once, from any call; then only that there was one."""
    name = f"shut-out/{work.query}"
    old = TransactionalProducer(work.options, name)
    old.begin()
    new = TransactionalProducer(work.options, name)

    def send() -> None:
        old.send(work.options.topics[0], 0, key=None, value=b"late")

    def until_told() -> None:
        send()
        while True:  # the answer may still be on its way
            old.check()
            time.sleep(0.05)

    for ask in (until_told, old.check, send, old.commit):
        with pytest.raises(Fenced):
            ask()
    old.abort()
    old.close()
    new.close()
    assert out(work) == [[], []]


def test_of_many_attempts_at_once_each_slot_has_one_that_counts(work: Work) -> None:
    dice = random.Random(6)

    def attempt(seed: int) -> list[Outcome]:
        own = random.Random(seed)

        def shaky() -> Iterator[pa.RecordBatch]:
            for batch in BATCH:
                time.sleep(own.random() * 0.3)
                if own.random() < 0.15:
                    raise OSError("the executor is gone")
                yield batch

        while True:  # as Spark does
            try:
                return write(work, shaky())
            except OSError:
                continue

    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(attempt, [dice.randrange(1 << 30) for _ in range(4)]))
    for slot in range(PARTITIONS):
        # An attempt whose commit was answered by an error though it counts says that it wrote nothing; two never did.
        assert sum(outcome.written for attempt in done for outcome in attempt if outcome.slot == slot) <= 1
    assert out(work) == ALL


def test_a_batch_after_that_writes_on(work: Work) -> None:
    write(work, BATCH)
    write(replace(work, batch=1), [rows(0, range(40, 45)), LAST])
    # A late attempt of the batch before does not write again, though its marker was overwritten.
    assert write(work, BATCH) == [Outcome(0, 20, written=False), Outcome(1, 20, written=False)]
    assert out(work) == [[*range(20), *range(40, 45)], list(range(20, 40))]


def test_rows_that_are_not_laid_out_are_refused(work: Work) -> None:
    with pytest.raises(PipelineProblem, match="not sorted by target"):
        write(work, [rows(1, range(3)), rows(0, range(3, 6)), LAST])
    with pytest.raises(PipelineProblem, match="a row of slot 1 came to task 0 of 2"):
        write(replace(work, tasks=2), [rows(1, range(3)), LAST])
    with pytest.raises(PipelineProblem, match="rows came after the last one"):
        write(work, [LAST, rows(0, range(3))])
    assert out(work) == [[], []]


def test_a_broker_that_goes_away_in_the_middle_is_waited_for() -> None:
    with penstock.testing.broker(QUEUE_SETTINGS, mode="process") as broker:
        create(broker.bootstrap, "slots", PARTITIONS)
        options = SinkOptions(broker.bootstrap, ("slots",))
        topics = Topics(options)
        topics.ensure_markers()
        ledger = Ledger(options, "q")
        begun = ledger.begin(0, topics.layout(["slots"]), {})
        work = Work(options, "q", 0, begun.layout, begun.since, tasks=1, batch_bytes_max=1_000_000)

        back = threading.Timer(AWAY_S, broker.start)

        def interrupted() -> Iterator[pa.RecordBatch]:
            yield BATCH[0]
            broker.kill()
            back.start()
            yield from BATCH[1:]

        assert sum(outcome.rows for outcome in write(work, interrupted())) == 40
        back.join()  # clients may reach it before the thread has seen that it is there, which must be before its end
        ledger.finish()
        ledger.close()
        assert out(work) == ALL


def test_a_driver_that_is_shut_out_begins_nothing_more(work: Work) -> None:
    topics = Topics(work.options)
    layout = topics.layout(work.options.topics)
    first = Ledger(work.options, work.query)
    second = Ledger(work.options, work.query)
    assert second.last is not None and second.last.batch == 0
    with pytest.raises(PipelineProblem, match="has begun and taken over"):
        first.begin(1, layout, {})
    second.begin(1, layout, {})
    third = Ledger(work.options, work.query)
    assert third.last is not None and third.last.batch == 1
    for each in (first, second, third):
        each.close()
