"""A start without room, or without descriptors: that is no damage, and logs are opened once there is what it takes."""

import errno
import os
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.logs import ORDERS_0, TOPIC_ID, StillClock, a_batch, a_log, a_marker, base_offsets, fill, read_all
from tests.support.logs import reopen as reopened

from penstock.errors import KafkaStorageError
from penstock.log import FilePool, LogFolder, recovery
from penstock.log import file_pool as files
from penstock.log.damage import damage
from penstock.log.folders import reserve
from penstock.log.notes import DAMAGE_NOTE
from penstock.log.partition_log import PartitionLog
from penstock.log.recovery import ExpectedLog
from penstock.log.segments import transaction_index as transactions
from penstock.settings.config import Config
from penstock.wire.markers import MarkerType

Statvfs = namedtuple("Statvfs", ["f_bavail", "f_frsize"])


def failing(number: int) -> Callable[..., None]:
    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    return fail


def a_log_with_an_abort(folder: Path) -> PartitionLog:
    """What lies beside its batches has to be written anew after a crash: the file is empty, as power failed."""
    log = a_log(folder)
    log.append([a_batch(0, producer_id=7, producer_epoch=0, base_sequence=0, transactional=True)])
    log.append([a_marker(1, MarkerType.ABORT, producer_id=7)])
    log.pool.close_all()
    assert log.active.transactions is not None
    log.active.transactions.path.write_bytes(b"")
    return log


def test_a_log_that_there_is_no_room_to_open_is_not_damaged_and_opens_when_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = a_log_with_an_abort(tmp_path)
    with monkeypatch.context() as full:
        full.setattr(transactions, "write_atomically", failing(errno.ENOSPC))
        unread = reopened(log)
        assert unread.health.open_again is not None and not (tmp_path / DAMAGE_NOTE).exists()
        assert unread.trouble is not None and "No space left" in unread.trouble.reason
        with pytest.raises(KafkaStorageError):
            unread.health.ensure_readable()
        with pytest.raises(KafkaStorageError):
            fill(unread, 1)
        full.setattr(os, "statvfs", lambda _: Statvfs(1, 4096))
        assert unread.health.open_again() is unread, "there is no room yet"

    opened = unread.health.open_again()

    assert opened.trouble is None and opened.health.open_again is None and opened.end_offset == 2
    assert [aborted.producer_id for aborted in opened.aborts.between(0, 2)] == [7]
    assert not opened.is_folder_synced, "what the first attempt removed is gone for good with the next flush"


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EACCES])
@pytest.mark.parametrize(
    "where", [(recovery, "names_in"), (recovery, "private_descriptor"), (damage, "read_rows"), (recovery, "header_at")]
)
def test_a_want_of_descriptors_is_not_damage_wherever_it_is_met(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, where: tuple[object, str]
) -> None:
    log = a_log(tmp_path, settings={"index.interval.bytes": "100"})
    fill(log, 20)
    log.flushing.close()
    with monkeypatch.context() as poor:
        poor.setattr(*where, failing(number))
        unread = reopened(log, recovery_point=15)
    assert unread.health.open_again is not None and not (tmp_path / DAMAGE_NOTE).exists()
    assert (unread.start_offset, unread.recovery_point) == (0, 15), "the checkpoints go on saying what they said"

    opened = unread.health.open_again()

    assert opened.trouble is None and base_offsets(read_all(opened)) == list(range(20))
    opened.pool.close_all()


@pytest.mark.parametrize("number", [errno.ENOMEM, errno.EIO])
@pytest.mark.parametrize("where", [(recovery, "names_in"), (damage, "read_rows")])
def test_a_log_that_is_not_read_still_tells_its_latest_leader_epoch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, where: tuple[object, str]
) -> None:
    """A start raises leader epochs above it, should the metadata have been taken back in time (RULES 12)."""
    log = a_log(tmp_path)
    fill(log, 2, leader_epoch=3)
    fill(log, 1, leader_epoch=7)
    log.flushing.close()
    with monkeypatch.context() as poor:
        poor.setattr(*where, failing(number))
        unread = reopened(log)
    assert unread.trouble is not None and unread.epochs.latest == 7


def test_what_the_disk_will_not_give_is_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = a_log(tmp_path)
    fill(log, 3)
    log.flushing.close()
    monkeypatch.setattr(recovery, "private_descriptor", failing(errno.EIO))
    damaged = reopened(log, recovery_point=0)
    assert damaged.trouble is not None and damaged.trouble.stops_reads and damaged.health.open_again is None
    assert (tmp_path / DAMAGE_NOTE).exists()


