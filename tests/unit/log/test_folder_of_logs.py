"""A data folder: opening, creating, deleting, closing, and what its files say in between."""

import errno
from pathlib import Path

import pytest
from tests.support.folders import ORDERS_1, OTHER_ID, PAYMENTS_0, World
from tests.support.logs import ORDERS_0, TOPIC_ID, a_batch, base_offsets, fill, read_all

from penstock.errors import Fatal, KafkaStorageError
from penstock.log.file_pool import names_in
from penstock.log.folders.clean_marker import CLEAN_MARKER
from penstock.log.folders.folder import remove_paths
from penstock.log.folders.identity import read_identity
from penstock.model import PartitionIndex, TopicPartition, topic_id_text


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


def test_a_process_that_was_never_registered_leaves_word_of_the_registration_before_and_after_a_crash_of_none(
    tmp_path: Path,
) -> None:
    world = World(tmp_path)
    world.open().close(broker_epoch=7)
    for found, registered, left in ((7, 0, 7), (7, -1, 7), (7, 9, 9)):
        folder = world.open()
        assert folder.stopped_under == found
        folder.close(broker_epoch=registered)
        assert f'"brokerEpoch":{left}}}' in (tmp_path / CLEAN_MARKER).read_text()
    world.open().lock.release()  # killed
    folder = world.open()
    assert folder.stopped_under is None
    folder.close(broker_epoch=0)
    folder = world.open()
    assert folder.stopped_under is None
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
