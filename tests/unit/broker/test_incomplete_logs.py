"""What a start says of logs that it misses, and until when."""

from pathlib import Path

import pytest
from tests.support.clusters import BROKER_ID, a_cluster
from tests.support.logs import StillClock, fill

from penstock.broker.incomplete_logs import IncompleteLogs
from penstock.cluster import Cluster, CreateTopic, PartitionRef
from penstock.log import ExpectedLog, FilePool, LogFolder
from penstock.log.checkpoint_files import HIGH_WATERMARKS, RECOVERY_POINTS, write_offsets, write_topic_ids
from penstock.model import PartitionIndex, TopicPartition
from penstock.settings.config import Config

ORDERS_0 = TopicPartition("orders", PartitionIndex(0))


async def create(cluster: Cluster) -> PartitionRef:
    await cluster.controller.create_topics(
        [CreateTopic("orders", partitions=1, replication_factor=1)], timeout_ms=1_000
    )
    return PartitionRef(cluster.image.topics["orders"].topic_id, 0)


def opened(path: Path) -> LogFolder:
    folder = LogFolder(path, cluster_id="c1", node_id=1, pool=FilePool(16), clock=StillClock())
    folder.open_all(lambda *_: ExpectedLog(Config.for_broker({})))
    return folder


def found(folder: LogFolder, cluster: Cluster, *, is_folder_gone: bool = False) -> IncompleteLogs:
    return IncompleteLogs([folder], cluster.image, BROKER_ID, is_folder_gone=is_folder_gone)


async def test_a_log_that_is_here_is_not_missed(tmp_path: Path) -> None:
    async with a_cluster() as cluster:
        which = await create(cluster)
        folder = opened(tmp_path)
        folder.create(ORDERS_0, which.topic_id, Config.for_broker({}))
        losses = found(folder, cluster)
        assert losses.report.held == {which}
        assert not losses.report.shortened and not losses.reasons


async def test_of_a_log_that_nothing_tells_of_a_new_topic_is_no_loss_and_any_other_is(tmp_path: Path) -> None:
    async with a_cluster() as cluster:
        await create(cluster)
        losses = found(opened(tmp_path / "a"), cluster)
        assert (losses.report.held, losses.reasons) == (frozenset(), {})
        losses = found(opened(tmp_path / "b"), cluster, is_folder_gone=True)
        assert losses.reasons == {ORDERS_0: "was missing at the start"}
        await cluster.controller.begin_anew(BROKER_ID)  # as at each start: the topic is not new any more
        losses = found(opened(tmp_path / "c"), cluster)
        assert losses.reasons == {ORDERS_0: "was missing at the start"}


@pytest.mark.parametrize("checkpoint", [HIGH_WATERMARKS, RECOVERY_POINTS])
async def test_a_checkpoint_that_knows_better_is_believed(tmp_path: Path, checkpoint: str) -> None:
    async with a_cluster() as cluster:
        which = await create(cluster)
        write_offsets(str(tmp_path / checkpoint), {ORDERS_0: 10})
        write_topic_ids(str(tmp_path / "penstock-topic-ids"), {ORDERS_0: which.topic_id})
        losses = found(opened(tmp_path), cluster)
        assert losses.reasons == {ORDERS_0: "was missing at the start, and had records up to 10"}


async def test_a_log_that_ends_too_early_has_lost_records(tmp_path: Path) -> None:
    async with a_cluster() as cluster:
        which = await create(cluster)
        folder = opened(tmp_path)
        fill(folder.create(ORDERS_0, which.topic_id, Config.for_broker({})), 1)
        folder.close()
        write_offsets(str(tmp_path / HIGH_WATERMARKS), {ORDERS_0: 10})
        losses = found(opened(tmp_path), cluster)
        assert losses.report.shortened == {which}
        assert losses.reasons == {ORDERS_0: "ended at 1 at the start, and had records up to 10"}


async def test_a_log_of_a_topic_that_is_deleted_is_not_missed_any_more(tmp_path: Path) -> None:
    async with a_cluster() as cluster:
        which = await create(cluster)
        losses = found(opened(tmp_path), cluster, is_folder_gone=True)
        assert losses.reasons
        await cluster.controller.delete_topics([which.topic_id], timeout_ms=1_000)
        assert losses.reasons == {}
