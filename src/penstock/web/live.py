"""A reader of a topic that stays: records as they come, each with the cursor behind it, until somebody is gone."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Any, Final

import anyio
import msgspec
import structlog

from penstock.client import AsyncConsumer, place
from penstock.client.outcomes import one
from penstock.errors import OffsetOutOfRange, Refusal
from penstock.web.clients import Login
from penstock.web.options import WebOptions
from penstock.web.places import Begin
from penstock.web.problems import Problem, of_refusal
from penstock.web.record_json import as_read

_log = structlog.get_logger(__name__)

QUIET_S: Final = 15.0
"""After so long without a record something is said, so that nobody on the way takes the connection for dead."""
LOOK_EVERY_S: Final = 15.0
"""For partitions that were added."""
FETCH_BYTES: Final = 1024 * 1024
PARTITION_BYTES: Final = 256 * 1024
BURST: Final = 100

Event = tuple[str, str | None, Any]
"""Its kind (record, gap, quiet, problem), the cursor behind it, and what is said."""


class Streams:
    """How many there are, and whether they are to end."""

    def __init__(self, options: WebOptions) -> None:
        self.count = 0
        self.stopping = asyncio.Event()
        self.options = options

    def take_place(self) -> None:
        if self.count >= self.options.streams_max:
            raise Problem(
                503, "too-many-streams", f"{self.count} streams are open here (streams_max)",
                headers={"retry-after": "5"},
            )  # fmt: skip
        self.count += 1

    async def run(
        self, events: AsyncGenerator[Event, None], send: Callable[[Event], Awaitable[None]], until_gone: Awaitable[Any]
    ) -> bool:
        """Send events until there are none, the reader is gone or takes nothing for too long, or we are to stop.
        Whether there is still somebody who takes a last word.
        """
        is_stalled = False

        async def end_with(over: Awaitable[Any]) -> None:
            await over
            tasks.cancel_scope.cancel()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(end_with, until_gone)
            tasks.start_soon(end_with, self.stopping.wait())
            try:
                async with aclosing(events):
                    async for event in events:
                        async with asyncio.timeout(self.options.stream_stall_s):
                            await send(event)
            except TimeoutError:
                is_stalled = True
                _log.info("a stream was cut off", reason="its reader took nothing", for_s=self.options.stream_stall_s)
            tasks.cancel_scope.cancel()
        return not is_stalled


async def events(login: Login, begin: Begin, *, as_json: bool, committed: bool) -> AsyncGenerator[Event, None]:
    topic, offsets = begin.topic.name, dict(begin.offsets)
    with login.connection() as name:
        consumer = login.client.consumer(
            reset=None, connection_name=name, fetch_wait_s=QUIET_S, fetch_bytes=FETCH_BYTES,
            partition_bytes=PARTITION_BYTES, read_committed=committed,
        )  # fmt: skip
        consumer.assign({place(topic, each): offset for each, offset in offsets.items()})
        now_s = asyncio.get_running_loop().time
        look_s = now_s() + LOOK_EVERY_S
        try:
            yield "quiet", begin.cursor(offsets), None
            while True:
                try:
                    records = await consumer.poll(QUIET_S, at_most=BURST)
                    if not records or now_s() >= look_s:  # the others may never be quiet
                        await _take_new_partitions(login, begin, consumer, offsets)
                        look_s = now_s() + LOOK_EVERY_S
                    if not records:
                        yield "quiet", begin.cursor(offsets), None
                except OffsetOutOfRange:
                    for gap in await _skip_what_is_gone(login, topic, consumer, offsets):
                        yield "gap", begin.cursor(offsets), gap
                    continue
                for record in records:
                    offsets[record.partition] = record.offset + 1
                    yield "record", begin.cursor(offsets), as_read(record, as_json=as_json)
        except Refusal as refusal:
            yield "problem", None, of_refusal(refusal)
        finally:
            consumer.core.close_at_once()


async def _take_new_partitions(login: Login, begin: Begin, consumer: AsyncConsumer, offsets: dict[int, int]) -> None:
    info = one(await login.client.describe_topics([begin.topic.name]))
    if begin.is_whole:
        for partition in info.partitions.keys() - offsets.keys():
            offsets[partition] = 0
            consumer.seek(place(info.name, partition), 0)


async def _skip_what_is_gone(
    login: Login, topic: str, consumer: AsyncConsumer, offsets: dict[int, int]
) -> list[dict[str, int]]:
    """Records were deleted before they were read: go on with what is there, and say so."""
    gaps = []
    ranges = (await login.client.offset_ranges([place(topic, each) for each in offsets])).all()
    for where, held in ranges.items():
        former = offsets[where.partition]
        if not held.begin <= former <= held.end:
            offsets[where.partition] = held.begin if former < held.begin else held.end
            gaps.append({"partition": where.partition, "from": former, "to": offsets[where.partition]})
        consumer.seek(where, offsets[where.partition])
    return gaps


def as_sse(event: Event) -> bytes:
    kind, cursor, said = event
    # A value that is shown as JSON has the line ends of whoever wrote it. They stand between tokens, never in a string.
    lines = [b""] if said is None else [b"data: " + b" ".join(msgspec.json.encode(said).splitlines())]
    head = [f"event: {kind}".encode()] if said is not None else [b": quiet"]
    if cursor is not None:
        head.append(b"id: " + cursor.encode())
    return b"\n".join([*head, *lines, b"", b""])


def as_message(event: Event) -> bytes:
    kind, cursor, said = event
    return msgspec.json.encode({"type": kind, "cursor": cursor} | ({} if said is None else {kind: said}))
