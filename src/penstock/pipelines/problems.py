"""What a job cannot do, told to whoever runs it: one line what, and what to do about it."""


class PipelineProblem(Exception):
    """A problem of the set-up, the options or the data, not a bug: no traceback needed to understand it."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message
