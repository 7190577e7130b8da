"""Our own words out of an error of Spark's: what a task or the driver's helper raised comes wrapped in Java's."""

import re

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
