"""A data folder: opening, creating, deleting, closing, and what its files say in between."""

import errno
import os
import shutil
from pathlib import Path

import pytest
from tests.support.logs import ORDERS_0, TOPIC_ID, StillClock, a_batch, base_offsets, fill, read_all

from penstock.errors import Fatal, KafkaStorageError
from penstock.log.checkpoint_files import write_offsets
from penstock.log.file_pool import FilePool, names_in
from penstock.log.folders import checkpoints as folder_checkpoints
from penstock.log.folders.clean_marker import CLEAN_MARKER
from penstock.log.folders.folder import LogFolder, remove_paths
from penstock.log.folders.identity import read_identity
from penstock.log.folders.opening import NO_TOPIC_ID
from penstock.log.partition_log import PartitionLog
from penstock.log.recovery import ExpectedLog
from penstock.model import PartitionIndex, TopicId, TopicPartition, topic_id_text
from penstock.settings.config import Config

ORDERS_1 = TopicPartition("orders", PartitionIndex(1))
PAYMENTS_0 = TopicPartition("payments", PartitionIndex(0))
OTHER_ID = TopicId(bytes(range(16, 32)))


def no_room(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


class World:
    """A folder and the topics that the cluster knows of."""

    def __init__(self, path: Path, **settings: str) -> None:
        self.path = path
        named = {name.replace("_", "."): value for name, value in settings.items()}
        self.config = Config.for_broker({}).for_topic(named)
        self.topics: set[bytes] = {TOPIC_ID, OTHER_ID}
        self.namesakes: dict[TopicPartition, TopicId] = {}
        """Topics by name, for logs that do not say theirs."""
        self.clock = StillClock()

    def open(self, *, cluster_id: str = "c1", node_id: int = 1) -> LogFolder:
        folder = LogFolder(self.path, cluster_id=cluster_id, node_id=node_id, pool=FilePool(16), clock=self.clock)
        folder.open_all(self.find)
        return folder

    def find(self, partition: TopicPartition, topic_id: TopicId) -> ExpectedLog | None:
        if topic_id == NO_TOPIC_ID and partition in self.namesakes:
            return ExpectedLog(self.config, topic_id=self.namesakes[partition])
        return ExpectedLog(self.config) if topic_id in self.topics else None

    def crash(self, folder: LogFolder) -> None:
        folder.pool.close_all()
        folder.lock.release()


def test_a_fresh_folder_says_whose_it_is(tmp_path: Path) -> None:
    folder = World(tmp_path).open()
    folder.close()

    lines = (tmp_path / "meta.properties").read_text().splitlines()
    assert lines[:3] == ["version=1", "cluster.id=c1", "node.id=1"]
    identity = read_identity(tmp_path)
    assert identity is not None
    assert identity.directory_id == folder.identity.directory_id
    assert not identity.is_adopted


@pytest.mark.parametrize(("cluster_id", "node_id"), [("c2", 1), ("c1", 2)])
def test_a_folder_of_another_broker_or_cluster_is_refused(tmp_path: Path, cluster_id: str, node_id: int) -> None:
    World(tmp_path).open().close()

    with pytest.raises(Fatal, match="belongs to"):
        World(tmp_path).open(cluster_id=cluster_id, node_id=node_id)


def test_a_folder_of_several_brokers_is_not_taken_by_one_and_theirs_are_left_alone(tmp_path: Path) -> None:
    World(tmp_path / "broker-10").open(node_id=10).close()
    with pytest.raises(Fatal, match=r"data folders of several brokers in it \(broker-10\).*penstock.workers"):
        World(tmp_path).open(node_id=10)
    assert read_identity(tmp_path) is None, "workers can be started there again"
    assert read_identity(tmp_path / "broker-10") is not None


def test_a_folder_with_folders_of_others_is_not_taken_and_theirs_keep_their_names(tmp_path: Path) -> None:
    (tmp_path / "dbus-1" / "session.d").mkdir(parents=True)
    (tmp_path / "orders-0").mkdir()  # as a crash leaves it
    with pytest.raises(Fatal, match=r"named like logs \(dbus-1\).*name an empty folder"):
        World(tmp_path).open()
    assert read_identity(tmp_path) is None
    (tmp_path / "dbus-1" / "session.d").rename(tmp_path / "dbus-1" / "00000000000000000000.log")
    World(tmp_path).open().close()  # a log, of whomever


def test_a_folder_has_one_user_at_a_time(tmp_path: Path) -> None:
    world = World(tmp_path)
    folder = world.open()

    with pytest.raises(Fatal, match="in use"):
        world.open()
    folder.close()
    world.open().close()


def test_a_new_partition_is_a_folder_with_its_topic_id(tmp_path: Path) -> None:
    world = World(tmp_path)
    folder = world.open()
    folder.create(ORDERS_0, TOPIC_ID, world.config)

    assert names_in(tmp_path / "orders-0") == ["partition.metadata"]
    text = (tmp_path / "orders-0" / "partition.metadata").read_text()
    assert text == f"version: 0\ntopic_id: {topic_id_text(TOPIC_ID)}\n"
    folder.close()


def test_after_a_clean_stop_everything_is_as_it_was(tmp_path: Path) -> None:
    world = World(tmp_path)
    folder = world.open()
    log = folder.create(ORDERS_0, TOPIC_ID, world.config)
    folder.create(ORDERS_1, TOPIC_ID, world.config)
    fill(log, 10)
    log.high_watermark = 10
    log.retention.advance_start(4)
    assert folder.close()
    assert (tmp_path / CLEAN_MARKER).read_text() == '{"version":0,"brokerEpoch":-1}'

    again = world.open()

    assert not (tmp_path / CLEAN_MARKER).exists()
    opened = again.logs[ORDERS_0]
    assert (opened.start_offset, opened.end_offset, opened.high_watermark, opened.recovery_point) == (4, 10, 10, 10)
    assert base_offsets(read_all(opened)) == list(range(4, 10))
    assert again.logs[ORDERS_1].end_offset == 0
    again.close()


def test_checkpoints_are_kafkas(tmp_path: Path) -> None:
    world = World(tmp_path)
    folder = world.open()
    fill(folder.create(ORDERS_0, TOPIC_ID, world.config), 10)
    folder.logs[ORDERS_0].high_watermark = 7
    folder.close()

    assert (tmp_path / "recovery-point-offset-checkpoint").read_text() == "0\n1\norders 0 10\n"
    assert (tmp_path / "replication-offset-checkpoint").read_text() == "0\n1\norders 0 7\n"


TORN = [b"0\n2\norders 0 10\n", b"garbage", b"\xff\xfe", bytes(40)]


@pytest.mark.parametrize("is_clean", [True, False])
@pytest.mark.parametrize("torn", TORN)
def test_without_recovery_points_logs_are_read_and_nothing_is_cut_that_was_acknowledged(
    tmp_path: Path, torn: bytes, is_clean: bool
) -> None:
    world = World(tmp_path)
    folder = world.open()
    whole, damaged = (folder.create(each, TOPIC_ID, world.config) for each in (ORDERS_0, ORDERS_1))
    for log in (whole, damaged):
        fill(log, 5)
        log.high_watermark = 4
    folder.create(PAYMENTS_0, OTHER_ID, world.config)
    fill(folder.logs[PAYMENTS_0], 5)
    folder.logs[PAYMENTS_0].high_watermark = 5
    folder.write_checkpoints()
    if is_clean:
        folder.close()
    else:
        world.crash(folder)
    (tmp_path / "recovery-point-offset-checkpoint").write_bytes(torn)
    for log, cut in ((whole, 1), (damaged, 90)):
        path = Path(log.active.file.path)
        os.truncate(path, path.stat().st_size - cut)
    shutil.rmtree(tmp_path / "payments-0")

    again = world.open()

    assert (again.logs[ORDERS_0].trouble, again.logs[ORDERS_0].end_offset) == (None, 4), "a torn tail above it is cut"
    assert again.logs[ORDERS_0].recovery_point == 4, "it was flushed, as nothing said that it had been"
    trouble = again.logs[ORDERS_1].trouble
    assert trouble is not None and trouble.stops_reads
    again.create(PAYMENTS_0, OTHER_ID, world.config)
    assert again.logs[PAYMENTS_0].trouble is not None, "it is missed"
    again.close()
    assert "orders 0 4" in (tmp_path / "recovery-point-offset-checkpoint").read_text()
    assert world.open().logs[ORDERS_1].trouble is not None


def test_a_start_without_recovery_points_leaves_logs_no_less_safe_from_cuts(tmp_path: Path) -> None:
    world = World(tmp_path)
    folder = world.open()
    log = folder.create(ORDERS_0, TOPIC_ID, world.config)
    fill(log, 5)
    log.high_watermark = 5
    folder.write_checkpoints()
    world.crash(folder)
    (tmp_path / "recovery-point-offset-checkpoint").write_bytes(b"garbage")
    again = world.open()
    again.write_checkpoints()
    world.crash(again)

    path = Path(log.active.file.path)
    data = bytearray(path.read_bytes())
    data[150] ^= 0xFF
    path.write_bytes(data)

    trouble = world.open().logs[ORDERS_0].trouble
    assert trouble is not None and trouble.stops_reads
    assert path.read_bytes() == data


def test_without_recovery_points_leader_epochs_are_those_of_the_batches(tmp_path: Path) -> None:
    """The file is written by a flush: one that began since, below the high watermark, is not in it after a crash."""
    world = World(tmp_path)
    folder = world.open()
    log = folder.create(ORDERS_0, TOPIC_ID, world.config)
    fill(log, 5, leader_epoch=4)
    log.flushing.flush()
    fill(log, 3, leader_epoch=4)
    fill(log, 3, leader_epoch=6)
    log.high_watermark = 10
    folder.write_checkpoints()
    world.crash(folder)
    (tmp_path / "recovery-point-offset-checkpoint").write_bytes(b"garbage")

    assert world.open().logs[ORDERS_0].epochs.snapshot() == log.epochs.snapshot() == [(4, 0), (6, 8)]


def test_where_nothing_says_how_far_logs_should_reach_a_start_is_refused(tmp_path: Path) -> None:
    world = World(tmp_path)
    folder = world.open()
    fill(folder.create(ORDERS_0, TOPIC_ID, world.config), 5)
    folder.logs[ORDERS_0].high_watermark = 5
    folder.close()
    for name in ("recovery-point-offset-checkpoint", "replication-offset-checkpoint"):
        (tmp_path / name).write_bytes(b"garbage")

    with pytest.raises(Fatal, match=r"recovery-point-offset-checkpoint cannot be read.*restore one of them"):
        world.open()


def test_an_empty_checkpoint_has_no_rows(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.open().close()
    (tmp_path / "recovery-point-offset-checkpoint").write_text("")
    world.open().close()


@pytest.mark.parametrize("torn", TORN)
def test_without_log_starts_logs_begin_with_their_first_segments(tmp_path: Path, torn: bytes) -> None:
    """As in Kafka: none goes offline for a head that was deleted, and later starts know it again."""
    world = World(tmp_path, internal_segment_bytes="300", retention_bytes="300")
    folder = world.open()
    log = folder.create(ORDERS_0, TOPIC_ID, world.config)
    fill(log, 20)
    log.retention.delete_old_segments(now=world.clock.now(), high_watermark=20)
    first = log.segments[0].base_offset
    assert 0 < first == log.start_offset
    log.retention.advance_start(first + 1)
    folder.close()
    (tmp_path / "log-start-offset-checkpoint").write_bytes(torn)

    for _ in range(2):
        again = world.open()
        assert (again.logs[ORDERS_0].trouble, again.logs[ORDERS_0].start_offset) == (None, first)
        again.close()


def test_a_log_that_is_lost_is_missed_whatever_is_written_down_meanwhile(tmp_path: Path) -> None:
    """One that was set aside is made anew first, which writes checkpoints; a crash may come before the other's turn."""
    world = World(tmp_path)
    folder = world.open()
    for partition in (ORDERS_0, ORDERS_1):
        fill(folder.create(partition, TOPIC_ID, world.config), 3)
    folder.close()
    shutil.rmtree(tmp_path / "orders-1")
    (tmp_path / "orders-0").rename(tmp_path / "orders-0.0a-stray")

    for _ in range(2):
        again = world.open()
        again.lost.pop(ORDERS_0, None)
        again.write_checkpoints()
        world.crash(again)
    again = world.open()
    (tmp_path / "orders-1").write_bytes(b"in the way")
    with pytest.raises(KafkaStorageError):
        again.create(ORDERS_1, TOPIC_ID, world.config)
    (tmp_path / "orders-1").unlink()
    assert again.create(ORDERS_1, TOPIC_ID, world.config).trouble is not None
    again.close()


@pytest.mark.parametrize("torn", [b"0\n2\norders 0 10\n", b"garbage", b"\xff\xfe", bytes(40)])
def test_high_watermarks_that_cannot_be_read_stop_no_start(tmp_path: Path, torn: bytes) -> None:
    world = World(tmp_path)
    folder = world.open()
    fill(folder.create(ORDERS_0, TOPIC_ID, world.config), 3)
    folder.close()
    (tmp_path / "replication-offset-checkpoint").write_bytes(torn)

    again = world.open()

    assert (again.logs[ORDERS_0].end_offset, again.logs[ORDERS_0].high_watermark) == (3, 0)
    again.close()


@pytest.mark.parametrize("torn", [None, b"", b"\xff\x96", bytes(40), b"version: 0\ntopic_id: "])
def test_a_log_that_does_not_say_its_topic_is_its_namesakes(tmp_path: Path, torn: bytes | None) -> None:
    """In sync by what it has: with an empty one in its place this broker could be elected."""
    world = World(tmp_path)
    folder = world.open()
    fill(folder.create(ORDERS_0, TOPIC_ID, world.config), 3)
    world.crash(folder)
    metadata = tmp_path / "orders-0" / "partition.metadata"
    if torn is None:
        metadata.unlink()
    else:
        metadata.write_bytes(torn)
    world.namesakes[ORDERS_0] = TOPIC_ID

    again = world.open()

    assert again.strays == [] and again.logs[ORDERS_0].end_offset == 3
    assert again.logs[ORDERS_0].topic_id == TOPIC_ID and topic_id_text(TOPIC_ID) in metadata.read_text()
    again.close()


def test_after_a_crash_logs_are_recovered_from_their_checkpoint(tmp_path: Path) -> None:
    world = World(tmp_path)
    folder = world.open()
    log = folder.create(ORDERS_0, TOPIC_ID, world.config)
    folder.create(ORDERS_1, TOPIC_ID, world.config)
    fill(log, 5)
    log.flushing.flush()
    folder.write_checkpoints()
    fill(log, 5)
    with open(log.active.file.path, "ab") as file:
        file.write(b"torn")
    world.crash(folder)

    again = world.open()

    assert again.logs[ORDERS_0].end_offset == 10
    assert again.logs[ORDERS_0].health.offline_reason is None
    assert again.logs[ORDERS_1].health.offline_reason is None
    again.close()


def test_a_start_that_failed_leaves_the_checkpoints_alone_and_marks_nothing_clean(tmp_path: Path) -> None:
    world = World(tmp_path)
    folder = world.open()
    log = folder.create(ORDERS_0, TOPIC_ID, world.config)
    fill(log, 5)
    log.flushing.flush()
    folder.write_checkpoints()
    world.crash(folder)
    before = (tmp_path / "recovery-point-offset-checkpoint").read_text()

    unopened = LogFolder(tmp_path, cluster_id="c1", node_id=1, pool=FilePool(4), clock=world.clock)
    assert not unopened.close()

    assert (tmp_path / "recovery-point-offset-checkpoint").read_text() == before
    assert not (tmp_path / CLEAN_MARKER).exists()


def test_a_log_of_an_unknown_topic_is_set_aside_and_kept(tmp_path: Path) -> None:
    world = World(tmp_path)
    folder = world.open()
    fill(folder.create(ORDERS_0, TOPIC_ID, world.config), 3)
    fill(folder.create(PAYMENTS_0, OTHER_ID, world.config), 3)
    folder.close()
    world.topics = {TOPIC_ID}

    again = world.open()

    assert list(again.logs) == [ORDERS_0]
    (stray,) = again.strays
    assert stray.startswith("payments-0.")
    assert stray.endswith("-stray")
    assert "00000000000000000000.log" in names_in(tmp_path / stray)
    again.close()
    third = world.open()
    assert third.strays == [stray], "it is told of until somebody has put it right"
    assert (tmp_path / stray).exists()
    third.close()


def test_a_deleted_partition_is_out_of_sight_at_once_and_off_the_disk_later(tmp_path: Path) -> None:
    world = World(tmp_path, file_delete_delay_ms="60000")
    folder = world.open()
    log = folder.create(ORDERS_0, TOPIC_ID, world.config)
    fill(log, 3)
    found = log.slice(0, at_most=1 << 20, before=3)
    assert found is not None

    folder.delete(ORDERS_0)

    assert base_offsets(found.read()) == [0, 1, 2]  # a response on its way is not cut off
    found.release()
    with pytest.raises(KafkaStorageError):
        fill(log, 1)
    assert folder.due_for_removal(world.clock.now()) == []
    (path,) = folder.due_for_removal(world.clock.now() + 60_000)
    assert path.endswith("-delete")
    remove_paths([path])
    assert not Path(path).exists()
    folder.close()


def test_a_deleted_partition_goes_also_where_there_is_no_room_for_another_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path)
    folder = world.open()
    fill(folder.create(ORDERS_0, TOPIC_ID, world.config), 3)

    def no_room(*_: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(Path, "rename", no_room)
        folder.delete(ORDERS_0)
    with pytest.raises(KafkaStorageError):
        folder.create(ORDERS_0, TOPIC_ID, world.config)  # not while the other is in its place
    remove_paths(folder.due_for_removal(world.clock.now()))
    assert folder.create(ORDERS_0, TOPIC_ID, world.config).end_offset == 0
    folder.close()


def test_a_partition_created_again_is_not_taken_for_its_namesake(tmp_path: Path) -> None:
    world = World(tmp_path)
    folder = world.open()
    log = folder.create(ORDERS_0, TOPIC_ID, world.config)
    fill(log, 10)
    log.high_watermark = 10
    log.retention.advance_start(5)
    log.flushing.flush()
    folder.write_checkpoints()
    folder.delete(ORDERS_0)
    folder.create(ORDERS_0, OTHER_ID, world.config)
    world.crash(folder)

    again = world.open()

    log = again.logs[ORDERS_0]
    assert (log.start_offset, log.end_offset, log.high_watermark, log.health.offline_reason) == (0, 0, 0, None)
    assert len(again.due_for_removal(world.clock.now())) == 1
    again.close()


def test_a_picture_of_a_deleted_log_that_is_still_being_written_leaves_no_rows_for_its_namesake(tmp_path: Path) -> None:
    world = World(tmp_path)
    folder = world.open()
    log = folder.create(ORDERS_0, TOPIC_ID, world.config)
    fill(log, 10)
    log.flushing.flush()
    picture = folder.take_picture()
    folder.delete(ORDERS_0)
    namesake = folder.create(ORDERS_0, OTHER_ID, world.config)

    folder.checkpoints.write(picture)
    folder.picture_written(picture)

    assert namesake.recovery_point_on_disk == 0
    world.crash(folder)
    log = world.open().logs[ORDERS_0]
    assert (log.end_offset, log.health.offline_reason) == (0, None)


def test_the_checkpoint_falls_before_a_log_is_cut(tmp_path: Path) -> None:
    world = World(tmp_path)
    folder = world.open()
    log = folder.create(ORDERS_0, TOPIC_ID, world.config)
    fill(log, 10)
    log.flushing.flush()
    folder.write_checkpoints()
    log.truncation.cut(to=4)
    world.crash(folder)

    again = world.open()

    assert (again.logs[ORDERS_0].end_offset, again.logs[ORDERS_0].health.offline_reason) == (4, None)
    again.close()


def a_clean_log(world: World) -> tuple[LogFolder, PartitionLog]:
    """Ten records, the first eight of them clean, and all that written down."""
    folder = world.open()
    log = folder.create(ORDERS_0, TOPIC_ID, world.config)
    fill(log, 10)
    log.flushing.flush()
    log.clean_upto = 8
    folder.write_checkpoints()
    return folder, log


def test_how_far_a_log_is_clean_is_in_kafka_s_file_and_known_after_a_restart(tmp_path: Path) -> None:
    world = World(tmp_path)
    folder, _ = a_clean_log(world)
    assert (tmp_path / "cleaner-offset-checkpoint").read_text() == "0\n1\norders 0 8\n"
    world.crash(folder)

    again = world.open()

    assert again.logs[ORDERS_0].clean_upto == 8
    again.close()


@pytest.mark.parametrize("said", ["rubbish", "0\n1\norders 0 11\n"])
def test_where_nothing_sound_says_how_far_a_log_is_clean_all_of_it_is_dirty(tmp_path: Path, said: str) -> None:
    world = World(tmp_path)
    folder, _ = a_clean_log(world)
    assert folder.close()
    (tmp_path / "cleaner-offset-checkpoint").write_text(said)

    again = world.open()

    assert (again.logs[ORDERS_0].clean_upto, again.logs[ORDERS_0].health.offline_reason) == (0, None)
    again.close()


def test_what_takes_the_place_of_a_cut_is_not_clean_after_a_crash(tmp_path: Path) -> None:
    world = World(tmp_path)
    folder, log = a_clean_log(world)
    log.truncation.cut(to=4)
    fill(log, 10)
    world.crash(folder)

    again = world.open()

    assert (again.logs[ORDERS_0].end_offset, again.logs[ORDERS_0].clean_upto) == (14, 4)
    again.close()


def test_a_log_of_a_deleted_namesake_makes_none_of_the_next_of_its_name_clean(tmp_path: Path) -> None:
    world = World(tmp_path)
    folder, _ = a_clean_log(world)
    folder.delete(ORDERS_0)
    log = folder.create(ORDERS_0, OTHER_ID, world.config)
    fill(log, 10)
    log.flushing.flush()
    world.crash(folder)

    again = world.open()

    assert again.logs[ORDERS_0].clean_upto == 0
    again.close()


def test_the_checkpoint_rises_before_retention_removes_the_oldest_segments(tmp_path: Path) -> None:
    world = World(tmp_path, internal_segment_bytes="300")
    folder = world.open()
    log = folder.create(ORDERS_0, TOPIC_ID, world.config)
    fill(log, 30)
    log.flushing.flush()
    folder.write_checkpoints()
    log.high_watermark = 30
    log.retention.advance_start(20)
    assert log.retention.delete_old_segments(world.clock.now(), 30) == 6
    world.crash(folder)

    again = world.open()

    assert (again.logs[ORDERS_0].start_offset, again.logs[ORDERS_0].health.offline_reason) == (20, None)
    again.close()


def test_an_older_picture_never_lands_on_a_newer_one(tmp_path: Path) -> None:
    world = World(tmp_path)
    folder = world.open()
    log = folder.create(ORDERS_0, TOPIC_ID, world.config)
    fill(log, 10)
    log.flushing.flush()
    older = folder.take_picture()
    newer = folder.take_picture()
    fill(log, 3)
    log.flushing.flush()
    folder.write_checkpoints()

    folder.checkpoints.write(newer)
    folder.checkpoints.write(older)

    assert (tmp_path / "recovery-point-offset-checkpoint").read_text() == "0\n1\norders 0 13\n"
    folder.close()


@pytest.mark.parametrize("to", [4, 0])
@pytest.mark.parametrize("lands", ["before", "after"])
def test_what_an_older_picture_said_of_a_log_is_not_believed_after_a_cut(tmp_path: Path, to: int, lands: str) -> None:
    """Compaction goes by it: what is not on disk yet must be whole after a crash."""
    folder = World(tmp_path).open()
    log = folder.create(ORDERS_0, TOPIC_ID, World(tmp_path).config)
    fill(log, 10)
    log.flushing.flush()
    older = folder.take_picture()
    if lands == "before":
        folder.checkpoints.write(older)
    log.truncation.cut(to=to)
    if lands == "after":
        folder.checkpoints.write(older)

    folder.picture_written(older)  # the thread's news comes last

    assert log.recovery_point_on_disk <= to
    folder.write_checkpoints()
    assert log.recovery_point_on_disk == to
    folder.close()


def test_a_log_in_trouble_keeps_the_next_start_from_trusting_the_folder(tmp_path: Path) -> None:
    world = World(tmp_path)
    folder = world.open()
    log = folder.create(ORDERS_0, TOPIC_ID, world.config)
    fill(log, 3)
    log.health.take_offline("the disk said no", stops_reads=False)

    assert not folder.close()
    assert not (tmp_path / CLEAN_MARKER).exists()
    again = world.open()
    assert again.logs[ORDERS_0].end_offset == 3
    again.close()


def test_a_folder_that_kafka_wrote_is_adopted(tmp_path: Path) -> None:
    """Kafka writes no log start that equals the first segment's base, and compaction may have left gaps."""
    world = World(tmp_path)
    folder = world.open()
    log = folder.create(ORDERS_0, TOPIC_ID, world.config)
    log.append([a_batch(0)])
    log.truncation.start_anew(50)
    log.append([a_batch(60), a_batch(61)])
    folder.close()
    for note in ("log-start-offset-checkpoint", "orders-0/penstock-offset-gaps"):
        (tmp_path / note).unlink()
    meta = tmp_path / "meta.properties"
    meta.write_text("".join(line for line in meta.read_text().splitlines(keepends=True) if "penstock" not in line))

    adopted = world.open()

    log = adopted.logs[ORDERS_0]
    assert (log.start_offset, log.end_offset, log.health.offline_reason) == (50, 62, None)
    world.crash(adopted)
    again = world.open()
    assert not again.identity.is_adopted
    assert (again.logs[ORDERS_0].start_offset, again.logs[ORDERS_0].health.offline_reason) == (50, None)
    again.close()


def test_a_long_topic_name_still_fits_when_its_folder_is_on_its_way_out(tmp_path: Path) -> None:
    world = World(tmp_path)
    folder = world.open()
    longest = TopicPartition("t" * 249, PartitionIndex(3))
    folder.create(longest, TOPIC_ID, world.config)

    folder.delete(longest)

    (name,) = (name for name in names_in(tmp_path) if name.endswith("-delete"))
    assert len(name) <= 255
    folder.close()


def test_a_log_whose_folder_is_gone_comes_back_offline_and_stays_so(tmp_path: Path) -> None:
    world = World(tmp_path)
    folder = world.open()
    fill(folder.create(ORDERS_0, TOPIC_ID, world.config), 10)
    folder.create(ORDERS_1, TOPIC_ID, world.config)
    folder.close()
    shutil.rmtree(tmp_path / "orders-0")
    shutil.rmtree(tmp_path / "orders-1")

    for _ in range(2):
        again = world.open()
        for partition in (ORDERS_0, ORDERS_1):
            if partition not in again.logs:
                again.create(partition, TOPIC_ID, world.config)
        reason = again.logs[ORDERS_0].health.offline_reason
        assert reason is not None and "the log ends at 0, records up to 10 should be here" in reason
        assert again.logs[ORDERS_1].health.offline_reason is None, "nothing had been written there"
        again.close()


def test_that_a_log_had_committed_records_is_known_until_it_was_told_though_nothing_was_flushed(tmp_path: Path) -> None:
    """No recovery point tells of it, and an empty log is made in its place: a start that fails then must not forget."""
    world = World(tmp_path)
    folder = world.open()
    log = folder.create(ORDERS_0, TOPIC_ID, world.config)
    fill(log, 10)
    log.high_watermark = 10
    folder.write_checkpoints()
    world.crash(folder)
    write_offsets(str(tmp_path / "recovery-point-offset-checkpoint"), {})
    shutil.rmtree(tmp_path / "orders-0")

    for _ in range(3):
        again = world.open()
        assert again.shortened == {ORDERS_0: 10}
        if ORDERS_0 not in again.logs:
            assert again.create(ORDERS_0, TOPIC_ID, world.config).health.offline_reason is None, "RF 1 comes back"
        again.close()
    told = world.open()
    told.shortened.clear()
    told.close()
    assert not world.open().shortened


def test_a_namesake_of_a_deleted_topic_is_not_taken_for_short(tmp_path: Path) -> None:
    world = World(tmp_path)
    folder = world.open()
    log = folder.create(ORDERS_0, TOPIC_ID, world.config)
    fill(log, 10)
    log.high_watermark = 10
    folder.write_checkpoints()
    world.crash(folder)
    shutil.rmtree(tmp_path / "orders-0")
    again = world.open()
    again.create(ORDERS_0, OTHER_ID, world.config)
    world.crash(again)
    assert not world.open().shortened


def test_a_lost_log_that_nobody_wants_is_forgotten(tmp_path: Path) -> None:
    world = World(tmp_path)
    folder = world.open()
    fill(folder.create(ORDERS_0, TOPIC_ID, world.config), 10)
    folder.close()
    shutil.rmtree(tmp_path / "orders-0")

    again = world.open()
    assert again.lost == {ORDERS_0: 10}
    again.lost.clear()
    assert again.create(ORDERS_0, OTHER_ID, world.config).health.offline_reason is None
    again.close()


def test_a_log_of_a_deleted_namesake_is_not_missed_in_the_next_of_its_name(tmp_path: Path) -> None:
    """A crash came before its rows were gone: nothing is missing from a topic that has not had a record yet."""
    world = World(tmp_path)
    folder = world.open()
    fill(folder.create(ORDERS_0, TOPIC_ID, world.config), 10)
    folder.logs[ORDERS_0].flushing.flush()
    folder.write_checkpoints()
    folder.delete(ORDERS_0)
    world.crash(folder)

    again = world.open()
    again.write_checkpoints()
    world.crash(again)  # before the new one's turn came
    again = world.open()

    log = again.create(ORDERS_0, OTHER_ID, world.config)
    assert (log.trouble, log.end_offset) == (None, 0)
    assert not again.checkpoints.knows(ORDERS_0)
    world.crash(again)
    assert world.open().logs[ORDERS_0].trouble is None


def test_a_log_that_an_earlier_start_set_aside_is_not_missed_in_the_next_of_its_name(tmp_path: Path) -> None:
    world = World(tmp_path)
    folder = world.open()
    fill(folder.create(ORDERS_0, TOPIC_ID, world.config), 10)
    folder.close()
    world.topics = {OTHER_ID}
    world.crash(world.open())

    again = world.open()

    assert again.create(ORDERS_0, OTHER_ID, world.config).trouble is None
    again.close()


def test_a_crash_between_two_checkpoint_files_leaves_no_row_without_its_topic(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path)
    folder = world.open()
    fill(folder.create(ORDERS_0, TOPIC_ID, world.config), 10)
    folder.logs[ORDERS_0].flushing.flush()
    folder.write_checkpoints()
    folder.delete(ORDERS_0)
    with monkeypatch.context() as full:
        full.setattr(folder_checkpoints, "write_offsets", no_room)
        with pytest.raises(KafkaStorageError, match="No space left"):
            folder.create(ORDERS_0, OTHER_ID, world.config)
    world.crash(folder)

    again = world.open()

    assert again.create(ORDERS_0, OTHER_ID, world.config).trouble is None
    again.close()


@pytest.mark.parametrize("torn", [None, b"garbage", bytes(40), b"0\n1\norders 0 ???\n"])
def test_a_log_is_missed_where_nothing_says_whose_its_row_is(tmp_path: Path, torn: bytes | None) -> None:
    world = World(tmp_path)
    folder = world.open()
    fill(folder.create(ORDERS_0, TOPIC_ID, world.config), 10)
    folder.close()
    shutil.rmtree(tmp_path / "orders-0")
    ids = tmp_path / "penstock-topic-ids"
    if torn is None:
        ids.unlink()
    else:
        ids.write_bytes(torn)

    again = world.open()

    assert again.create(ORDERS_0, OTHER_ID, world.config).trouble is not None
    again.close()


def test_what_was_said_of_topics_before_kafka_had_the_folder_is_not_believed(tmp_path: Path) -> None:
    world = World(tmp_path)
    folder = world.open()
    fill(folder.create(ORDERS_0, TOPIC_ID, world.config), 10)
    folder.close()
    shutil.rmtree(tmp_path / "orders-0")
    meta = tmp_path / "meta.properties"
    meta.write_text("".join(line for line in meta.read_text().splitlines(keepends=True) if "penstock" not in line))
    world.crash(world.open())

    again = world.open()

    assert not again.identity.is_adopted
    assert again.create(ORDERS_0, OTHER_ID, world.config).trouble is not None
    again.close()
