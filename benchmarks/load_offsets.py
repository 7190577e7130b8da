"""How long groups are away after a restart: python -m benchmarks.load_offsets [offsets] [offsets a commit]

Commits so many offsets (1,000,000, a thousand at a time) to a broker, kills it, starts it again and prints how long it
took until every group was served, how long a request about something else took at worst meanwhile, and what asking for
all offsets of one group takes. Asserts nothing about time.
"""

import socket
import struct
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import penstock.testing
from benchmarks.figures import Better, Figure
from penstock.errors import CoordinatorLoadInProgress, CoordinatorNotAvailable, NotCoordinator
from penstock.wire.messages.api_versions_request import ApiVersionsRequest
from penstock.wire.messages.create_topics_request import CreatableTopic, CreateTopicsRequest
from penstock.wire.messages.find_coordinator_request import FindCoordinatorRequest
from penstock.wire.messages.offset_commit_request import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from penstock.wire.messages.offset_commit_response import OffsetCommitResponse
from penstock.wire.messages.offset_fetch_request import OffsetFetchRequest, OffsetFetchRequestGroup
from penstock.wire.messages.offset_fetch_response import OffsetFetchResponse

PARTITIONS = 1_000
"""Of the one topic; a group has committed on each."""
COMMIT, FETCH = 8, 8
NOT_YET = (CoordinatorLoadInProgress.code, CoordinatorNotAvailable.code, NotCoordinator.code)


class Client:
    """One request after the other, all of flexible versions."""

    def __init__(self, bootstrap: str) -> None:
        host, port = bootstrap.rsplit(":", 1)
        self._socket = socket.create_connection((host, int(port)), timeout=120)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, request: Any, version: int) -> bytes:
        body = struct.pack(">hhih", request.api_key, version, 1, -1) + b"\x00" + request.encode(version)
        self._socket.sendall(struct.pack(">i", len(body)) + body)
        (size,) = struct.unpack(">i", self._read(4))
        return self._read(size)[5:]

    def _read(self, count: int) -> bytes:
        data = bytearray()
        while len(data) < count:
            part = self._socket.recv(min(count - len(data), 1 << 20))
            if not part:
                raise ConnectionError("the broker closed the connection")
            data += part
        return bytes(data)


def commit(client: Client, group: str, at_once: int) -> None:
    for first in range(0, PARTITIONS, at_once):
        parts = [OffsetCommitRequestPartition(index, 7, 0, "") for index in range(first, first + at_once)]
        request = OffsetCommitRequest(group_id=group, topics=[OffsetCommitRequestTopic("bench", partitions=parts)])
        commit_when_loaded(client, request)


def commit_when_loaded(client: Client, request: OffsetCommitRequest) -> None:
    while True:
        answer = OffsetCommitResponse.decode(client.ask(request, COMMIT), COMMIT)
        code = answer.topics[0].partitions[0].error_code
        if code not in NOT_YET:
            break
        time.sleep(0.01)
    if code:
        raise RuntimeError(f"a commit was refused with code {code}")


def fetch(client: Client, group: str) -> OffsetFetchResponse:
    request = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group, topics=None)])
    return OffsetFetchResponse.decode(client.ask(request, FETCH), FETCH)


def wait_for_all(client: Client, groups: list[str]) -> tuple[float, float]:
    """Seconds until all were served, and the longest that a question about something else took."""
    began, worst_s = time.perf_counter(), 0.0
    for group in groups:
        request = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group, topics=[])])
        while OffsetFetchResponse.decode(client.ask(request, FETCH), FETCH).groups[0].error_code in NOT_YET:
            asked = time.perf_counter()
            client.ask(ApiVersionsRequest(client_software_name="bench", client_software_version="1"), 3)
            worst_s = max(worst_s, time.perf_counter() - asked)
            time.sleep(0.001)
    return time.perf_counter() - began, worst_s


def metrics(url: str) -> dict[str, float]:
    with urllib.request.urlopen(f"{url}/metrics") as page:
        lines = page.read().decode().splitlines()
    return {line.split()[0]: float(line.split()[1]) for line in lines if line.startswith("penstock_group_coordinator")}


def figures(offsets: int) -> list[Figure]:
    title = f"{offsets:,} committed offsets after kill -9"
    return [
        Figure("offsets.load_s", f"loading {title}", "s", Better.LOWER),
        Figure("offsets.load_us", f"loading {title}", "us/offset", Better.LOWER),
        Figure("offsets.meanwhile_ms", "longest answer to another request while they load", "ms", Better.LOWER),
        Figure("offsets.fetch_ms", f"fetching all {PARTITIONS:,} offsets of a group", "ms", Better.LOWER),
    ]


def measure(offsets: int, at_once: int, say: Callable[[str], None]) -> dict[str, list[float]]:
    groups = [f"group-{number}" for number in range(offsets // PARTITIONS)]
    with penstock.testing.broker() as broker:
        client = Client(broker.bootstrap)
        client.ask(CreateTopicsRequest([CreatableTopic("bench", PARTITIONS, 1)], 60_000), 7)
        client.ask(FindCoordinatorRequest(key_type=0, coordinator_keys=groups[:1]), 4)
        began = time.perf_counter()
        for group in groups:
            commit(client, group, at_once)
        say(f"{offsets} offsets committed, {at_once} a request: {time.perf_counter() - began:.1f} s")
        size = sum(path.stat().st_size for path in Path(broker.data_dir).glob("__consumer_offsets-*/*.log"))
        broker.kill()
        broker.restart()
        seconds, worst_s = wait_for_all(Client(broker.bootstrap), groups)
        say(f"{size / (1 << 20):.0f} MiB loaded after kill -9")
        for name, value in metrics(broker.http_url).items():
            say(f"{name} {value:g}")
        client = Client(broker.bootstrap)
        fetch(client, groups[0])
        began = time.perf_counter()
        fetch(client, groups[0])
        fetched_s = time.perf_counter() - began
    values = {
        "offsets.load_s": seconds, "offsets.load_us": seconds / offsets * 1e6,
        "offsets.meanwhile_ms": worst_s * 1000, "offsets.fetch_ms": fetched_s * 1000,
    }  # fmt: skip
    return {key: [value] for key, value in values.items()}


def main() -> None:
    offsets = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    at_once = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000
    values = measure(offsets, at_once, print)
    for figure in figures(offsets):
        print(f"{figure.title}: {values[figure.key][0]:.4g} {figure.unit}")


if __name__ == "__main__":
    main()
