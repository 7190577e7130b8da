"""A data folder that fails: its partitions are led elsewhere, the other folders are looked after, /health says so."""

import time
from pathlib import Path

import pytest
from tests.support.nodes import Nodes, some_nodes

from penstock.admin.program import NodeFacts
from penstock.log.checkpoint_files import HIGH_WATERMARKS
from penstock.replication import Partition
from penstock.replication.log_port import on_disk
from penstock.wire.records import Record, build_batch

SOON = {"replica.high.watermark.checkpoint.interval.ms": "20", "log.retention.check.interval.ms": "20"}
QUICK = {"penstock.broker.lease.ms": "10000", "auto.leader.rebalance.enable": "false"}


def append(partition: Partition, count: int = 1) -> None:
    for _ in range(count):
        record = Record(0, int(time.time() * 1000), None, b"v" * 1000)
        partition.append(memoryview(build_batch([record])), acks=1)


def health(nodes: Nodes, broker: int) -> dict[str, object]:
    found = NodeFacts(nodes[broker]).health()
    return {
        "is_well": found.is_well,
        "offline": {log.name: log.reason for log in found.offline_logs},
        "failing": {(folder.folder, folder.step): folder.reason for folder in found.failing_folders},
    }


async def test_a_folder_that_fails_keeps_no_other_from_its_checkpoints_and_its_retention(tmp_path: Path) -> None:
    async with some_nodes(tmp_path, 1, SOON, folders_each=2) as nodes:
        bad, sound = nodes.folders(1)
        (bad / (HIGH_WATERMARKS + ".tmp")).mkdir()  # no file can be written under that name
        await nodes.create_topic(
            "orders", partitions=2, replicas=(1,), internal_segment_bytes="2000", retention_bytes="2000"
        )
        logs = {}
        for index in range(2):
            partition = nodes.partition("orders", 1, index)
            append(partition, 10)
            logs[on_disk(partition.log).folder.parent] = on_disk(partition.log)
        assert set(logs) == {bad, sound}

        await nodes.until(lambda: logs[sound].start_offset > 0)
        await nodes.until(lambda: f"orders {logs[sound].partition.partition} 10" in _text(sound / HIGH_WATERMARKS))
        await nodes.until(lambda: any(name.endswith(".deleted") for name in _names(logs[sound].folder)))

        assert not (bad / HIGH_WATERMARKS).exists()
        assert not any(name.endswith(".deleted") for name in _names(logs[bad].folder)), "no checkpoint says so yet"
        await nodes.until(lambda: len(nodes[1].folders[0].failing) == 2)
        said = health(nodes, 1)
        assert said["is_well"] is False
        assert said["failing"].keys() == {(str(bad), "checkpoints"), (str(bad), "retention")}  # type: ignore[attr-defined]

        (bad / (HIGH_WATERMARKS + ".tmp")).rmdir()
        await nodes.until(lambda: health(nodes, 1)["is_well"])
        await nodes.until(lambda: any(name.endswith(".deleted") for name in _names(logs[bad].folder)))


@pytest.mark.parametrize("broker", [1, 2])
async def test_a_broker_that_cannot_make_a_log_makes_way_and_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broker: int
) -> None:
    """The preferred leader, or a follower: either is in sync when a topic is made."""
    monkeypatch.setattr("penstock.replication.replica_logs.RETRY_AFTER_S", 0.05)
    async with some_nodes(tmp_path, 2, QUICK) as nodes:
        other = 3 - broker
        (folder,) = nodes.folders(broker)
        (folder / "orders-0").write_bytes(b"in the way")
        await nodes.create_topic("orders", replicas=(1, 2))

        await nodes.until_in_sync("orders", other)
        await nodes.until(lambda: nodes.state("orders").leader == other)
        await nodes.until(lambda: nodes.replica("orders", other) is not None)
        leader = nodes.partition("orders", other)
        await nodes.until(lambda: leader.is_leader)
        append(leader, 3)
        await nodes.until(lambda: leader.high_watermark == 3)
        said = health(nodes, broker)
        assert said["is_well"] is False
        assert said["offline"] == {"orders-0": "orders-0 could not be created: File exists"}
        assert health(nodes, other)["is_well"]

        (folder / "orders-0").unlink()
        await nodes.until_in_sync("orders", 1, 2)
        assert health(nodes, broker)["is_well"]
        assert nodes.partition("orders", broker).log.end_offset == 3
        append(nodes.leader("orders"))
        await nodes.until(lambda: all(nodes.partition("orders", at).high_watermark == 4 for at in (1, 2)))


async def test_a_sole_replica_that_cannot_be_made_is_offline_and_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penstock.replication.replica_logs.RETRY_AFTER_S", 0.05)
    async with some_nodes(tmp_path, 1, QUICK) as nodes:
        (folder,) = nodes.folders(1)
        (folder / "orders-0").write_bytes(b"in the way")
        await nodes.create_topic("orders", replicas=(1,), partitions=2)
        await nodes.until(lambda: nodes.replica("orders", 1, 1) is not None)
        assert nodes.partition("orders", 1, 1).log.trouble is None, "the other partition is served"
        assert health(nodes, 1)["offline"]

        (folder / "orders-0").unlink()
        await nodes.until(lambda: health(nodes, 1)["is_well"])
        append(nodes.partition("orders", 1))
        assert nodes.partition("orders", 1).high_watermark == 1


async def test_a_topic_whose_log_could_not_be_made_is_deleted_and_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penstock.replication.replica_logs.RETRY_AFTER_S", 0.05)
    async with some_nodes(tmp_path, 1, QUICK) as nodes:
        (folder,) = nodes.folders(1)
        (folder / "orders-0").write_bytes(b"in the way")
        made = await nodes.create_topic("orders", replicas=(1,))
        await nodes.cluster().controller.delete_topics([made.topic_id], timeout_ms=60_000)
        assert health(nodes, 1)["is_well"]

        (folder / "orders-0").unlink()
        again = await nodes.create_topic("orders", replicas=(1,))

        log = nodes.partition("orders", 1).log
        assert (log.topic_id, log.trouble) == (again.topic_id, None)


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def _names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]
