"""What the disk says of a log that is cut or begun anew, wherever a crash comes; and who writes it, and where."""

import asyncio
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.support.logs import ORDERS_0, TOPIC_ID, StillClock, a_batch, base_offsets, fill, headers_in, read_all

from penstock.errors import KafkaStorageError
from penstock.log import FilePool, LogFolder, PartitionLog
from penstock.log.cut_notes import CUT_NOTE
from penstock.log.file_pool import names_in
from penstock.log.folders import checkpoints as folder_checkpoints
from penstock.log.recovery import ExpectedLog
from penstock.model import PartitionIndex, TopicPartition
from penstock.settings.config import Config

CONFIG = Config.for_broker({}).for_topic({"internal.segment.bytes": "300"})


def open_folder(path: Path) -> LogFolder:
    folder = LogFolder(path, cluster_id="c1", node_id=1, pool=FilePool(64), clock=StillClock())
    folder.open_all(lambda *_: ExpectedLog(CONFIG))
    return folder


def crash(folder: LogFolder) -> None:
    folder.pool.close_all()
    folder.lock.release()


def twelve_records(path: Path) -> tuple[LogFolder, PartitionLog]:
    """In several segments, from 4 on, all flushed, clean to 8, and the checkpoints say so."""
    folder = open_folder(path)
    log = folder.create(ORDERS_0, TOPIC_ID, CONFIG)
    fill(log, 12)
    log.high_watermark = 12
    log.retention.advance_start(4)
    log.flushing.flush()
    log.clean_upto = 8
    folder.write_checkpoints()
    return folder, log


class Killed(BaseException):
    """The process ended there."""


STEPS = [(Path, "rename"), (Path, "replace"), (Path, "unlink"), (os, "fsync"), (os, "ftruncate"), (os, "pwritev")]
"""Whatever changes what is on disk, or makes it last."""


@pytest.fixture
def killing() -> Callable[[int], Any]:
    """Let so many steps happen, and no more."""

    def context(steps_max: int) -> Any:
        patching = pytest.MonkeyPatch.context()
        steps = iter(range(steps_max))

        def counted(step: Callable[..., Any]) -> Callable[..., Any]:
            def stepping(*arguments: Any, **named: Any) -> Any:
                if next(steps, None) is None:
                    raise Killed
                return step(*arguments, **named)

            return stepping

        class Context:
            def __enter__(self) -> None:
                counting = patching.__enter__()
                for owner, name in STEPS:
                    counting.setattr(owner, name, counted(getattr(owner, name)))

            def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
                patching.__exit__(None, None, None)
                return kind is Killed

        return Context()

    return context


def opened_after_crash(path: Path) -> PartitionLog:
    log = open_folder(path).logs[ORDERS_0]
    assert log.health.offline_reason is None
    assert log.recovery_point <= log.end_offset and log.clean_upto <= log.recovery_point
    return log


@pytest.mark.parametrize("ahead", [True, False])
@pytest.mark.parametrize("to", [9, 6, 4])
@pytest.mark.parametrize("steps_max", range(45))
def test_a_log_that_is_killed_while_it_is_cut_or_written_to_again_has_what_it_had_or_what_came(
    tmp_path: Path, killing: Callable[[int], Any], steps_max: int, to: int, ahead: bool
) -> None:
    """Through the checkpoints that take the note away, too. What was written in place of the cut is not taken for
    flushed: it is read at the next start.
    """
    folder, log = twelve_records(tmp_path)
    is_written = False
    with killing(steps_max):
        if ahead and (write := log.truncation.cut_ahead(to=to)) is not None:
            write()
        log.truncation.cut(to=to)
        log.append([a_batch(offset, timestamp=7) for offset in range(to, 14)])
        is_written = True
        folder.write_checkpoints()
        log.flushing.flush()
        folder.write_checkpoints()
    flushed = log.recovery_point
    crash(folder)

    log = opened_after_crash(tmp_path)
    assert base_offsets(read_all(log)) == list(range(4, log.end_offset)) and log.end_offset >= min(to, 12)
    assert log.end_offset == 14 or not is_written
    was_cut = log.end_offset < 12 or any(header.max_timestamp == 7 for header in headers_in(read_all(log)))
    assert log.recovery_point <= (max(flushed, to) if was_cut else 12)


