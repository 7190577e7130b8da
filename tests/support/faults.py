"""What tests of faults and limits share: brokers that get hurt, disks that fill up, plain words over a raw socket."""

from __future__ import annotations

import json
import os
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from prometheus_client.parser import text_string_to_metric_families
from tests.support.batches import Rec, batch, describe
from tests.support.raw import RawClient, decode_response, port_of

from penstock.processes.broker import BrokerProcess, RunningBroker
from penstock.processes.child import UP, Child
from penstock.processes.orphans import OrphanKiller
from penstock.testing.running import FOR_TESTS

WITHIN_S = 120.0
"""How long anything that must happen may take: far more than it needs, so that only 'never' fails."""

METRICS = Path(__file__).parents[2] / "docs" / "reference" / "metrics.md"
"""Names every metric there is: it is generated, and a test sees that it is current."""

STORAGE_ERROR, OFFSET_OUT_OF_RANGE, CORRUPT, UNKNOWN_TOPIC = 56, 1, 2, 3


def eventually(holds: Callable[[], bool], what: str, *, within_s: float = WITHIN_S) -> None:
    deadline = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < deadline, f"not within {within_s:g} s: {what}"
        time.sleep(0.02)


# Brokers ----------------------------------------------------------------------------------------------------------


class ProgramBroker(BrokerProcess):
    """`penstock up` as a program of its own, run under another command if need be (prlimit, for one)."""

    def __init__(
        self,
        folder: Path,
        settings: dict[str, str] | None = None,
        *,
        under: Sequence[str] = (),
        orphans: OrphanKiller | None = None,
    ) -> None:
        # Whatever ends the test's process ends the broker with it; setpriv and prlimit turn into what they start.
        dies_with_us = () if orphans is not None else ("setpriv", "--pdeathsig", "KILL")

        def run(broker: BrokerProcess, child: Child) -> None:
            options = [text for pair in broker.settings.items() for text in ("--set", "=".join(pair))]
            child.run([*dies_with_us, *under, *UP, *options], environment=os.environ, log=broker.log_path)

        super().__init__(folder, {**FOR_TESTS, **(settings or {})}, run, orphans=orphans)

    def _end(self, timeout_s: float) -> bool:
        has_ended = super()._end(timeout_s)
        assert not has_ended or self.exit_code == 0, f"it did not stop cleanly:\n{self.log_tail()}"
        return has_ended


@contextmanager
def program(
    folder: Path, settings: dict[str, str] | None = None, *, under: Sequence[str] = ()
) -> Iterator[ProgramBroker]:
    running = ProgramBroker(folder, settings, under=under)
    try:
        running.start()
        yield running
        running.stop()
    finally:
        running.kill()


def folder_of(broker: RunningBroker, topic: str, partition: int = 0) -> Path:
    return broker.data_dir / f"{topic}-{partition}"


def segments_of(broker: RunningBroker, topic: str, partition: int = 0) -> list[Path]:
    return sorted(folder_of(broker, topic, partition).glob("*.log"))


def checkpoint(broker: RunningBroker, name: str) -> dict[tuple[str, int], int]:
    """A checkpoint file's offsets by topic and partition; none before it is first written."""
    try:
        lines = (broker.data_dir / name).read_text().splitlines()[2:]
    except FileNotFoundError:
        return {}
    rows = (line.rsplit(" ", 2) for line in lines)
    return {(topic, int(partition)): int(offset) for topic, partition, offset in rows}


def recovery_point(broker: RunningBroker, topic: str, partition: int = 0) -> int:
    """The one on disk: what the next start goes by."""
    return checkpoint(broker, "recovery-point-offset-checkpoint").get((topic, partition), 0)


def resident_bytes(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def open_files(pid: int) -> int:
    return sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())


class Health(NamedTuple):
    status: int
    page: dict[str, Any]

    def reasons(self) -> str:
        return json.dumps(self.page)


def health(broker: RunningBroker) -> Health:
    try:
        with urllib.request.urlopen(broker.http_url + "/health", timeout=30) as answer:
            return Health(answer.status, json.load(answer))
    except urllib.error.HTTPError as refused:
        with refused:
            return Health(refused.code, json.load(refused))


