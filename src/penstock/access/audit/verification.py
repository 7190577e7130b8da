"""Whether a broker's audit log is whole: every line as it was written, none missing, and nothing cut off its end.

What a log may lack is what it says itself: files deleted to make room (`deleted_through`). A log that went on after
something was missing says that as well (`begins_after`), and is not whole. The lines are compared with heads that the
broker put into the metadata store: a log that ends before one of them was cut.
"""

from collections.abc import Iterable
from typing import Final

import msgspec

from penstock.access.audit.chain import NO_HASH, Damaged, Head, Line, read_line

PROBLEMS_MAX: Final = 100
"""More are counted and not told one by one."""


class Problem(msgspec.Struct, frozen=True):
    file: str
    line: int
    """Counted from 1; 0 for the file as a whole."""
    what: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}" if self.line else f"{self.file}: {self.what}"


class Report(msgspec.Struct):
    """What there is of one chain, and what is wrong with it."""

    name: str
    files: int = 0
    lines: int = 0
    first: int = 0
    last: int = 0
    problems: list[Problem] = []
    problem_count: int = 0
    notes: list[str] = []
    """What one may want to know and is no sign of tampering."""

    @property
    def is_whole(self) -> bool:
        return not self.problem_count

    def add(self, file: str, line: int, what: str) -> None:
        self.problem_count += 1
        if len(self.problems) < PROBLEMS_MAX:
            self.problems.append(Problem(file, line, what))


File = tuple[str, Iterable[bytes]]
"""Its name, and its lines with their newlines: one without was not finished."""


def verify(name: str, files: Iterable[File], heads: Iterable[Head] = ()) -> Report:
    """All files of one broker, oldest first, against the heads that are known of it."""
    report = Report(name, problems=[], notes=[])
    wanted = {head.sequence: head.hash for head in heads if head.sequence}
    run = _Run(report, wanted)
    for file, lines in files:
        report.files += 1
        run.begin(file)
        for number, line in enumerate(lines, 1):
            run.read(line, number)
    run.end()
    return report


class _Run:
    def __init__(self, report: Report, wanted: dict[int, str]) -> None:
        self._report = report
        self._wanted = wanted
        self._file = ""
        self._before: Line | None = None
        self._damaged = 0
        """Lines since `_before` that cannot be believed."""
        self._deleted_through = 0
        self._torn: int | None = None
        """The number of an unfinished line that is the file's last."""

    def begin(self, file: str) -> None:
        if self._torn is not None:
            self._report.add(self._file, self._torn, "the line breaks off, and others were written after it")
            self._torn = None
        self._file = file

    def read(self, line: bytes, number: int) -> None:
        report = self._report
        report.lines += 1
        if not line.endswith(b"\n"):
            self._torn = number
            return
        try:
            read = read_line(line[:-1])
        except Damaged as damage:
            report.add(self._file, number, f"the line was changed: {damage}")
            self._damaged += 1
            return
        self._compare(read, number)
        if report.first == 0:
            report.first = read.sequence - self._damaged
        report.last = read.sequence
        self._before, self._damaged = read, 0
        self._deleted_through = max(self._deleted_through, read.deleted_through)

    def _compare(self, read: Line, number: int) -> None:
        report, before = self._report, self._before
        if read.begins_after >= 0:
            report.add(
                self._file, number, f"the broker found when it started that lines after {read.begins_after} were gone"
            )
        elif before is None:
            if read.sequence == 1 and read.previous != NO_HASH:
                report.add(self._file, number, "line 1 has another before it")
        elif read.sequence != before.sequence + 1 + self._damaged:
            report.add(self._file, number, f"line {read.sequence} comes after line {before.sequence}")
        elif not self._damaged and read.previous != before.hash:
            report.add(self._file, number, f"line {read.sequence} was not written after the line before it")
        known = self._wanted.get(read.sequence)
        if known is not None and known != read.hash:
            report.add(self._file, number, f"line {read.sequence} is not the one that the metadata store knows")

    def end(self) -> None:
        report = self._report
        if self._torn is not None:
            note = "the last line breaks off: the broker was killed while it wrote it, or writes it now"
            report.notes.append(f"{self._file}:{self._torn}: {note}")
            report.lines -= 1
        if report.first > self._deleted_through + 1:
            told = (
                f"; only those up to {self._deleted_through} were deleted to make room" if self._deleted_through else ""
            )
            report.add(report.name, 0, f"the lines before {report.first} are missing{told}")
        known = max(self._wanted, default=0)
        if known > report.last:
            report.add(report.name, 0, f"the log ends at line {report.last}; the metadata store knows of line {known}")