@pytest.mark.parametrize("ahead", [True, False])
@pytest.mark.parametrize("offset", [100, 2])
@pytest.mark.parametrize("steps_max", range(50))
def test_a_log_that_is_killed_while_it_begins_anew_misses_nothing(
    tmp_path: Path, killing: Callable[[int], Any], steps_max: int, offset: int, ahead: bool
) -> None:
    folder, log = twelve_records(tmp_path)
    has_begun = is_written = False
    with killing(steps_max):
        if ahead and (write := log.truncation.start_ahead(offset)) is not None:
            write()
        log.truncation.start_anew(offset)
        has_begun = True
        log.append([a_batch(offset), a_batch(offset + 1)])
        is_written = True
        folder.write_checkpoints()
    crash(folder)

    log = opened_after_crash(tmp_path)
    left = base_offsets(read_all(log))
    if is_written:
        assert left == [offset, offset + 1] and log.start_offset == offset
    elif has_begun:
        assert left == list(range(offset, offset + len(left))) and log.start_offset == offset
    else:
        assert left in (list(range(4, 4 + len(left))), [])


@pytest.mark.parametrize("steps_max", range(25))
@pytest.mark.parametrize("begins", [True, False])
def test_an_empty_log_that_is_to_begin_elsewhere_is_whole_whether_it_does_or_not(
    tmp_path: Path, killing: Callable[[int], Any], steps_max: int, begins: bool
) -> None:
    """A new replica whose leader has nothing older. It may be made leader first, and begin where it is."""
    folder = open_folder(tmp_path)
    log = folder.create(ORDERS_0, TOPIC_ID, CONFIG)
    offset, is_written = 50 if begins else 0, False
    with killing(steps_max):
        write = log.truncation.start_ahead(50)
        assert write is not None
        write()
        if begins:
            log.truncation.start_anew(50)
        log.append([a_batch(offset), a_batch(offset + 1)])
        is_written = True
        folder.write_checkpoints()
    crash(folder)

    log = opened_after_crash(tmp_path)
    if is_written:
        assert base_offsets(read_all(log)) == [offset, offset + 1] and log.start_offset == offset
    else:
        assert log.end_offset == log.start_offset