def metric(broker: RunningBroker, name: str, **labels: str) -> float:
    """The sum of a metric's samples that carry these labels; 0 where there is none yet."""
    assert f"`{name}`" in METRICS.read_text(), f"no metric is called {name}"
    with urllib.request.urlopen(broker.http_url + "/metrics", timeout=30) as answer:
        text = answer.read().decode()
    return sum(
        sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == name and labels.items() <= sample.labels.items()
    )


def connections(broker: RunningBroker) -> float:
    return metric(broker, "kafka_server_socket_server_metrics_connection_count")


# Requests ---------------------------------------------------------------------------------------------------------


class Client(RawClient):
    """A raw client that knows the few requests these tests live on, at one version each."""

    def __init__(self, broker: RunningBroker, *, timeout_s: float = 120) -> None:
        super().__init__(port_of(broker.bootstrap), timeout_s=timeout_s)

    def __enter__(self) -> Client:
        return self

    def receive(self, api: str, version: int, sent: int) -> dict[str, Any]:
        """The answer to a request that was sent before."""
        answered, response = decode_response(api, version, self.receive_frame())
        assert answered == sent, f"asked {sent}, got an answer to {answered}"
        return response

    def produce(self, topic: str, records: bytes, *, partition: int = 0, acks: int = -1) -> dict[str, Any]:
        """The partition's outcome."""
        answer = self.request("Produce", 9, produce_body(topic, records, partition=partition, acks=acks))
        outcome: dict[str, Any] = answer["responses"][0]["partition_responses"][0]
        return outcome

    def fetch(self, topic: str, offset: int, **more: Any) -> dict[str, Any]:
        """The partition's answer."""
        answer = self.request("Fetch", 11, fetch_body(topic, offset, **more))
        outcome: dict[str, Any] = answer["responses"][0]["partitions"][0]
        return outcome

    def values(self, topic: str, offset: int = 0, *, partition: int = 0) -> list[bytes | None]:
        """Every value from an offset to the high watermark, checksums verified and offsets without a gap."""
        found: list[bytes | None] = []
        position = offset
        while True:
            answer = self.fetch(topic, position, partition=partition)
            assert answer["error_code"] == 0, answer["error_code"]
            batches = describe(answer["records"]) or []
            whole = [each for each in batches if "partial" not in each]
            for each in whole:
                assert each["crc_ok"]
                skipped = max(position - each["base_offset"], 0)
                found += each["values"][skipped:]
                position = each["base_offset"] + each["last_offset_delta"] + 1
            if not whole:
                assert position == answer["high_watermark"]
                return found

    def offset(self, topic: str, timestamp: int, *, partition: int = 0) -> dict[str, Any]:
        wanted = {"partition_index": partition, "timestamp": timestamp}
        body = {"replica_id": -1, "topics": [{"name": topic, "partitions": [wanted]}]}
        outcome: dict[str, Any] = self.request("ListOffsets", 5, body)["topics"][0]["partitions"][0]
        return outcome

    def earliest(self, topic: str) -> int:
        return int(self.offset(topic, -2)["offset"])

    def latest(self, topic: str) -> int:
        return int(self.offset(topic, -1)["offset"])

    def create_topic(self, name: str, *, partitions: int = 1, timeout_ms: int = 60_000, **configs: str) -> int:
        """The error code."""
        settings = [{"name": key.replace("_", "."), "value": value} for key, value in configs.items()]
        topic = {"name": name, "num_partitions": partitions, "replication_factor": 1, "configs": settings}
        answer = self.request("CreateTopics", 5, {"topics": [topic], "timeout_ms": timeout_ms})
        return int(answer["topics"][0]["error_code"])

    def alter_topic(self, name: str, **configs: str) -> None:
        changes = [
            {"name": key.replace("_", "."), "config_operation": 0, "value": value} for key, value in configs.items()
        ]
        resource = {"resource_type": 2, "resource_name": name, "configs": changes}
        answer = self.request("IncrementalAlterConfigs", 1, {"resources": [resource]})
        assert answer["responses"][0]["error_code"] == 0, answer

    def delete_topic(self, name: str) -> None:
        answer = self.request("DeleteTopics", 5, {"topic_names": [name], "timeout_ms": 60_000})
        assert answer["responses"][0]["error_code"] == 0, answer

    def delete_records(self, topic: str, before: int) -> dict[str, Any]:
        partitions = [{"partition_index": 0, "offset": before}]
        body = {"topics": [{"name": topic, "partitions": partitions}], "timeout_ms": 60_000}
        outcome: dict[str, Any] = self.request("DeleteRecords", 2, body)["topics"][0]["partitions"][0]
        return outcome

    def new_producer_id(self) -> int:
        answer = self.request("InitProducerId", 2, {"transactional_id": None, "transaction_timeout_ms": 60_000})
        assert answer["error_code"] == 0, answer
        return int(answer["producer_id"])

    def wait_for_hang_up(self) -> None:
        """Whatever still comes is thrown away; fails when the broker keeps the connection."""
        while True:
            try:
                if not self._socket.recv(1 << 20):
                    return
            except ConnectionResetError:
                return


