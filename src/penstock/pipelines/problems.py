"""What a job cannot do, told to whoever runs it: one line what, and what to do about it."""

from enum import Enum


class Kind(Enum):
    """What a program that starts jobs may want to tell apart: the command has an exit code for each."""

    OTHER = "other"
    AWAY = "away"
    """The cluster does not answer."""
    MISSING = "missing"
    """What was named does not exist."""


class PipelineProblem(Exception):
    """A problem of the set-up, the options or the data, not a bug: no traceback needed to understand it."""

    def __init__(self, message: str, *, hint: str | None = None, kind: Kind = Kind.OTHER) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.kind = kind

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message
