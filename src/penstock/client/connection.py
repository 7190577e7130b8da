"""One connection to a broker as its bytes: requests out, answers in, without a socket.

Answers come in the order of the requests, so the oldest request under way is the one that is answered. Which versions
the broker speaks is asked first (ApiVersions); each request then goes in the newest version that both sides know.

Bytes are received in place: a driver asks for a `buffer`, fills some of it and says how many. A frame that is larger
than the receive buffer gets memory of its own. Fetched records are views into the frame that brought them.
"""

from collections import deque
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from penstock.client.tasks import Future
from penstock.errors import NetworkFailure, UnsupportedVersion
from penstock.wire import Malformed, Unencodable
from penstock.wire.api import API_VERSIONS, ApiKey, response_type
from penstock.wire.framing import SIZE, RequestHeader, decode_response_header, request_frame
from penstock.wire.messages.api_versions_request import ApiVersionsRequest
from penstock.wire.messages.api_versions_response import ApiVersionsResponse
from penstock.wire.primitives import Message

SOFTWARE_NAME: Final = "penstock-client"
RECEIVE_BYTES: Final = 64 * 1024
FRAME_BYTES_MAX: Final = 1 << 30
"""What claims more is no Kafka broker: the first bytes of TLS or HTTP read as such a size."""
CORRELATION_ID_MAX: Final = 0x7FFFFFFF


class Asked(NamedTuple):
    correlation_id: int
    api_key: int
    version: int
    answer: Future[Any]


