"""Calls to whichever endpoint answers: connecting, moving on from one that does not, authenticating.

One connection serves all calls and watches. It is proven before use: etcd's version is read, the user authenticated,
and one read by consensus shows that the store is not behind what was seen before (RULES 12). A connection that failed
a call is retired, and the next call goes to the next endpoint; calls still under way on it keep their deadline.
"""

import asyncio
import random
from asyncio import Task
from typing import Any

import structlog

from penstock.metastore.etcd import messages, methods
from penstock.metastore.etcd.failures import CallFailed, CallOutcome, meaning, refusal
from penstock.metastore.etcd.options import EtcdOptions, read_secrets
from penstock.metastore.etcd.seen import SeenRevision, refuse_if_behind
from penstock.metastore.etcd.transport import Channel
from penstock.metastore.etcd.versions import complaint
from penstock.metastore.port import Unavailable

ROUND_PAUSE_MIN_S, ROUND_PAUSE_MAX_S = 0.05, 0.3
"""Between two rounds through all endpoints of which none answered; it grows while that goes on."""

DOUBT_S = 0.3
"""How long a write may go unanswered before it is asked whether etcd has a new leader."""

_log = structlog.get_logger(__name__)


class Client:
    def __init__(self, options: EtcdOptions, seen: SeenRevision) -> None:
        self.options = options
        self.seen = seen
        self._secrets = read_secrets(options)
        self._probe = messages.range_request(options.probe_key.encode(), count_only=True)
        self._term = 0
        self._channel: Channel | None = None
        self._connecting = asyncio.Lock()
        # Brokers start at different endpoints, so that not all of them watch through the first.
        self._next = random.randrange(len(options.endpoints))
        self._complained: set[tuple[str, str]] = set()
        self._pause_s = ROUND_PAUSE_MIN_S
        self._last_failure: Exception = TimeoutError(f"{', '.join(options.endpoints)}: none has answered yet")
        self._retiring: set[Task[Any]] = set()
        self.closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @property
    def endpoint(self) -> str | None:
        return None if self._channel is None else self._channel.endpoint

    async def ask(self, method: str, request: bytes, *, is_repeatable: bool) -> bytes:
        """The answer, within the request timeout. Raises what the port raises; Unavailable also when it is unknown
        whether a call that may not be repeated was carried out."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self.options.request_timeout_s
        authenticated = False
        while True:
            channel = await self.connected(deadline)
            remaining_s = max(0.001, deadline - loop.time())
            timeout_s = min(remaining_s, self.options.attempt_timeout_s) if is_repeatable else remaining_s
            try:
                if is_repeatable:
                    return await channel.ask(method, request, timeout_s=timeout_s)
                return await self._ask_doubting(channel, method, request, timeout_s)
            except CallFailed as failure:
                match meaning(failure):
                    case CallOutcome.REFUSED:
                        raise refusal(failure) from failure
                    case CallOutcome.TOKEN_EXPIRED:
                        if authenticated:
                            raise refusal(failure) from failure
                        authenticated = True
                        channel.token = None
                    case CallOutcome.UNKNOWN if not is_repeatable:
                        self.retire(channel, failure)
                        raise Unavailable(f"whether it was written is unknown: {failure}") from failure
                    case _:
                        self.retire(channel, failure)
                        if loop.time() >= deadline:
                            raise Unavailable(str(failure)) from failure

    def note_term(self, term: int) -> None:
        self._term = max(self._term, term)

    async def connected(self, deadline: float) -> Channel:
        """A connection proven since it was last lost. Unavailable at the deadline (by the loop's clock)."""
        if self._is_usable(self._channel):
            return self._channel  # type: ignore[return-value]
        try:
            async with asyncio.timeout_at(deadline), self._connecting:
                while not self.closed.done():
                    for _ in self.options.endpoints:
                        if self._is_usable(self._channel):
                            return self._channel  # type: ignore[return-value]
                        try:
                            return await self._connect()
                        except CallFailed as failure:
                            self._last_failure = failure
                            self._move_on()
                    self._pause_s = min(self._pause_s * 1.5, ROUND_PAUSE_MAX_S)
                    await asyncio.sleep(self._pause_s)
        except TimeoutError:
            raise Unavailable(f"no etcd endpoint could be used: {self._last_failure}") from self._last_failure
        raise Unavailable("the metastore is closed")

    def retire(self, channel: Channel, why: Exception) -> None:
        """Use it no more. Whoever still waits on it may go on doing so for as long as any call may take."""
        if channel is not self._channel:
            return
        _log.info("leaving an etcd endpoint", endpoint=channel.endpoint, reason=str(why))
        self._channel = None
        self._move_on()
        self._spawn(channel.close(grace_s=self.options.request_timeout_s))

    async def close(self) -> None:
        if not self.closed.done():
            self.closed.set_result(None)
        if self._channel is not None:
            self._spawn(self._channel.close())
            self._channel = None
        await asyncio.gather(*self._retiring, return_exceptions=True)

    async def _ask_doubting(self, channel: Channel, method: str, request: bytes, timeout_s: float) -> bytes:
        """A write that a follower has passed on to a leader which then died is never answered, however long one waits.

        Once a read by consensus comes back under a new leader while the write does not, waiting on is pointless: all
        that this member has applied is answered.
        """
        term = self._term
        asking = asyncio.ensure_future(channel.ask(method, request, timeout_s=timeout_s))
        try:
            while not (await asyncio.wait((asking,), timeout=DOUBT_S))[0]:
                if await self._has_new_leader(channel, since=term):
                    await asyncio.wait((asking,), timeout=DOUBT_S / 3)
                    if not asking.done():
                        raise CallFailed(channel.endpoint, "ABORTED", "etcd has a new leader since it was sent")
            return asking.result()
        finally:
            if not asking.done():
                asking.cancel()
                await asyncio.wait((asking,))

    async def _has_new_leader(self, channel: Channel, *, since: int) -> bool:
        try:
            answer = await channel.ask(methods.RANGE, self._probe, timeout_s=DOUBT_S)
        except CallFailed:
            return False
        return messages.range_page(answer).header.term > since

    def _is_usable(self, channel: Channel | None) -> bool:
        return channel is not None and channel.is_connected and channel.token is not None

    def _move_on(self) -> None:
        self._next = (self._next + 1) % len(self.options.endpoints)

    async def _connect(self) -> Channel:
        """To the endpoint whose turn it is, or again to the one in use when only its connection or token was lost."""
        timeout_s = self.options.attempt_timeout_s
        channel = self._channel or Channel(self.options.endpoints[self._next], self._secrets)
        self._channel = None
        try:
            async with asyncio.timeout(timeout_s):
                await self._prove(channel, timeout_s)
        except TimeoutError:
            self._spawn(channel.close())
            raise CallFailed(channel.endpoint, "DEADLINE_EXCEEDED", f"no answer within {timeout_s:g} s") from None
        except BaseException:
            self._spawn(channel.close())
            raise
        self._channel, self._pause_s = channel, ROUND_PAUSE_MIN_S
        return channel

    async def _prove(self, channel: Channel, timeout_s: float) -> None:
        status = messages.status_answer(await channel.ask(methods.STATUS, b"", timeout_s=timeout_s))
        if words := complaint(status.version):
            self._warn(channel.endpoint, words)
        channel.token = await self._authenticate(channel, timeout_s) if self.options.username else ""
        seen = self.seen.highest
        try:
            answer = await channel.ask(methods.RANGE, self._probe, timeout_s=timeout_s)
        except CallFailed as failure:
            if meaning(failure) in (CallOutcome.REFUSED, CallOutcome.TOKEN_EXPIRED):
                raise refusal(failure) from failure
            raise
        header = messages.range_page(answer).header
        refuse_if_behind(seen=seen, present=header.revision)
        self.note_term(header.term)

    async def _authenticate(self, channel: Channel, timeout_s: float) -> str:
        channel.token = None
        request = messages.authenticate_request(self.options.username, self.options.password)
        try:
            return messages.token_answer(await channel.ask(methods.AUTHENTICATE, request, timeout_s=timeout_s))
        except CallFailed as failure:
            if "authentication is not enabled" in failure.details:
                self._warn(channel.endpoint, "etcd asks nobody for a password, yet penstock.etcd.username is set")
                return ""
            if meaning(failure) is CallOutcome.REFUSED:
                raise refusal(failure) from failure
            raise

    def _warn(self, endpoint: str, words: str) -> None:
        """Once an endpoint: connections come and go."""
        if (endpoint, words) not in self._complained:
            self._complained.add((endpoint, words))
            _log.warning("etcd is not as it should be", endpoint=endpoint, reason=words)

    def _spawn(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._retiring.add(task)
        task.add_done_callback(self._retiring.discard)
