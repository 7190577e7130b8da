"""What a worker says of its jobs, and when: with a consumer that is held by the test."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from penstock.client import Ack, Outcomes, place
from penstock.errors import CorruptMessage, InvalidRecordState
from penstock.model import TopicPartition
from penstock.queue import Reject, SharedRecord, Worker


class Held:
    """Hands out records, keeps what is said of them, and stops the worker when all were settled."""

    def __init__(self, count: int, *, lock_s: float = 30.0) -> None:
        self.left = [SharedRecord("t", 0, offset, 0, None, b"%d" % offset) for offset in range(count)]
        self.lock_s = lock_s
        self.said: list[tuple[int, Ack]] = []
        self.asked: list[int | None] = []
        self.problems: list[Exception] = []
        self.is_closed = False
        self.not_lent: set[int] = set()
        self.worker: Worker | None = None
        self.settled_max = count
        self._woken = asyncio.Event()

    async def poll(self, timeout_s: float, *, at_most: int | None = None) -> list[SharedRecord]:
        self.asked.append(at_most)
        if self.problems:
            raise self.problems.pop(0)
        if not self.left:
            try:
                await asyncio.wait_for(self._woken.wait(), timeout_s)
            except TimeoutError:
                pass
            self._woken.clear()
            return []
        assert at_most is not None
        taken, self.left = self.left[:at_most], self.left[at_most:]
        return taken

    def acknowledge(self, record: SharedRecord, how: Ack) -> None:
        if record.offset in self.not_lent:
            raise InvalidRecordState("its time is over")
        self.said.append((record.offset, how))
        finals = [each for each in self.said if each[1] is not Ack.RENEW]
        if len(finals) == self.settled_max and self.worker is not None:
            self.worker.stop()

    def outcomes(self) -> Outcomes[TopicPartition, None]:
        return Outcomes({place("t", 0): None})

    async def commit(self) -> Outcomes[TopicPartition, None]:
        return self.outcomes()

    def wakeup(self) -> None:
        self._woken.set()

    async def close(self) -> None:
        self.is_closed = True


def work(held: Held, handler: Callable[[SharedRecord], Any], **settings: Any) -> Held:
    async def play() -> None:
        held.worker = Worker("nowhere:1", group="g", topics=["t"], handler=handler, **settings)
        async with asyncio.timeout(60):
            await held.worker._work_with(held)

    asyncio.run(play())
    return held


def refuse_some(job: SharedRecord) -> None:
    if job.offset == 1:
        raise ValueError("no")
    if job.offset == 2:
        raise Reject("never")


async def refuse_some_later(job: SharedRecord) -> None:
    await asyncio.sleep(0)
    refuse_some(job)


@pytest.mark.parametrize("handler", [refuse_some, refuse_some_later])
def test_what_becomes_of_a_job_is_what_its_handler_did(handler: Callable[[SharedRecord], Any]) -> None:
    held = work(Held(4), handler)
    assert sorted(held.said) == [(0, Ack.ACCEPT), (1, Ack.RELEASE), (2, Ack.REJECT), (3, Ack.ACCEPT)]
    assert held.is_closed


@pytest.mark.parametrize("concurrency", [1, 3])
def test_no_more_jobs_are_taken_than_there_are_hands(concurrency: int) -> None:
    busy, most = set(), 0
    lock = threading.Lock()

    def note(job: SharedRecord) -> None:
        nonlocal most
        with lock:
            busy.add(job.offset)
            most = max(most, len(busy))
        with lock:
            busy.discard(job.offset)

    held = work(Held(20), note, concurrency=concurrency)
    assert sorted(held.said) == [(offset, Ack.ACCEPT) for offset in range(20)]
    assert most <= concurrency and max(each for each in held.asked if each is not None) <= concurrency
    assert 0 not in held.asked


def test_a_long_job_keeps_its_record_and_does_not_hold_up_others() -> None:
    async def long(job: SharedRecord) -> None:
        if job.offset == 0:
            while (0, Ack.RENEW) not in held.said or (2, Ack.ACCEPT) not in held.said:
                await asyncio.sleep(0.001)

    held = Held(3, lock_s=0.03)

    work(held, long, concurrency=2)
    assert [each for each in held.said if each[1] is Ack.ACCEPT] == [(1, Ack.ACCEPT), (2, Ack.ACCEPT), (0, Ack.ACCEPT)]


def test_jobs_in_hand_are_finished_before_a_worker_stops_and_no_others_are_taken() -> None:
    held = Held(10)

    async def stop(job: SharedRecord) -> None:
        assert held.worker is not None
        held.worker.stop()
        for _ in range(10):
            await asyncio.sleep(0)

    work(held, stop, concurrency=4)
    assert sorted(held.said) == [(offset, Ack.ACCEPT) for offset in range(4)] and len(held.left) == 6


def test_a_job_that_outlasts_the_grace_is_given_back_by_leaving() -> None:
    held = Held(1)

    async def hang(job: SharedRecord) -> None:
        assert held.worker is not None
        held.worker.stop()
        await asyncio.Event().wait()

    work(held, hang, grace_s=0.01)
    assert held.said == [] and held.is_closed


def test_a_record_that_cannot_be_read_and_one_that_is_anothers_by_now_stop_nobody() -> None:
    held = Held(3)
    held.problems = [CorruptMessage("a bad checksum")]
    held.not_lent, held.settled_max = {1}, 2
    assert sorted(work(held, lambda job: None).said) == [(0, Ack.ACCEPT), (2, Ack.ACCEPT)]


def test_a_worker_that_may_not_read_says_so_and_leaves() -> None:
    held = Held(0)
    held.problems = [PermissionError("no rights")]

    with pytest.raises(PermissionError):
        work(held, lambda job: None)
    assert held.is_closed


def test_a_worker_without_hands_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        Worker("nowhere:1", group="g", topics=["t"], handler=lambda job: None, concurrency=0)
