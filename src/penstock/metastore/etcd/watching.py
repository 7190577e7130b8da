"""A watch that outlives its connections: resumed at the next revision, on whichever endpoint answers.

A watch is silent while nothing changes, so silence says nothing about the endpoint. After a while of it we ask for
progress, which a living endpoint answers once the watch has caught up; one that does not is left. The revision in that
answer is not used: etcd before 3.4.25 and 3.5.8 may name one whose events are still on their way.

etcd refuses a watch that starts below its compaction, but lets one start right at it, where a deletion may already be
forgotten. So the watch starts one revision early, and drops what it has seen: then etcd's check is ours. (The price:
etcd catches such watches up every 100 ms, so the first answer may take that long.)
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress

import structlog

from penstock.metastore.etcd import messages, methods
from penstock.metastore.etcd.client import Client
from penstock.metastore.etcd.failures import AccessDenied, CallFailed, CallOutcome, meaning, refusal
from penstock.metastore.etcd.transport import Channel, Stream
from penstock.metastore.etcd.watch_assembler import WatchAssembler
from penstock.metastore.port import Changes, Compacted, Revision, StoreBehind, Unavailable

_log = structlog.get_logger(__name__)


async def watch(client: Client, prefix: str, from_revision: Revision) -> AsyncGenerator[Changes, None]:
    """Ends when the client is closed. Raises Compacted, and what no other endpoint can help: denied, or behind."""
    position = from_revision
    was_denied = False
    loop = asyncio.get_running_loop()
    while not client.closed.done():
        try:
            channel = await client.connected(loop.time() + client.options.request_timeout_s)
        except (AccessDenied, StoreBehind):
            raise
        except Unavailable as error:
            if not client.closed.done():
                _log.warning("the watch waits for etcd", reason=str(error))
            continue
        assembly = WatchAssembler(position)
        try:
            async with aclosing(_answers(client, channel, prefix, Revision(max(1, position - 1)))) as answers:
                async for answer in answers:
                    was_denied = False
                    for changes in assembly.add(answer):
                        client.seen.note(changes.revision)
                        position = Revision(changes.revision + 1)
                        yield changes
        except CallFailed as failure:
            if meaning(failure) in (CallOutcome.REFUSED, CallOutcome.TOKEN_EXPIRED):
                if was_denied:
                    raise refusal(failure) from failure
                # A watch whose token has expired is denied, too: authenticate again before believing it.
                was_denied, channel.token = True, None
            else:
                client.retire(channel, failure)


async def _answers(
    client: Client, channel: Channel, prefix: str, start: Revision
) -> AsyncGenerator[messages.WatchAnswer, None]:
    """What one stream brings until it fails; raises CallFailed then, and Compacted."""
    stream = channel.open_stream(methods.WATCH)
    try:
        await stream.send(messages.watch_request(prefix, start), timeout_s=client.options.request_timeout_s)
        while True:
            data = await _next_answer(client, stream)
            if data is None:
                return
            answer = messages.watch_answer(data)
            if answer.compact_revision:
                raise Compacted(Revision(answer.compact_revision + 1))
            if answer.canceled:
                raise CallFailed(channel.endpoint, "ABORTED", answer.cancel_reason or "the watch was cancelled")
            yield answer
    finally:
        stream.cancel()


async def _next_answer(client: Client, stream: Stream) -> bytes | None:
    """None when the client is closed. Silence is probed once, and then ends the stream: together, a request timeout."""
    third_s = client.options.request_timeout_s / 3
    reading = asyncio.ensure_future(stream.receive())
    try:
        for patience_s in (third_s, 2 * third_s):
            await asyncio.wait((reading, client.closed), timeout=patience_s, return_when=asyncio.FIRST_COMPLETED)
            if client.closed.done():
                return None
            if reading.done():
                break
            await stream.send(messages.progress_request(), timeout_s=third_s)
        if not reading.done():
            raise stream.failed("DEADLINE_EXCEEDED", "the watch has gone silent")
        if reading.cancelled():
            raise stream.failed("CANCELLED", "the channel was closed")
        return reading.result()
    finally:
        if not reading.done():
            reading.cancel()
            with suppress(asyncio.CancelledError, CallFailed):
                await reading