def events_of(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    events: list[str] = []

    def noting(name: str, step: Callable[..., Any]) -> Callable[..., Any]:
        def stepping(*arguments: Any, **named: Any) -> Any:
            if name == "fsync":
                events.append("fsync " + Path(f"/proc/self/fd/{arguments[0]}").readlink().name.rstrip("0123456789"))
            else:
                events.append(f"{name} {Path(arguments[0]).name.partition('.')[0]}" if name != "ftruncate" else name)
            return step(*arguments, **named)

        return stepping

    for owner, name in STEPS:
        monkeypatch.setattr(owner, name, noting(name, getattr(owner, name)))
    return events


def test_the_note_lasts_before_the_first_byte_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Power may fail at any time: what is not fsynced by then may come about in any order."""
    folder, log = twelve_records(tmp_path)
    with monkeypatch.context() as patching:
        events = events_of(patching)
        log.truncation.cut(to=6)

    note = [event for event in events if CUT_NOTE in event or event in ("fsync orders-", "ftruncate")]
    assert note[: note.index("ftruncate")] == [
        f"replace {CUT_NOTE}", f"fsync {CUT_NOTE}.", f"rename {CUT_NOTE}", "fsync orders-"
    ]  # fmt: skip
    assert "fsync orders-" not in note[note.index("ftruncate") :]
    folder.close()


def test_checkpoints_take_a_note_away_for_good_before_they_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it would come back with a start that is past, when power fails after retention went by the checkpoints."""
    folder, log = twelve_records(tmp_path)
    log.truncation.cut(to=6)
    assert CUT_NOTE in names_in(log.folder)
    picture = folder.take_picture()
    with monkeypatch.context() as patching:
        events = events_of(patching)
        folder.checkpoints.write(picture)

    assert events[-2:] == [f"unlink {CUT_NOTE}", "fsync orders-"]
    assert CUT_NOTE not in names_in(log.folder)
    folder.close()


def test_checkpoints_that_were_taken_before_a_cut_leave_its_note(tmp_path: Path) -> None:
    folder, log = twelve_records(tmp_path)
    older = folder.take_picture()
    log.truncation.cut(to=6)
    folder.checkpoints.write(older)
    crash(folder)

    log = opened_after_crash(tmp_path)

    assert (log.end_offset, log.recovery_point) == (6, 6)


def test_a_note_written_ahead_that_a_cut_relies_on_is_not_taken_away_by_checkpoints_from_before_the_cut(
    tmp_path: Path,
) -> None:
    """They were taken when the note was there and the records were too."""
    folder, log = twelve_records(tmp_path)
    write = log.truncation.cut_ahead(to=6)
    assert write is not None
    write()
    between = folder.take_picture()
    log.truncation.cut(to=6)
    folder.checkpoints.write(between)
    crash(folder)

    log = opened_after_crash(tmp_path)

    assert (log.end_offset, log.recovery_point <= 6) == (6, True)


def test_a_cut_whose_note_checkpoints_have_taken_away_writes_it_again(tmp_path: Path) -> None:
    folder, log = twelve_records(tmp_path)
    write = log.truncation.cut_ahead(to=6)
    assert write is not None
    write()
    folder.write_checkpoints()
    assert CUT_NOTE not in names_in(log.folder)
    log.truncation.cut(to=6)
    crash(folder)

    assert opened_after_crash(tmp_path).end_offset == 6


def test_of_two_notes_the_later_stays_whoever_is_done_first(tmp_path: Path) -> None:
    folder, log = twelve_records(tmp_path)
    slow = log.truncation.cut_ahead(to=11)
    assert slow is not None
    log.truncation.cut(to=6)
    slow()
    crash(folder)

    log = opened_after_crash(tmp_path)

    assert log.end_offset == 6
    assert [name for name in names_in(log.folder) if name.startswith(CUT_NOTE)] == [CUT_NOTE]


def test_a_note_that_a_start_finds_stays_until_the_checkpoints_say_it(tmp_path: Path) -> None:
    folder, log = twelve_records(tmp_path)
    log.truncation.start_anew(100)
    log.append([a_batch(100)])
    crash(folder)
    crash(open_folder(tmp_path))
    folder = open_folder(tmp_path)
    log = folder.logs[ORDERS_0]
    assert (log.start_offset, log.end_offset, log.trouble) == (100, 101, None)
    assert CUT_NOTE in names_in(log.folder)

    assert folder.close()

    assert CUT_NOTE not in names_in(log.folder)
    log = open_folder(tmp_path).logs[ORDERS_0]
    assert (log.start_offset, log.end_offset, log.trouble) == (100, 101, None)


@pytest.mark.parametrize("offset", [2, 100])
def test_a_log_that_began_anew_is_not_taken_for_one_that_lost_records(tmp_path: Path, offset: int) -> None:
    folder, log = twelve_records(tmp_path)
    log.truncation.start_anew(offset)
    crash(folder)

    folder = open_folder(tmp_path)

    assert folder.shortened == {} and folder.logs[ORDERS_0].end_offset == offset


def test_leader_epochs_that_a_power_failure_brings_back_are_not_believed_of_what_is_to_come(tmp_path: Path) -> None:
    """What comes may be of an older epoch: the log that was thrown away had got records that nobody else kept."""
    folder = open_folder(tmp_path)
    log = folder.create(ORDERS_0, TOPIC_ID, CONFIG)
    fill(log, 12, leader_epoch=7)
    log.high_watermark = 12
    log.flushing.flush()  # with an epoch that begins below all that is left in the next line
    log.retention.advance_start(4)
    assert log.retention.delete_old_segments(log.clock.now(), 12) == 1
    folder.write_checkpoints()
    epochs = log.folder / "leader-epoch-checkpoint"
    before = epochs.read_bytes()
    write = log.truncation.start_ahead(100)
    assert write is not None
    write()
    log.truncation.start_anew(100)
    assert not epochs.exists()
    crash(folder)
    epochs.write_bytes(before)

    folder = open_folder(tmp_path)
    log = folder.logs[ORDERS_0]
    assert (log.start_offset, log.epochs.snapshot()) == (100, [])
    fill(log, 1, leader_epoch=5)
    crash(folder)
    log = opened_after_crash(tmp_path)

    assert (log.start_offset, log.end_offset, log.epochs.snapshot()) == (100, 101, [(5, 100)])


def test_old_segments_are_gone_for_good_before_checkpoints_say_where_the_log_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beginning anew has not waited for that, as the note counts only once they are gone."""
    folder, log = twelve_records(tmp_path)
    write = log.truncation.start_ahead(100)
    assert write is not None
    write()
    with monkeypatch.context() as patching:
        events = events_of(patching)
        log.truncation.start_anew(100)
        assert not [event for event in events if event.startswith("fsync")]
        folder.checkpoints.write(folder.take_picture())

    assert events.index("fsync orders-") < events.index("replace recovery-point-offset-checkpoint")
    folder.close()


def test_a_note_that_cannot_be_read_leaves_nothing_to_be_trusted_unread(tmp_path: Path) -> None:
    folder, log = twelve_records(tmp_path)
    log.truncation.cut(to=6)
    crash(folder)
    (log.folder / CUT_NOTE).write_text("rubbish")

    log = opened_after_crash(tmp_path)

    assert (log.end_offset, log.clean_upto) == (6, 0)


def test_a_cut_that_cannot_be_noted_does_not_happen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, log = twelve_records(tmp_path)

    def fail(_fd: int) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as failing:
        failing.setattr(os, "fsync", fail)
        with pytest.raises(KafkaStorageError):
            log.truncation.cut(to=6)
    crash(folder)

    log = opened_after_crash(tmp_path)
    assert (log.end_offset, log.clean_upto) == (12, 8)


@pytest.mark.parametrize("others", [1, 40])
async def test_however_many_logs_a_folder_has_a_cut_writes_its_own_note_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, others: int
) -> None:
    folder, log = twelve_records(tmp_path)
    for index in range(1, others + 1):
        fill(folder.create(TopicPartition("orders", PartitionIndex(index)), TOPIC_ID, CONFIG), 1)
    folder.write_checkpoints()
    empty = folder.create(TopicPartition("payments", PartitionIndex(0)), TOPIC_ID, CONFIG)
    left_behind = folder.create(TopicPartition("payments", PartitionIndex(1)), TOPIC_ID, CONFIG)
    fill(left_behind, 7)
    left_behind.flushing.flush()
    here, on_the_loop = threading.get_ident(), []
    fsync = os.fsync

    def noting(fd: int) -> None:
        if threading.get_ident() == here:
            on_the_loop.append(Path(f"/proc/self/fd/{fd}").readlink())
        fsync(fd)

    def never(*_: object) -> None:
        pytest.fail("checkpoints of the whole folder")

    with monkeypatch.context() as patching:
        patching.setattr(os, "fsync", noting)
        patching.setattr(folder_checkpoints, "write_offsets", never)
        patching.setattr(folder_checkpoints, "write_topic_ids", never)
        ahead = log.truncation.cut_ahead(to=6), *(each.truncation.start_ahead(50) for each in (empty, left_behind))
        for write in ahead:
            assert write is not None
            await asyncio.to_thread(write)
        log.truncation.cut(to=6)
        empty.truncation.start_anew(50)
        left_behind.truncation.start_anew(50)
        assert (left_behind.start_offset, left_behind.end_offset) == (50, 50)
        assert on_the_loop == [], "a thread has done it"
        empty.truncation.start_anew(48)
        assert len(on_the_loop) == 4, "nobody has: two notes, and their names"
        assert all("payments-0" in path.parts[-2:] for path in on_the_loop)

    folder.close()


def test_a_note_that_may_not_last_is_taken_back_and_nothing_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, log = twelve_records(tmp_path)

    def fails(_folder: str) -> None:
        raise OSError("no")

    with monkeypatch.context() as broken:
        broken.setattr("penstock.log.cut_notes.sync_folder", fails)
        with pytest.raises(KafkaStorageError):
            log.truncation.cut(to=6)
    assert log.end_offset == 12 and CUT_NOTE not in names_in(log.folder)
    crash(folder)


def test_a_note_goes_with_its_log(tmp_path: Path) -> None:
    """And none of it is believed of the next log of that name."""
    folder, log = twelve_records(tmp_path)
    log.truncation.start_anew(100)
    older = folder.take_picture()
    folder.delete(ORDERS_0)
    log = folder.create(ORDERS_0, TOPIC_ID, CONFIG)
    log.truncation.start_anew(20)
    with suppress(FileNotFoundError):
        folder.checkpoints.write(older)
    log.append([a_batch(20)])
    crash(folder)

    log = opened_after_crash(tmp_path)

    assert (log.start_offset, log.end_offset) == (20, 21)


@pytest.fixture(autouse=True)
def closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Folders that a test leaves open are let go."""
    opened: list[LogFolder] = []
    init = LogFolder.__init__

    def remembering(self: LogFolder, *arguments: Any, **named: Any) -> None:
        init(self, *arguments, **named)
        opened.append(self)

    monkeypatch.setattr(LogFolder, "__init__", remembering)
    yield
    for folder in opened:
        folder.pool.close_all()
        with suppress(OSError, ValueError):
            folder.lock.release()
