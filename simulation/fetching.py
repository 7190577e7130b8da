"""How followers fetch in a simulated world: by the real fetchers, sessions and codecs, over simulated connections.

`FetchServer` stands for a broker's connection and dispatch, as far as a follower's fetch is concerned: frames in, the
answers out in the order of the questions.
"""

import asyncio
import struct
from collections import deque
from typing import TYPE_CHECKING, Any, Final

from penstock.model import BrokerId
from penstock.replication import Promise
from penstock.replication.following import Follower
from penstock.replication.replica_sessions import ReplicaSessions
from penstock.wire.api import ApiKey
from penstock.wire.fetch import decode_request
from simulation.streams import End

if TYPE_CHECKING:
    from simulation.broker import BrokerProcess

_SIZE: Final = struct.Struct(">i")
_HEADER: Final = struct.Struct(">hhih")


class FetchServer:
    """A connection that a follower has made."""

    def __init__(self, process: "BrokerProcess", end: End) -> None:
        self._process = process
        self._end = end
        self._received = bytearray()
        self._owed: deque[tuple[int, Any]] = deque()
        """Correlation ids and answers, which may be there or not."""

    def feed(self, data: bytes) -> None:
        """Before the broker serves, bytes wait in the kernel."""
        self._process.answer(self._take_in, data)

    def _take_in(self, data: bytes) -> None:
        self._received += data
        services = self._process.services
        assert services is not None
        services.after_receive.begin()
        while len(self._received) >= 4 and len(self._received) >= 4 + _SIZE.unpack_from(self._received)[0]:
            end = 4 + _SIZE.unpack_from(self._received)[0]
            frame = memoryview(bytes(self._received[4:end]))
            del self._received[:end]
            self._handle(frame, services.replica_sessions)
        services.after_receive.settle()
        self._send()

    def _handle(self, frame: memoryview, sessions: ReplicaSessions) -> None:
        api_key, version, correlation_id, client_id_size = _HEADER.unpack_from(frame)
        assert api_key == ApiKey.FETCH
        request = decode_request(frame, _HEADER.size + client_id_size + 1, version)
        self._owe(correlation_id, sessions.fetch(request, version, proved=request.replica_id))

    def _owe(self, correlation_id: int, answer: Any) -> None:
        if asyncio.iscoroutine(answer):
            answer = self._process.spawn(answer)
        self._owed.append((correlation_id, answer))
        if isinstance(answer, (asyncio.Future, Promise)):
            answer.add_done_callback(lambda _: self._send())

    def _send(self) -> None:
        while self._owed:
            correlation_id, answer = self._owed[0]
            while isinstance(answer, (asyncio.Future, Promise)):
                if not answer.done():
                    return
                if answer.cancelled():
                    self._end.abort()
                    return
                answer = answer.result()
            self._owed.popleft()
            body = b"".join(self.bytes_of(chunk) for chunk in answer)
            self._end.write(struct.pack(">iiB", len(body) + 5, correlation_id, 0) + body)

    @staticmethod
    def bytes_of(chunk: Any) -> bytes:
        if isinstance(chunk, (bytes, bytearray)):
            return bytes(chunk)
        data: bytes = chunk.read()
        chunk.release()
        return data

    def connection_lost(self, exc: Exception | None) -> None:
        for _, answer in self._owed:
            if isinstance(answer, (asyncio.Future, Promise)):
                answer.cancel()
        self._owed.clear()


def is_followed_from(process: "BrokerProcess", leader: int) -> list[Any]:
    """Partitions that a process follows there."""
    return [
        partition
        for partition in process.watched
        if isinstance(partition.role, Follower) and partition.role.leader == BrokerId(leader)
    ]
