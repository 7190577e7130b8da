"""A data folder's checkpoints: what they say, when they are written, and a start without them."""

import os
import shutil
from pathlib import Path

import pytest
from tests.support.folders import ORDERS_1, OTHER_ID, PAYMENTS_0, World
from tests.support.logs import ORDERS_0, TOPIC_ID, fill

from penstock.log.file_pool import FilePool
from penstock.log.folders.clean_marker import CLEAN_MARKER
from penstock.log.folders.folder import LogFolder
from penstock.log.partition_log import PartitionLog
from penstock.model import topic_id_text


def test_a_folder_that_is_made_is_for_its_owner_alone(tmp_path: Path) -> None:
    World(tmp_path / "new").open().close()
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700


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