class Connection:
    def __init__(self, client_id: str, software_version: str = "0") -> None:
        self._client_id = client_id
        self._software_version = software_version
        self.to_send: list[bytes] = []
        """Whole frames for the driver to take away, in order."""
        self.versions: dict[int, tuple[int, int]] = {}
        """What the broker offers, by API key."""
        self.features: dict[str, int] = {}
        """Finalised features by name, as `transaction.version`."""
        self.supported_features: dict[str, tuple[int, int]] = {}
        self._under_way: deque[Asked] = deque()
        self._correlation_id = 0
        self._buffer = bytearray(RECEIVE_BYTES)
        self._filled = 0
        self._frame: bytearray | None = None
        """A frame too large for the buffer, being received."""
        self.error: NetworkFailure | None = None
        """Why the connection ended; None while it lives."""

    @property
    def under_way(self) -> int:
        return len(self._under_way)

    # Asking ---------------------------------------------------------------------------------------------------------

    def ask(self, request: Message, version: int, *, answered: bool = True) -> Future[Any]:
        """The answer, later. Not `answered`: Produce with acks=0, done when it is on its way."""
        answer: Future[Any] = Future()
        if self.error is not None:
            answer.fail(self.error)
            return answer
        try:
            body = request.encode(version)
        except Unencodable as error:
            answer.fail(UnsupportedVersion(f"the broker's version of the API cannot say this: {error}"))
            return answer
        self._correlation_id = correlation_id = self._correlation_id % CORRELATION_ID_MAX + 1
        header = RequestHeader(request.api_key, version, correlation_id, self._client_id)
        self.to_send.append(request_frame(header, body))
        if answered:
            self._under_way.append(Asked(correlation_id, request.api_key, version, answer))
        else:
            answer.resolve(None)
        return answer

    def version_for(self, api_key: int, *, at_least: int = 0, at_most: int | None = None) -> int:
        """The newest that both sides know. UnsupportedVersion where there is none within the bounds."""
        oldest, newest = API_VERSIONS[ApiKey(api_key)]
        low, high = self.versions.get(api_key, (0, -1))
        low, high = max(oldest, low, at_least), min(newest, high)
        if at_most is not None:
            high = min(high, at_most)
        if high < low:
            name = ApiKey(api_key).name.title().replace("_", "")
            raise UnsupportedVersion(f"the broker does not offer {name} in a version that can do this")
        return high

    async def negotiate(self, ask: Callable[[Message, int], Future[Any]]) -> None:
        """Learn the broker's versions. One that does not know our ApiVersions says 35, in version 0's form."""
        version = API_VERSIONS[ApiKey.API_VERSIONS][1]
        request = ApiVersionsRequest(SOFTWARE_NAME, self._software_version)
        answer: ApiVersionsResponse = await ask(request, version)
        if answer.error_code == UnsupportedVersion.code:
            offered = {each.api_key: each.max_version for each in answer.api_keys}
            version = min(offered.get(ApiKey.API_VERSIONS, 0), version)
            answer = await ask(request if version >= 3 else ApiVersionsRequest(), version)
        if answer.error_code:
            raise NetworkFailure(f"the broker refuses to say which versions it offers (error {answer.error_code})")
        self.versions = {each.api_key: (each.min_version, each.max_version) for each in answer.api_keys}
        self.supported_features = {
            each.name: (each.min_version, each.max_version) for each in answer.supported_features
        }
        self.features = {each.name: each.max_version_level for each in answer.finalized_features}

    # Bytes that come in ---------------------------------------------------------------------------------------------

    def buffer(self) -> memoryview:
        """Where to put the next bytes; never empty."""
        return memoryview(self._frame if self._frame is not None else self._buffer)[self._filled :]

    def received(self, count: int) -> None:
        """So many bytes are in the buffer now. A frame that makes no sense ends the connection (`error`)."""
        self._filled += count
        try:
            if self._frame is None:
                self._take_frames()
            elif self._filled == len(self._frame):
                frame, self._frame, self._filled = self._frame, None, 0
                self._answered(memoryview(frame))
        except Malformed as error:
            self.lost(f"the broker's answer cannot be read: {error}")

    def _take_frames(self) -> None:
        view, begin = memoryview(self._buffer), 0
        while self._filled - begin >= SIZE.size:
            (size,) = SIZE.unpack_from(self._buffer, begin)
            if not 0 < size <= FRAME_BYTES_MAX:
                raise Malformed(f"a frame of {size} bytes: what answers there does not speak Kafka's protocol")
            start, end = begin + SIZE.size, begin + SIZE.size + size
            if end <= self._filled:
                self._answered(memoryview(bytes(view[start:end])))
                begin = end
                continue
            if SIZE.size + size > RECEIVE_BYTES:
                self._frame = bytearray(size)
                self._filled -= start
                self._frame[: self._filled] = view[start : start + self._filled]
                return
            break
        rest = self._filled - begin
        if begin and rest:
            self._buffer[:rest] = self._buffer[begin : self._filled]
        self._filled = rest

    def _answered(self, frame: memoryview) -> None:
        if not self._under_way:
            raise Malformed("an answer to nothing that was asked")
        asked = self._under_way.popleft()
        try:
            asked.answer.resolve(_decoded(asked, frame))
        except Malformed as error:
            asked.answer.fail(NetworkFailure(f"the broker's answer cannot be read: {error}"))
            raise

    def lost(self, reason: str) -> None:
        """The connection is over; whoever waits for an answer hears it."""
        if self.error is None:
            self.error = NetworkFailure(reason)
            under_way, self._under_way = self._under_way, deque()
            for asked in under_way:
                asked.answer.fail(NetworkFailure(reason))


def _decoded(asked: Asked, frame: memoryview) -> Any:
    correlation_id, position = decode_response_header(asked.api_key, asked.version, frame)
    if correlation_id != asked.correlation_id:
        raise Malformed(f"an answer to request {correlation_id} where {asked.correlation_id} is the oldest")
    version = asked.version
    if asked.api_key == ApiKey.API_VERSIONS and bytes(frame[position : position + 2]) == b"\x00\x23":
        version = 0  # error 35 comes in the form that everybody reads
    return response_type(ApiKey(asked.api_key)).decode(frame, version, position)