def produce_body(topic: str, records: bytes, *, partition: int = 0, acks: int = -1) -> dict[str, Any]:
    data = [{"index": partition, "records": records}]
    return {"acks": acks, "timeout_ms": 30_000, "topic_data": [{"name": topic, "partition_data": data}]}


def fetch_body(
    topic: str,
    offset: int,
    *,
    partition: int = 0,
    max_wait_ms: int = 0,
    min_bytes: int = 1,
    max_bytes: int = 50 << 20,
    partition_max_bytes: int = 8 << 20,
    isolation_level: int = 0,
) -> dict[str, Any]:
    wanted = {"partition": partition, "fetch_offset": offset, "partition_max_bytes": partition_max_bytes}
    return {
        "max_wait_ms": max_wait_ms,
        "min_bytes": min_bytes,
        "max_bytes": max_bytes,
        "isolation_level": isolation_level,
        "topics": [{"topic": topic, "partitions": [wanted]}],
    }


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def one(value: bytes | None, key: bytes | None = None, **more: Any) -> bytes:
    """A batch of one record with the present time."""
    return batch([Rec(value, key=key)], base_timestamp=more.pop("base_timestamp", now_ms()), **more)


# Disks ------------------------------------------------------------------------------------------------------------


FILL_TRIES = 100


class SmallDisk:
    """A file system of its own whose size can be changed while it is in use."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def used_bytes(self) -> int:
        facts = os.statvfs(self.path)
        return (facts.f_blocks - facts.f_bfree) * facts.f_frsize

    def resize(self, size_bytes: int) -> None:
        _run("mount", "-o", f"remount,size={size_bytes}", str(self.path))

    def fill_up(self, *, left_bytes: int) -> None:
        """Leave no more room than this. Whoever uses the disk goes on writing: a size below what is in use by the time
        the kernel hears of it is refused, and asked for anew.
        """
        for _ in range(FILL_TRIES - 1):
            if _done("mount", "-o", f"remount,size={self._used_and(left_bytes)}", str(self.path)).returncode == 0:
                return
        self.resize(self._used_and(left_bytes))

    def _used_and(self, left_bytes: int) -> int:
        return self.used_bytes() // 4096 * 4096 + left_bytes


@contextmanager
def small_disk(path: Path, size_bytes: int) -> Iterator[SmallDisk]:
    """A tmpfs at `path`; a machine that allows no mount cannot run these tests, and they say so by failing."""
    path.mkdir(parents=True, exist_ok=True)
    _run("mount", "-t", "tmpfs", "-o", f"size={size_bytes}", "penstock-test", str(path))
    try:
        yield SmallDisk(path)
    finally:
        _run("umount", str(path))


def _done(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _run(*command: str) -> None:
    done = _done(*command)
    assert done.returncode == 0, (
        f"{' '.join(command)} failed: {done.stderr.strip()}. A full disk is tested on a small tmpfs: run the tests as"
        " root, or in a container with CAP_SYS_ADMIN."
    )