def test_a_first_look_at_a_closed_segment_without_a_descriptor_is_refused_and_made_up_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = a_log(tmp_path, settings={"internal.segment.bytes": "300"})
    fill(log, 20)
    log.flushing.close()
    log = reopened(log, is_clean=True)
    with monkeypatch.context() as poor:
        poor.setattr(damage, "check_closed", failing(errno.EMFILE))
        with pytest.raises(KafkaStorageError, match="Too many open files"):
            read_all(log)
    assert log.trouble is None and not (tmp_path / DAMAGE_NOTE).exists()
    assert base_offsets(read_all(log)) == list(range(20))
    log.pool.close_all()


# --- a data folder ---


def a_folder(path: Path) -> LogFolder:
    home = LogFolder(path, cluster_id="c", node_id=1, pool=FilePool(8), clock=StillClock())
    home.open_all(lambda *_: ExpectedLog(Config.for_broker({})))
    return home


def crash(home: LogFolder) -> None:
    home.pool.close_all()
    home.lock.release()


def test_a_stop_with_a_log_that_was_never_opened_is_not_clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next start would trust a tail that nobody has read."""
    home = a_folder(tmp_path)
    log = home.create(ORDERS_0, TOPIC_ID, Config.for_broker({}))
    fill(log, 3)
    with open(log.active.file.path, "ab") as file:
        file.write(b"torn")
    crash(home)
    with monkeypatch.context() as poor:
        poor.setattr(recovery, "names_in", failing(errno.EMFILE))
        poor_home = a_folder(tmp_path)
    assert not poor_home.close()
    again = a_folder(tmp_path)
    assert again.logs[ORDERS_0].trouble is None and again.logs[ORDERS_0].end_offset == 3
    again.close()


def test_a_new_partition_that_could_not_be_opened_was_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = a_folder(tmp_path)
    with monkeypatch.context() as poor:
        poor.setattr(recovery, "names_in", failing(errno.EMFILE))
        with pytest.raises(KafkaStorageError, match="Too many open files"):
            home.create(ORDERS_0, TOPIC_ID, Config.for_broker({}))
    assert not (tmp_path / "orders-0").exists() and ORDERS_0 not in home.logs
    assert home.create(ORDERS_0, TOPIC_ID, Config.for_broker({})).trouble is None
    home.close()


def test_the_reserve_pays_for_what_a_start_has_to_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = a_folder(tmp_path)
    log = home.create(ORDERS_0, TOPIC_ID, Config.for_broker({}))
    log.append([a_batch(0, producer_id=7, producer_epoch=0, base_sequence=0, transactional=True)])
    log.append([a_marker(1, MarkerType.ABORT, producer_id=7)])
    assert log.active.transactions is not None
    log.active.transactions.path.write_bytes(b"")
    crash(home)
    write = files.write_atomically

    def write_if_there_is_room(path: str, data: bytes) -> None:
        if (tmp_path / reserve.RESERVE_FILE).exists():
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(path, data)

    monkeypatch.setattr(transactions, "write_atomically", write_if_there_is_room)
    again = a_folder(tmp_path)
    assert again.logs[ORDERS_0].trouble is None
    assert (tmp_path / reserve.RESERVE_FILE).exists(), "and is taken again"
    again.close()


def test_a_start_without_a_descriptor_for_the_reserve_does_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reserve, "private_descriptor", failing(errno.EMFILE))
    a_folder(tmp_path).close()


def test_a_folder_of_kafkas_is_not_adopted_before_all_its_logs_were_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where one begins, which Kafka may leave unsaid, is not known until then, nor whether it has gaps."""
    home = a_folder(tmp_path)
    log = home.create(ORDERS_0, TOPIC_ID, Config.for_broker({}))
    log.truncation.start_anew(50)
    log.append([a_batch(50), a_batch(60)])
    home.close()
    for note in ("log-start-offset-checkpoint", "orders-0/penstock-offset-gaps"):
        (tmp_path / note).unlink()
    meta = tmp_path / "meta.properties"
    meta.write_text("".join(line for line in meta.read_text().splitlines(keepends=True) if "penstock" not in line))
    with monkeypatch.context() as poor:
        poor.setattr(recovery, "names_in", failing(errno.EMFILE))
        assert not a_folder(tmp_path).close()

    adopted = a_folder(tmp_path)

    log = adopted.logs[ORDERS_0]
    assert (log.start_offset, log.end_offset, log.trouble) == (50, 61, None)
    adopted.close()
