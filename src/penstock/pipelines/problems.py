"""What a job cannot do, told to whoever runs it: one line what, and what to do about it."""

import sys
from enum import Enum

from penstock import DISTRIBUTION


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


_OF_THE_EXTRA = {"fastavro", "google", "numpy", "pandas", "py4j", "pyarrow", "pyspark"}


def not_installed(error: ImportError) -> PipelineProblem | None:
    """A module that is missing, if it comes with the extra; None for one that is ours to bring."""
    if (error.name or "").partition(".")[0] not in _OF_THE_EXTRA:
        return None
    return PipelineProblem(
        f"Spark jobs need more than the broker: there is no {error.name}",
        hint=f"{sys.executable} -m pip install '{DISTRIBUTION}[spark]' (in Penstock's folder: '.[spark]')",
    )
