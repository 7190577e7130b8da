"""A progress bar on stderr for long work, only where a person watches and the work's own text is not in the way."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Advance = Callable[[int], None]

STEPS = 500
"""Moves of the bar over the whole work: each costs more than writing a record does."""
UNKNOWN_STEP = 10_000


@contextmanager
def progress_bar(label: str, *, total: int | None, shown: bool, unit: str = "records") -> Iterator[Advance]:
    """Yields the function to call with what was done; a total of None shows a pulse instead of a share."""
    if not (shown and sys.stderr.isatty()):
        yield lambda _: None
        return
    from rich.console import Console  # noqa: PLC0415 - heavy, and only for people
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    amount = DownloadColumn() if unit == "bytes" else MofNCompleteColumn()
    columns = (TextColumn("{task.description}"), BarColumn(), amount, TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(label, total=total)
        step = max((total or 0) // STEPS, 1 if total else UNKNOWN_STEP)
        waiting = 0

        def advance(done: int) -> None:
            nonlocal waiting
            waiting += done
            if waiting >= step:
                progress.advance(task, waiting)
                waiting = 0

        yield advance
        progress.advance(task, waiting)
