"""Attempts as processes of their own, two at a time, killed (-9) at random moments: many kills a minute.

What Spark adds, tasks, executors and a driver, is in test_sink_kills.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import time
import uuid
from collections.abc import Iterator
from multiprocessing.context import ForkServerProcess
from typing import TYPE_CHECKING

import pyarrow as pa
from tests.pipelines.jobs.topics import create
from tests.pipelines.sink.kills import committed
from tests.pipelines.sink.test_protocol import LAST, rows

from penstock.pipelines.sink.ledger import Ledger
from penstock.pipelines.sink.options import SinkOptions
from penstock.pipelines.sink.tasks import write_sorted
from penstock.pipelines.sink.topics import Topics
from penstock.pipelines.sink.work import Work

if TYPE_CHECKING:
    from tests.pipelines.conftest import Queue

SLOTS = 2
ROWS = 60
"""Of a slot and batch."""
KILLS = max(int(os.environ.get("PENSTOCK_KILLS", "12")), 12)
CONTEXT = multiprocessing.get_context("forkserver")


def attempt(work: Work, seed: int) -> None:
    dice = random.Random(seed)

    def cut() -> Iterator[pa.RecordBatch]:
        """The batch's rows, in pieces of any size, at any pace."""
        for slot in range(SLOTS):
            at = end = (work.batch * SLOTS + slot) * ROWS
            end += ROWS
            while at < end:
                size = min(dice.randint(1, ROWS), end - at)
                yield rows(slot, range(at, at + size))
                at += size
                time.sleep(dice.random() * 0.15)
        yield LAST

    for _ in write_sorted(cut(), work, task=0):
        time.sleep(dice.random() * 0.1)


def test_whatever_attempts_are_killed_when_each_row_is_there_once(queue: Queue) -> None:
    CONTEXT.set_forkserver_preload([__name__, "penstock.pipelines.sink.tasks"])
    topic = create(queue.bootstrap, queue.fresh("attempts"), SLOTS)
    options = SinkOptions(queue.bootstrap, (topic,))
    topics, query = Topics(options), uuid.uuid4().hex
    topics.ensure_markers()
    dice = random.Random(uuid.uuid4().int)
    kills, batch = 0, 0
    while kills < KILLS:
        ledger = Ledger(options, query)  # a new driver each time, as after a kill of the former
        begun = ledger.begin(batch, topics.layout([topic]), {})
        work = Work(options, query, batch, begun.layout, begun.since, tasks=1, batch_bytes_max=1_000_000)
        kills += until_done(work, dice)
        if dice.random() < 0.7:
            ledger.finish()
        ledger.close()
        batch += 1
    found = committed(queue.bootstrap, topic, SLOTS)
    for slot in range(SLOTS):
        wanted = [
            n for each in range(batch) for n in range((each * SLOTS + slot) * ROWS, (each * SLOTS + slot + 1) * ROWS)
        ]
        assert [int(value or b"-1") for _, value in found[slot]] == wanted


def until_done(work: Work, dice: random.Random) -> int:
    """Two attempts alive at all times, until one has ended by itself. How many were killed on the way."""
    kills = 0
    alive: list[ForkServerProcess] = []
    try:
        while True:
            while len(alive) < 2:
                process = CONTEXT.Process(target=attempt, args=(work, dice.randrange(1 << 30)), daemon=True)
                process.start()
                alive.append(process)
            victim = dice.choice(alive)
            victim.join(dice.random() * 2)
            if any(process.exitcode == 0 for process in alive):
                return kills
            if victim.is_alive() and kills < 6:  # then let them be, or a slow machine would never come to an end
                victim.kill()
                victim.join()
                kills += 1
            alive = [process for process in alive if process.is_alive()]
    finally:
        for process in alive:
            process.kill()
            process.join()
