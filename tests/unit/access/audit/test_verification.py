"""What `verify` finds: changed, cut and missing lines and files. And what it leaves in peace."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.access.audit.building import some_lines

from penstock.access.audit import Head, LogActivity, Report, Severity, read_line, verify
from penstock.access.audit.events import Event, about_log

LINES, CHAIN = some_lines(9)
FILES = [("a", LINES[:3]), ("b", LINES[3:6]), ("c", LINES[6:])]
HEADS = [read_line(line[:-1]).head for line in LINES]


def of(*files: tuple[str, list[bytes]], heads: list[Head] | None = None) -> Report:
    return verify("broker 1", files, heads or [])


def problems(report: Report) -> list[str]:
    return [str(problem) for problem in report.problems]


def test_a_whole_log() -> None:
    report = of(*FILES, heads=[HEADS[4], HEADS[8]])
    assert report.is_whole
    assert (report.files, report.lines, report.first, report.last) == (3, 9, 1, 9)
    assert not report.notes


@given(st.integers(0, 8), st.integers(min_value=0), st.integers(1, 255))
def test_a_flipped_byte(number: int, at: int, flip: int) -> None:
    changed = bytearray(LINES[number])
    changed[at % (len(changed) - 1)] ^= flip
    lines = [*LINES[:number], bytes(changed), *LINES[number + 1 :]]
    assert not of(("a", lines)).is_whole


def test_a_changed_line_is_named_and_only_it() -> None:
    changed = LINES[4].replace(b"topic-4", b"topic-5")
    assert problems(of(FILES[0], ("b", [LINES[3], changed, LINES[5]]), FILES[2])) == [
        "b:2: the line was changed: its hash is not that of what it says"
    ]


def test_a_changed_first_line_is_named_and_only_it() -> None:
    changed = LINES[0].replace(b"topic-0", b"topic-5")
    assert problems(of(("a", [changed, *LINES[1:]]))) == [
        "a:1: the line was changed: its hash is not that of what it says"
    ]


def test_a_line_taken_out() -> None:
    assert problems(of(("a", [*LINES[:4], *LINES[5:]]))) == ["a:5: line 6 comes after line 4"]


def test_two_lines_that_changed_places() -> None:
    assert problems(of(("a", [LINES[0], LINES[2], LINES[1], LINES[3]]))) == [
        "a:2: line 3 comes after line 1",
        "a:3: line 2 comes after line 3",
        "a:4: line 4 comes after line 2",
    ]


def test_a_line_of_another_chain() -> None:
    other, _ = some_lines(5, Head(0, "ef" * 32))
    assert problems(of(("a", [*LINES[:4], other[4]]))) == ["a:5: line 5 was not written after the line before it"]


def test_a_missing_file_in_the_middle() -> None:
    assert problems(of(FILES[0], FILES[2])) == ["c:1: line 7 comes after line 3"]


def test_a_missing_first_file() -> None:
    assert problems(of(*FILES[1:])) == ["broker 1: the lines before 4 are missing"]


def test_a_missing_last_file_is_found_by_the_head() -> None:
    assert of(*FILES[:2]).is_whole, "nothing in what is left tells"
    told = ["broker 1: the log ends at line 6; the metadata store knows of line 9"]
    assert problems(of(*FILES[:2], heads=[HEADS[8]])) == told


def test_all_files_missing() -> None:
    assert problems(of(heads=[HEADS[8]])) == ["broker 1: the log ends at line 0; the metadata store knows of line 9"]


@pytest.mark.parametrize("cut", [1, 50, len(LINES[8]) - 1])
def test_a_last_line_that_breaks_off_is_no_tampering_before_a_head_knows_it(cut: int) -> None:
    lines = [*LINES[:8], LINES[8][:cut]]
    report = of(("a", lines), heads=[HEADS[7]])
    assert report.is_whole
    assert report.lines == 8
    assert report.notes == ["a:9: the last line breaks off: the broker was killed while it wrote it, or writes it now"]
    assert not of(("a", lines), heads=[HEADS[8]]).is_whole


def test_a_line_that_breaks_off_before_others() -> None:
    assert "breaks off" in problems(of(("a", [*LINES[:2], LINES[2][:40]]), FILES[1]))[0]


def test_a_chain_that_was_written_anew_is_found_by_the_head() -> None:
    anew, _ = some_lines(9, Head(0, "ef" * 32))
    forged, _ = some_lines(4, HEADS[4])
    assert problems(of(("a", [*LINES[:5], *forged]), heads=[HEADS[8]])) == [
        "a:9: line 9 is not the one that the metadata store knows"
    ]
    assert problems(of(("a", anew))) == ["a:1: line 1 has another before it"]


def _about(activity: LogActivity, **facts: int) -> Event:
    return about_log(activity, "", time_ms=1, severity=Severity.INFORMATIONAL, **facts)


def test_files_deleted_to_make_room_are_not_missed() -> None:
    after, _ = some_lines(3, HEADS[8], begin=[_about(LogActivity.ROTATE, deleted_through=3)])
    assert of(*FILES[1:], ("d", after)).is_whole
    assert of(*FILES, ("d", after)).is_whole, "they may be there still"
    assert problems(of(FILES[2], ("d", after))) == [
        "broker 1: the lines before 7 are missing; only those up to 3 were deleted to make room"
    ]


def test_a_log_that_went_on_after_a_gap_is_not_whole() -> None:
    after, _ = some_lines(2, HEADS[8], begin=[_about(LogActivity.START, begins_after=4)])
    assert problems(of(("a", LINES[:4]), ("d", after), heads=[HEADS[8]])) == [
        "d:1: the broker found when it started that lines after 4 were gone"
    ]
