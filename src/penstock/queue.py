"""A worker that takes jobs off a queue: topics read by a share group, one record a job.

    from penstock.queue import Reject, SharedRecord, Worker

    def send(job: SharedRecord) -> None:
        ...

    Worker("127.0.0.1:9092", group="mailers", topics=["mails"], handler=send).run()

A handler that returns has done its job: nobody gets it again. One that raises gives it back: somebody gets it again, up
to the group's `share.delivery.count.limit` times. One that raises Reject gives it up. A worker that dies holds its jobs
until their time is over (`share.record.lock.duration.ms`); so each job is done at least once, and at times twice.

It works with Penstock, and with Apache Kafka 4.2 and later. A job that takes long keeps its record by itself.
"""

import asyncio
import contextlib
import inspect
import logging
import signal
import time
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, Protocol

from penstock.client import Ack, AsyncClient, Outcomes, SharedRecord
from penstock.errors import CorruptMessage, InvalidRecordState
from penstock.model import TopicPartition

__all__ = ["Reject", "SharedRecord", "Worker"]

FETCH_WAIT_S: Final = 0.2
"""A broker without records keeps a request so long, and what is said of finished jobs waits behind it."""
POLL_S: Final = 1.0
RENEWALS: Final = 3
"""How often a record's time is begun anew before it would be over."""

log = logging.getLogger(__name__)


class Reject(Exception):
    """Raised by a handler: this job is not to be tried again, by anybody."""


class Consumer(Protocol):
    """What a worker needs of penstock.client's AsyncShareConsumer."""

    @property
    def lock_s(self) -> float: ...
    async def poll(self, timeout_s: float, *, at_most: int | None = None) -> list[SharedRecord]: ...
    def acknowledge(self, record: SharedRecord, how: Ack) -> None: ...
    def outcomes(self) -> Outcomes[TopicPartition, None]: ...
    async def commit(self) -> Outcomes[TopicPartition, None]: ...
    def wakeup(self) -> None: ...
    async def close(self) -> None: ...


