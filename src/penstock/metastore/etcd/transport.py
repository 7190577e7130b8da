"""One gRPC channel to one etcd endpoint. The only file that knows grpc; importing it is what costs 11 MB.

Messages go in and come out as bytes: grpc.aio takes any serializer, or none. Every call has a deadline, except a watch,
whose reader keeps its own.
"""

import asyncio
import os
from typing import Any

# What its core would write to the terminal past our log, line upon line for a wrong certificate, is in the errors too.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

import grpc
import grpc.aio

from penstock.metastore.etcd.failures import CHANNEL_CLOSED, CallFailed
from penstock.metastore.etcd.options import Secrets, address

MESSAGE_BYTES_MAX = 256 * 1024 * 1024
"""The largest answer taken: a page of a listing with values of etcd's greatest size is below it."""

_OPTIONS = (
    ("grpc.max_receive_message_length", MESSAGE_BYTES_MAX),
    ("grpc.max_send_message_length", -1),  # etcd has its own limit, and says so
    ("grpc.enable_http_proxy", 0),  # a proxy for the web is not one for etcd
    ("grpc.use_local_subchannel_pool", 1),  # a new channel is a new connection, without another's back-off
    ("grpc.enable_retries", 0),  # whether a call may be repeated is decided here
)


class Channel:
    """Open until `close`. `token` goes with every call: None before authentication, empty where there is none."""

    def __init__(self, endpoint: str, secrets: Secrets) -> None:
        target, is_tls = address(endpoint)
        self.endpoint = endpoint
        self.token: str | None = None
        if is_tls or secrets.ca is not None or secrets.certificate is not None:
            credentials = grpc.ssl_channel_credentials(secrets.ca, secrets.key, secrets.certificate)
            self._channel: Any = grpc.aio.secure_channel(target, credentials, options=_OPTIONS)
        else:
            self._channel = grpc.aio.insecure_channel(target, options=_OPTIONS)

    @property
    def is_connected(self) -> bool:
        """False as soon as the connection was lost, and until a call makes a new one."""
        return bool(self._channel.get_state() == grpc.ChannelConnectivity.READY)

    async def ask(self, method: str, request: bytes, *, timeout_s: float) -> bytes:
        """One message there, one back. A method that streams takes this too: it sees a stream of one message."""
        try:
            call = self._channel.unary_unary(method)(request, timeout=timeout_s, metadata=self._metadata())
            answer: bytes = await call
        except grpc.aio.AioRpcError as error:
            raise self.failure(error) from None
        except grpc.aio.UsageError:
            raise self._closed() from None
        except asyncio.CancelledError:
            if _task_is_cancelled():
                raise
            raise CallFailed(self.endpoint, "CANCELLED", "the channel was closed") from None
        return answer

    def open_stream(self, method: str) -> "Stream":
        try:
            return Stream(self, self._channel.stream_stream(method)(metadata=self._metadata()))
        except grpc.aio.UsageError:
            raise self._closed() from None

    def _closed(self) -> CallFailed:
        """Retired by another call, between this one's choice of a channel and its turn."""
        return CallFailed(self.endpoint, "UNAVAILABLE", CHANNEL_CLOSED)

    async def close(self, *, grace_s: float | None = None) -> None:
        """Calls under way may take up to the grace to end."""
        await self._channel.close(grace_s)

    def _metadata(self) -> tuple[tuple[str, str], ...]:
        # A member that has lost its leader answers so at once, and ends watches, rather than sit there.
        usual = (("hasleader", "true"),)
        return (*usual, ("token", self.token)) if self.token else usual

    def failure(self, error: "grpc.aio.AioRpcError") -> CallFailed:
        return CallFailed(self.endpoint, error.code().name, error.details() or "")


def _task_is_cancelled() -> bool:
    """grpc raises CancelledError for a call that was cancelled, whoever did it; this tells whether the task was."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


class Stream:
    """Messages both ways until either side ends it."""

    def __init__(self, channel: Channel, call: Any) -> None:
        self._channel = channel
        self._call = call

    async def send(self, request: bytes, *, timeout_s: float) -> None:
        try:
            async with asyncio.timeout(timeout_s):
                await self._call.write(request)
        except TimeoutError:
            raise self.failed("DEADLINE_EXCEEDED", "a request could not be sent") from None
        except grpc.aio.AioRpcError as error:
            raise self._channel.failure(error) from None
        except asyncio.CancelledError:
            if _task_is_cancelled():
                raise
            raise self.failed("CANCELLED", "the channel was closed") from None
        except asyncio.InvalidStateError as error:  # the call has ended meanwhile
            raise self.failed("UNAVAILABLE", str(error)) from None

    async def receive(self) -> bytes:
        try:
            answer = await self._call.read()
            if answer is grpc.aio.EOF:
                status, details = await self._call.code(), await self._call.details()
                raise self.failed(status.name, details or "the stream has ended")
        except grpc.aio.AioRpcError as error:
            raise self._channel.failure(error) from None
        return bytes(answer)

    def failed(self, status: str, details: str) -> CallFailed:
        return CallFailed(self._channel.endpoint, status, details)

    def cancel(self) -> None:
        self._call.cancel()
