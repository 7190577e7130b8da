"""Our own words for an error of Spark's: what a task or the driver's helper raised comes wrapped in Java's."""

import re

from penstock.pipelines.problems import PipelineProblem

# The last is SQLite's, which takes some room only to open a catalog.
_FULL = ("No space left on device", "Disk quota exceeded", "database or disk is full", "SQLITE_IOERR_SHMSIZE")
_UNVERSIONED = "JDBC catalog is initialized without view support"
_NAME = "penstock.pipelines.problems.PipelineProblem: "


def problem_in(text: str) -> str | None:
    """The message of a PipelineProblem that was raised in another process, or None if there is none in it."""
    at = text.find(_NAME)
    if at < 0:
        return None
    lines = []
    for line in text[at + len(_NAME) :].splitlines():
        # The traceback of Java's side, or of a process around it, comes right behind.
        if not line.strip() or re.match(r"\s+at |\s*Traceback|Driver stacktrace|JVM stacktrace|SQLSTATE", line):
            break
        lines.append(line)
    return "\n".join(lines) or None


def known_problem_in(text: str) -> PipelineProblem | None:
    """What Spark or Iceberg say in many words, and is no bug."""
    if _UNVERSIONED in text:
        return PipelineProblem(
            "the JDBC catalog has its tables in an older form, which Spark cannot use",
            hint="--conf spark.sql.catalog.NAME.jdbc.schema-version=V1, with the catalog's name, has Iceberg bring\n"
            "them to the present one. Other programs that use that catalog must know it too.",
        )
    return full_disk_in(text)


def full_disk_in(text: str) -> PipelineProblem | None:
    """Java does not say which one."""
    if not any(mark in text for mark in _FULL):
        return None
    return PipelineProblem(
        "the disk is full: the warehouse's, the checkpoint's, or the one that Spark keeps its temporary files on",
        hint="Nothing was committed of the batch, and nothing is lost: make room and run it again.",
    )
