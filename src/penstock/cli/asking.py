"""Kafka requests that librdkafka has no call for, over plain sockets: one connection a broker, one question at a time.

Answers come in the generated messages. A broker is asked in the newest version that both sides know.
"""

import socket
import ssl
from types import TracebackType
from typing import Any, TypeVar

import msgspec

from penstock.cli.advertised import advice
from penstock.cli.client import Cluster
from penstock.cli.exits import Failure, Unreachable
from penstock.errors import error_name, refusal_for
from penstock.wire.api import API_VERSIONS, ApiKey
from penstock.wire.framing import SIZE, RequestHeader, decode_response_header, request_frame
from penstock.wire.messages.api_versions_request import ApiVersionsRequest
from penstock.wire.messages.api_versions_response import ApiVersionsResponse
from penstock.wire.messages.find_coordinator_request import FindCoordinatorRequest
from penstock.wire.messages.find_coordinator_response import FindCoordinatorResponse
from penstock.wire.messages.metadata_request import MetadataRequest, MetadataRequestTopic
from penstock.wire.messages.metadata_response import MetadataResponse

Response = TypeVar("Response", bound=msgspec.Struct)

CLIENT_ID = "penstock-cli"
ANSWER_BYTES_MAX = 256 << 20
FIND_MANY_FROM = 4


class Connection:
    def __init__(self, host: str, port: int, cluster: Cluster) -> None:
        self.address = f"{host}:{port}"
        self._cluster = cluster
        self._asked = 0
        self._versions: dict[int, tuple[int, int]] = {}
        try:
            plain = socket.create_connection((host, port), timeout=cluster.timeout_s)
            self._socket = _secured(plain, host, cluster)
        except OSError as error:
            raise Unreachable(f"cannot reach a Kafka broker at {self.address}: {error.strerror or error}") from error
        versions = self._ask(ApiVersionsRequest(CLIENT_ID, CLIENT_ID), ApiVersionsResponse, version=3)
        self._versions = {each.api_key: (each.min_version, each.max_version) for each in versions.api_keys}

    def ask(self, request: Any, response: type[Response], *, version_min: int = 0) -> Response:
        key = ApiKey(request.api_key)
        low = self._versions.get(key, (0, -1))[0]
        version = self.newest(key)
        if version < max(low, version_min):
            name = key.name.title().replace("_", "")
            raise Failure(f"the broker at {self.address} does not answer {name} in a version that can do this")
        return self._ask(request, response, version=version)

    def newest(self, key: ApiKey) -> int:
        """The version that both sides know; -1 where the broker does not know the API."""
        return min(self._versions.get(key, (0, -1))[1], API_VERSIONS[key][1])

    def _ask(self, request: Any, response: type[Response], *, version: int) -> Response:
        self._asked += 1
        header = RequestHeader(request.api_key, version, self._asked, CLIENT_ID)
        try:
            self._socket.sendall(request_frame(header, bytes(request.encode(version))))
            (size,) = SIZE.unpack(self._receive(SIZE.size))
            if not 0 < size <= ANSWER_BYTES_MAX:
                raise Failure(f"what answers at {self.address} does not speak Kafka's protocol")
            frame = self._receive(size)
        except OSError as error:
            raise Unreachable(f"no answer from the broker at {self.address}: {error.strerror or error}") from error
        _, position = decode_response_header(request.api_key, version, frame)
        decoded: Response = response.decode(frame, version, position)  # type: ignore[attr-defined]
        return decoded

    def _receive(self, size: int) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            part = self._socket.recv(min(size - len(parts), 1 << 20))
            if not part:
                raise ConnectionResetError("it closed the connection")
            parts += part
        return bytes(parts)

    def close(self) -> None:
        self._socket.close()


def _secured(plain: socket.socket, host: str, cluster: Cluster) -> socket.socket:
    protocol = cluster.properties.get("security.protocol", "plaintext").lower()
    if protocol == "plaintext":
        return plain
    if protocol != "ssl":
        plain.close()
        raise Failure(f"this command does not speak {protocol.upper()}; PLAINTEXT and SSL are known")
    context = ssl.create_default_context(cafile=cluster.properties.get("ssl.ca.location"))
    certificate = cluster.properties.get("ssl.certificate.location")
    if certificate:
        context.load_cert_chain(certificate, cluster.properties.get("ssl.key.location"))
    return context.wrap_socket(plain, server_hostname=host)


class Brokers:
    """All brokers of a cluster, asked by id; connections are kept until the end of the block."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._kept: dict[int, Connection] = {}
        self._addresses: dict[int, tuple[str, int]] = {}
        self._first = self._connect_to_any()
        self._learn_addresses()

    def __enter__(self) -> "Brokers":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def _close(self) -> None:
        for connection in (self._first, *self._kept.values()):
            connection.close()
        self._kept = {}

    def reconnect(self) -> None:
        """After Unreachable: by any address that was named or that the cluster has told."""
        self._close()
        self._first = self._connect_to_any()
        self._learn_addresses()

    def _learn_addresses(self) -> None:
        metadata = self._first.ask(MetadataRequest(topics=[]), MetadataResponse)
        self._addresses = {broker.node_id: (broker.host, broker.port) for broker in metadata.brokers}

    def _connect_to_any(self) -> Connection:
        failure: Unreachable | None = None
        for host, port in dict.fromkeys([*self._cluster.named(), *self._addresses.values()]):
            try:
                return Connection(host, port, self._cluster)
            except Unreachable as unreachable:
                failure = unreachable
        assert failure is not None
        failure.hint = "Is a broker running there? Name another with --bootstrap HOST:PORT or PENSTOCK_BOOTSTRAP."
        raise failure

    def ask(self, request: Any, response: type[Response], *, version_min: int = 0) -> Response:
        """Any broker, for what every one of them answers or passes on to the controller."""
        return self._first.ask(request, response, version_min=version_min)

    def newest(self, key: ApiKey) -> int:
        return self._first.newest(key)

    def ids(self) -> list[int]:
        return sorted(self._addresses)

    def at(self, broker_id: int) -> Connection:
        if broker_id not in self._addresses:
            raise Failure(f"broker {broker_id} is not there at the moment")
        if broker_id not in self._kept:
            address = self._addresses[broker_id]
            try:
                self._kept[broker_id] = Connection(*address, self._cluster)
            except Unreachable as unreachable:
                # Said in the words of the other commands, with what was connected to and what it told.
                problem = {broker_id: str(unreachable.__cause__)}
                unreachable.hint = advice(self._first.address, self._addresses, problem)
                raise
        return self._kept[broker_id]

    def coordinator(self, key: str, *, key_type: int) -> int:
        request = FindCoordinatorRequest(key_type=key_type, coordinator_keys=[key])
        answer = self._first.ask(request, FindCoordinatorResponse, version_min=FIND_MANY_FROM)
        (found,) = answer.coordinators
        require_ok(found.error_code, found.error_message, doing=f"find the coordinator of {key}")
        self._addresses.setdefault(found.node_id, (found.host, found.port))
        return found.node_id

    def topics(self, names: list[str] | None) -> MetadataResponse:
        """Partitions and their leaders; None for every topic."""
        wanted = None if names is None else [MetadataRequestTopic(name=name) for name in names]
        request = MetadataRequest(topics=wanted, allow_auto_topic_creation=False)
        return self._first.ask(request, MetadataResponse, version_min=4)


def require_ok(code: int, message: str | None, *, doing: str) -> None:
    if code:
        raise Failure(f"could not {doing}: {message or refusal_for(code).meaning()} ({error_name(code)})")
