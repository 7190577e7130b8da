"""Questions to another broker over one connection: several may be under way, each finds its own answer."""

import asyncio
from asyncio import Future
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from penstock.errors import NetworkFailure, RequestTimedOut
from penstock.replication.peer_connection import PeerConnection
from penstock.wire.api import ApiKey, response_type
from penstock.wire.framing import RequestHeader, decode_response_header, request_frame

CLIENT_ID: Final = "penstock-peer"
CORRELATION_ID_MAX: Final = 0x7FFFFFFF


class _Asked(NamedTuple):
    api_key: int
    version: int
    answer: "Future[Any]"


class Conversation:
    def __init__(self, connection: PeerConnection) -> None:
        """Takes the connection's frames from now on, until it is given back."""
        self._connection = connection
        self._frames_went_to = connection.on_frame
        connection.on_frame = self._on_frame
        self._under_way: dict[int, _Asked] = {}
        self._correlation_id = 0
        self._heard_of = 0
        self._is_last = False
        self._is_closed_here = False
        connection.lost.add_done_callback(self._ended)

    @property
    def is_over(self) -> bool:
        return self._connection.lost.done()

    @property
    def is_quiet(self) -> bool:
        return not self._under_way

    async def ask(self, request: Any, *, version: int, timeout_s: float) -> Any:
        """The answer. NetworkFailure if the connection ends before it, RequestTimedOut if it does not come."""
        if self.is_over:
            raise NetworkFailure("the connection has ended")
        self._correlation_id = correlation_id = self._correlation_id % CORRELATION_ID_MAX + 1
        answer: Future[Any] = asyncio.get_running_loop().create_future()
        self._under_way[correlation_id] = _Asked(request.api_key, version, answer)
        header = RequestHeader(request.api_key, version, correlation_id, CLIENT_ID)
        self._connection.send(request_frame(header, request.encode(version)))
        heard_before = self._heard_of
        try:
            async with asyncio.timeout(timeout_s):
                return await answer
        except TimeoutError:
            if self._heard_of == heard_before:
                self.close()  # not a slow answer but a broker that gives none: the next question finds out anew
            raise RequestTimedOut(f"no answer within {timeout_s:g} s") from None
        finally:
            self._under_way.pop(correlation_id, None)
            if self._is_last and not self._under_way:
                self.close()

    def _on_frame(self, frame: memoryview) -> None:
        self._heard_of += 1
        correlation_id = int.from_bytes(frame[:4], "big")
        asked = self._under_way.get(correlation_id)
        if asked is None or asked.answer.done():
            return  # nobody waits for it any more
        _, position = decode_response_header(asked.api_key, asked.version, frame)
        asked.answer.set_result(response_type(ApiKey(asked.api_key)).decode(frame, asked.version, position))

    def _ended(self, lost: "Future[None]") -> None:
        reason = str(lost.exception() or "")
        under_way, self._under_way = self._under_way, {}
        for asked in under_way.values():
            if not asked.answer.done():
                asked.answer.set_exception(NetworkFailure(reason or "the connection has ended"))

    def give_back(self) -> None:
        self._connection.on_frame = self._frames_went_to
        self._connection.lost.remove_done_callback(self._ended)

    def other_is_known(self) -> None:
        """To be a broker of the cluster."""
        self._connection.is_known = True

    def close_when_quiet(self) -> None:
        """Ask nothing more, but hear the answers out."""
        self._is_last = True
        if self.is_quiet:
            self.close()

    def close(self) -> None:
        self._is_closed_here = True
        self._connection.close()

    def when_broken(self, callback: Callable[[], None]) -> None:
        """Call back when the other side, or what lies between, has ended the connection."""

        def tell(lost: "Future[None]") -> None:
            if not self._is_closed_here and isinstance(lost.exception(), ConnectionError):
                callback()

        self._connection.lost.add_done_callback(tell)
