"""What a start misses in a data folder: logs that are gone, or shorter than something says."""

import shutil
from pathlib import Path

import pytest
from tests.support.folders import ORDERS_1, OTHER_ID, World
from tests.support.logs import ORDERS_0, TOPIC_ID, fill, no_room

from penstock.errors import Fatal, KafkaStorageError
from penstock.log.checkpoint_files import write_offsets
from penstock.log.folders import checkpoints as folder_checkpoints


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
