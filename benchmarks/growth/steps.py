"""Curves of single steps, without sockets: a fetch of many partitions, a log of many segments."""

import asyncio
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path

from tests.support.logs import a_batch, a_log

from benchmarks.cpu_cost import cost_us
from benchmarks.growth.curve import Curve
from benchmarks.micro_dispatch import Harness, Produce, SessionFetch, fetch, harness
from penstock.log import FilePool, PartitionLog
from penstock.wire.batch import BASE_OFFSET, BatchHeader

_APPENDS_MAX = 2_048


async def _fetches(folder: Path, points: tuple[int, ...]) -> list[Curve]:
    curve = Curve("fetch-width", "One fetch by its partitions", "partitions a fetch", "CPU µs", is_log=True)
    async with harness(folder, partitions=max(points)) as broker:
        written = Produce(1, 1024)
        Produce.check(broker.handle(written()))
        for number in points:
            named = fetch(number, broker.topic_id)
            curve.add("all named, one with records", number, cost_us(partial(broker.answer, named)))
            session = SessionFetch(number, broker.topic_id, offset=1)
            session.begin(broker.handle(session.first))
            curve.add("session in which nothing happens", number, cost_us(partial(_ask_again, broker, session)))
    return [curve]


def _ask_again(broker: Harness, session: SessionFetch) -> None:
    broker.answer(session())


def fetches(folder: Path, points: tuple[int, ...] = (1, 10, 100, 300, 1_000)) -> list[Curve]:
    return asyncio.run(_fetches(folder, points))


def segments(folder: Path, points: tuple[int, ...] = (1, 10, 100, 1_000)) -> list[Curve]:
    """A log of so many segments: an append at its end, and a look for any offset."""
    curve = Curve("segments", "One partition's log by its segments", "segments", "CPU µs")
    for number in points:
        where = folder / f"orders-{number}"
        log = _opened(where, segment_bytes=16_384)
        append = _appending(log)
        for _ in range(number * 20):  # sixteen fill one
            if len(log.segments) == number:
                break
            append()
        log.flushing.close()
        log = _opened(where, segment_bytes=1 << 30)  # no more of them while appends are measured
        curve.add("append", number, cost_us(_appending(log), _APPENDS_MAX))
        curve.add("look for any offset", number, cost_us(_looking(log)))
        log.flushing.close()
    return [curve]


def _opened(folder: Path, *, segment_bytes: int) -> PartitionLog:
    return a_log(folder, settings={"internal.segment.bytes": str(segment_bytes)}, pool=FilePool(4_096))


def _appending(log: PartitionLog) -> Callable[[], None]:
    _, view = a_batch(0, value_bytes=1_000)
    buffer = bytearray(view)
    writable = memoryview(buffer)

    def append() -> None:
        BASE_OFFSET.pack_into(buffer, 0, log.end_offset)
        log.append([(BatchHeader.peek(buffer), writable)])

    return append


def _looking(log: PartitionLog) -> Callable[[], None]:
    end, numbers = log.end_offset, count()

    def look() -> None:
        found = log.slice(next(numbers) * 7919 % end, at_most=1 << 20, before=end)
        assert found is not None
        found.release()

    return look
