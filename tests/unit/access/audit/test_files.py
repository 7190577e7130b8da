"""An audit log on disk: over starts, kills, full disks and files that are full."""

import errno
import os
from hashlib import sha256
from pathlib import Path

import pytest
from tests.unit.access.audit.building import some_lines

from penstock.access.audit.chain import Damaged, Head, read_line
from penstock.access.audit.files import AuditFiles, files_in
from penstock.access.audit.reading import Wanted, search, verify_folder

LINES = [line[:-1] for line in some_lines(8)[0]]


@pytest.fixture
def files(tmp_path: Path) -> AuditFiles:
    return AuditFiles(tmp_path, 1)


def written(folder: Path) -> bytes:
    return b"".join(each.path.read_bytes() for each in files_in(folder))


def test_a_first_start_and_the_next(tmp_path: Path, files: AuditFiles) -> None:
    assert files.open().head == Head()
    files.append(LINES[:3], first=1, begins_file=False)
    files.close()
    again = AuditFiles(tmp_path, 1)
    found = again.open()
    assert (found.head.sequence, found.torn_bytes, found.damaged) == (3, 0, 0)
    again.append(LINES[3:5], first=4, begins_file=False)
    again.close()
    assert written(tmp_path) == b"".join(line + b"\n" for line in LINES[:5])
    assert [each.path.name for each in files_in(tmp_path)] == ["audit-1-00000000000000000001.jsonl"]


def test_only_the_broker_may_read_it(tmp_path: Path, files: AuditFiles) -> None:
    files.open()
    files.append(LINES[:1], first=1, begins_file=False)
    files.close()
    assert files_in(tmp_path)[0].path.stat().st_mode & 0o077 == 0


def test_a_line_that_broke_off_is_taken_away_and_told(tmp_path: Path, files: AuditFiles) -> None:
    files.open()
    files.append(LINES[:3], first=1, begins_file=False)
    files.close()
    path = files_in(tmp_path)[0].path
    path.write_bytes(path.read_bytes() + LINES[3][:77])
    found = AuditFiles(tmp_path, 1).open()
    assert (found.head.sequence, found.torn_bytes) == (3, 77)
    assert path.read_bytes().count(b"\n") == 3 and path.read_bytes().endswith(b"\n")


def test_lines_that_were_changed_at_the_end_are_counted(tmp_path: Path, files: AuditFiles) -> None:
    files.open()
    files.append(LINES[:4], first=1, begins_file=False)
    files.close()
    path = files_in(tmp_path)[0].path
    path.write_bytes(path.read_bytes().replace(b"topic-2", b"topic-9").replace(b"topic-3", b"topic-9"))
    found = AuditFiles(tmp_path, 1).open()
    assert (found.head.sequence, found.damaged) == (2, 2)


def test_a_full_file_is_followed_by_another_and_old_ones_go(tmp_path: Path, files: AuditFiles) -> None:
    files.open()
    files.append(LINES[:3], first=1, begins_file=False)
    files.append(LINES[3:6], first=4, begins_file=True)
    files.append(LINES[6:7], first=7, begins_file=False)
    assert [each.first for each in files.kept()] == [1, 4]
    assert files.size == sum(len(line) + 1 for line in LINES[3:7])
    files.delete([files.kept()[0].path])
    assert [each.first for each in files.kept()] == [4]
    files.close()


def test_brokers_share_a_folder(tmp_path: Path) -> None:
    for broker_id in (1, 2, 10):
        files = AuditFiles(tmp_path, broker_id)
        files.open()
        files.append(LINES[:2], first=1, begins_file=False)
        files.close()
    assert [each.broker_id for each in files_in(tmp_path)] == [1, 2, 10]
    assert AuditFiles(tmp_path, 2).open().head.sequence == 2
    assert [report.name for report in verify_folder(tmp_path, {})] == ["broker 1", "broker 2", "broker 10"]


def test_two_brokers_of_one_number_are_kept_apart(tmp_path: Path, files: AuditFiles) -> None:
    files.open()
    files.append(LINES[:1], first=1, begins_file=False)
    with pytest.raises(BlockingIOError, match="another broker"):
        AuditFiles(tmp_path, 1).open()
    files.close()


def test_a_full_disk_leaves_nothing_of_what_was_refused(
    tmp_path: Path, files: AuditFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.open()
    files.append(LINES[:2], first=1, begins_file=False)
    write, room = os.write, 100

    def on_a_full_disk(fd: int, data: memoryview) -> int:
        nonlocal room
        if not room:
            raise OSError(errno.ENOSPC, "No space left on device")
        taken = write(fd, data[:room])
        room -= taken
        return taken

    monkeypatch.setattr(os, "write", on_a_full_disk)
    for _ in range(2):
        with pytest.raises(OSError, match="No space left"):
            files.append(LINES[2:4], first=3, begins_file=False)
        assert written(tmp_path) == b"".join(line + b"\n" for line in LINES[:2])
    monkeypatch.undo()
    files.append(LINES[2:4], first=3, begins_file=False)
    files.append(LINES[4:5], first=5, begins_file=False)
    files.close()
    (report,) = verify_folder(tmp_path, {})
    assert report.is_whole and report.last == 5


def test_a_file_whose_fsync_failed_takes_no_more(
    tmp_path: Path, files: AuditFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.open()
    files.append(LINES[:2], first=1, begins_file=False)

    def failing(_fd: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fdatasync", failing)
    with pytest.raises(OSError, match="Input/output"):
        files.append(LINES[2:4], first=3, begins_file=False)
    monkeypatch.undo()
    files.append(LINES[2:4], first=3, begins_file=False)
    files.close()
    assert [each.first for each in files_in(tmp_path)] == [1, 3]
    (report,) = verify_folder(tmp_path, {})
    assert report.is_whole and report.last == 4


STRANGE = [
    b"\xff\xfe",
    b"[" * 100_000,
    b"null",
    b"{}",
    LINES[0].replace(b'"name":"alice"', b'"name":17'),
    LINES[0].replace(b'"time":1000', b'"time":1e300'),
    b'{"class_uid":6003,"time":1,"status_id":1,"\x83":1}',
]


@pytest.mark.parametrize("line", STRANGE)
def test_a_line_that_is_no_event_is_passed_over(tmp_path: Path, line: bytes) -> None:
    (tmp_path / "audit-1-1.jsonl").write_bytes(line + b"\n" + LINES[1] + b"\n")
    assert [event["resources"][0]["name"] for event in search(tmp_path, Wanted(user="alice"))] == ["topic-1"]
    assert not verify_folder(tmp_path, {})[0].is_whole


def test_a_line_with_its_hash_that_is_no_event_is_damaged() -> None:
    body = b'{"\x83":{"previous":"x"}}'
    with pytest.raises(Damaged, match="no event"):
        read_line(body[:-2] + b',"hash":"' + sha256(body).hexdigest().encode() + b'"}}')