class Worker:
    def __init__(
        self,
        bootstrap: str,
        *,
        group: str,
        topics: Iterable[str],
        handler: Callable[[SharedRecord], Any],
        concurrency: int = 8,
        grace_s: float | None = None,
        **client_settings: Any,
    ) -> None:
        """`handler`: a function, called in `concurrency` threads, or an `async def`, of which so many run at once.

        `grace_s`: how long jobs may still take when the worker is to stop; None: as long as they need.
        `client_settings`: as for penstock.client.Client, such as tls and sasl.
        """
        if concurrency < 1:
            raise ValueError("a worker does at least one job at a time")
        self._bootstrap = bootstrap
        self._group = group
        self._topics = tuple(topics)
        self._concurrency = concurrency
        self._grace_s = grace_s
        self._client_settings = client_settings
        self._handler = handler
        self._jobs: dict[asyncio.Task[Ack], SharedRecord] = {}
        self._renew_at: dict[asyncio.Task[Ack], float] = {}
        self._is_stopping = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._news = asyncio.Event()
        self._consumer: Consumer | None = None

    # Running --------------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Work until `stop`, SIGINT or SIGTERM; then finish the jobs in hand. A second signal ends the program."""
        asyncio.run(self._serve_with_signals())

    async def serve(self) -> None:
        """The same for a program with an event loop of its own, which sees to signals itself."""
        async with AsyncClient(self._bootstrap, **self._client_settings) as client:
            consumer = client.share_consumer(
                group=self._group, topics=self._topics, auto_accept=False, fetch_wait_s=FETCH_WAIT_S,
                fetch_records=self._concurrency, is_strict=True,
            )  # fmt: skip
            await self._work_with(consumer)

    def stop(self) -> None:
        """Take no more jobs; `run` returns when those in hand are done. From any thread."""
        self._is_stopping = True
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # it has ended meanwhile
                self._loop.call_soon_threadsafe(self._wake)

    async def _serve_with_signals(self) -> None:
        loop = asyncio.get_running_loop()

        def stop_gently(number: signal.Signals) -> None:
            log.info("%s: finishing %d jobs", number.name, len(self._jobs))
            for each in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(each)
            self.stop()

        for each in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(each, stop_gently, each)
        await self.serve()

    async def _work_with(self, consumer: Consumer) -> None:
        self._loop, self._consumer = asyncio.get_running_loop(), consumer
        with contextlib.closing(Threads(self._handler, self._concurrency)) as threads:
            try:
                while not self._is_stopping:
                    await self._turn(consumer, threads)
                await self._finish(consumer)
            finally:
                for job in self._jobs:
                    job.cancel()
                await consumer.close()  # what is not done goes to others at once

    # Jobs -----------------------------------------------------------------------------------------------------------

    async def _turn(self, consumer: Consumer, threads: "Threads") -> None:
        """Take jobs, as many as there are hands free for; nothing is taken that would have to wait here."""
        if free := self._concurrency - len(self._jobs):
            try:
                records = await consumer.poll(self._patience_s(), at_most=free)
            except CorruptMessage as error:
                log.error("a record cannot be read, and was given back: %s", error)
                records = []
            for record in records:
                self._begin(record, threads.do(record))
        else:
            await self._wait()
        self._settle(consumer)
        if len(self._jobs) == self._concurrency:
            self._look_at(await consumer.commit())

    async def _finish(self, consumer: Consumer) -> None:
        deadline_s = None if self._grace_s is None else time.monotonic() + self._grace_s
        while self._jobs and (deadline_s is None or time.monotonic() < deadline_s):
            await self._wait(deadline_s)
            self._settle(consumer)
            self._look_at(await consumer.commit())

    def _begin(self, record: SharedRecord, work: Awaitable[Any]) -> None:
        job = asyncio.ensure_future(_outcome(record, work))
        self._jobs[job] = record
        self._renew_at[job] = time.monotonic() + self._renewal_s
        job.add_done_callback(lambda _: self._wake())

    def _settle(self, consumer: Consumer) -> None:
        """Say what became of jobs that are done, and that the others are still at work."""
        now_s = time.monotonic()
        for job in [job for job in self._jobs if job.done()]:
            _say(consumer, self._jobs.pop(job), job.result())
            del self._renew_at[job]
        for job, record in self._jobs.items():
            if self._renew_at[job] <= now_s:
                _say(consumer, record, Ack.RENEW)
                self._renew_at[job] = now_s + self._renewal_s
        self._look_at(consumer.outcomes())

    def _look_at(self, outcomes: Outcomes[TopicPartition, None]) -> None:
        for where, refusal in outcomes.refused.items():
            log.warning("a job of %s may be done again: %s", where, refusal)

    # Waiting --------------------------------------------------------------------------------------------------------

    @property
    def _renewal_s(self) -> float:
        assert self._consumer is not None
        return self._consumer.lock_s / RENEWALS

    def _patience_s(self) -> float:
        """Until a record has to be renewed."""
        due_s = min(self._renew_at.values(), default=time.monotonic() + POLL_S) - time.monotonic()
        return min(max(due_s, 0.0), POLL_S)

    async def _wait(self, deadline_s: float | None = None) -> None:
        """Until a job is done, or a record has to be renewed."""
        left_s = self._patience_s() if deadline_s is None else min(self._patience_s(), deadline_s - time.monotonic())
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._news.wait(), max(left_s, 0.0))
        self._news.clear()

    def _wake(self) -> None:
        self._news.set()
        if self._consumer is not None:
            self._consumer.wakeup()


class Threads:
    """Where handlers run: in threads, unless they are coroutines."""

    def __init__(self, handler: Callable[[SharedRecord], Any], count: int) -> None:
        self._handler = handler
        self._pool = None if inspect.iscoroutinefunction(handler) else ThreadPoolExecutor(count, "penstock-job")

    def do(self, record: SharedRecord) -> Awaitable[Any]:
        if self._pool is None:
            work: Awaitable[Any] = self._handler(record)
            return work
        return asyncio.get_running_loop().run_in_executor(self._pool, self._handler, record)

    def close(self) -> None:
        """A handler in a thread cannot be broken off: the program ends when it returns."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)


async def _outcome(record: SharedRecord, work: Awaitable[Any]) -> Ack:
    name = f"{record.topic}-{record.partition} offset {record.offset}, attempt {record.delivery_count}"
    try:
        await work
    except Reject as error:
        log.warning("rejected: %s: %s", name, error)
        return Ack.REJECT
    except Exception:
        log.exception("failed, and given back: %s", name)
        return Ack.RELEASE
    return Ack.ACCEPT


def _say(consumer: Consumer, record: SharedRecord, how: Ack) -> None:
    try:
        consumer.acknowledge(record, how)
    except InvalidRecordState as error:  # its time was over, or its broker was replaced
        log.warning("a job may be done again: %s", error)
