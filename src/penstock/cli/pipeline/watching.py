"""How a running job is watched: a line on the terminal, figures for Prometheus; the same options for every job."""

import functools
import os
import sys
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import click
import structlog

from penstock.cli.files import FileToWrite
from penstock.cli.output import note
from penstock.model.words import counted
from penstock.pipelines.running import BatchProgress, Watcher, Watchers


@dataclass(frozen=True)
class Watching:
    """What the options say about it."""

    metrics_port: int | None = None
    metrics_file: Path | None = None

    @contextmanager
    def watcher(self, job: str) -> Iterator[Watcher]:
        with ExitStack() as stack:
            watchers: list[Watcher] = [TerminalWatcher()]
            if self.metrics_port is not None or self.metrics_file is not None:
                from penstock.pipelines.running.metrics import JobMetrics  # noqa: PLC0415 - only if asked for

                metrics = stack.enter_context(JobMetrics(job, port=self.metrics_port, file=self.metrics_file))
                if metrics.port is not None:
                    note(f"metrics at http://127.0.0.1:{metrics.port}/metrics")
                watchers.append(metrics)
            try:
                yield Watchers(watchers)
            finally:
                if sys.stderr.isatty():
                    note("")  # below the line that was rewritten


def watching_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command --metrics-port and --metrics-file, handed over as one `watching`."""

    @click.option("--metrics-port", type=click.IntRange(0, 65535), metavar="PORT",
                  help="Serve Prometheus metrics on this port of 127.0.0.1; 0 for a free one.")  # fmt: skip
    @click.option("--metrics-file", type=FileToWrite(), metavar="FILE",
                  help="Write Prometheus metrics to a file after each batch, for a textfile collector.")  # fmt: skip
    @functools.wraps(command)
    def with_watching(metrics_port: int | None, metrics_file: Path | None, **rest: Any) -> Any:
        return command(watching=Watching(metrics_port, metrics_file), **rest)

    return with_watching


@contextmanager
def warnings_on_stderr() -> Iterator[None]:
    """What jobs warn of, as lines between those of the batches: stdout is for the summary, which programs read."""
    before = structlog.get_config()
    structlog.configure(processors=[_tell_in_words])
    try:
        yield
    finally:
        structlog.configure(**before)


def _tell_in_words(_logger: object, _method: str, event: MutableMapping[str, Any]) -> NoReturn:
    what = event.pop("event")
    details = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in event.items())
    _tell(f"{_anew()}warning: {what}" + (f": {details}" if details else ""))
    raise structlog.DropEvent


def tell_of_stop() -> None:
    """From within a signal's handler, where what is being written to a stream cannot be waited for."""
    before = "\n" if sys.stderr.isatty() else ""
    with suppress(OSError):  # nobody listens
        os.write(2, f"{before}stopping after what it is at; Ctrl-C again stops at once\n".encode())


class TerminalWatcher:
    """A line a batch: rewritten in place where a person looks, kept where a log is written. On stderr."""

    def batch(self, progress: BatchProgress) -> None:
        _tell(f"{_anew()}{line(progress)}", nl=not sys.stderr.isatty())


def _tell(words: str, *, nl: bool = True) -> None:
    """A job does not end because nobody listens, or because the disk of its log is full."""
    with suppress(OSError):
        click.echo(words, err=True, nl=nl)


def _anew() -> str:
    """Over the line that was rewritten last."""
    return "\r\033[K" if sys.stderr.isatty() else ""


def line(progress: BatchProgress) -> str:
    pace = f"{progress.rows_per_s:,.{1 if 0 < progress.rows_per_s < 10 else 0}f} rows/s"
    parts = [f"batch {progress.batch}: {counted(progress.rows, 'row')}", pace]
    parts.append(f"{progress.rows_total:,} in all")
    if progress.bad:
        parts.append(f"{progress.bad:,} bad")
    if progress.lag is not None:
        parts.append(f"lag {progress.lag:,}")
    if progress.state_rows is not None:
        parts.append(f"state {progress.state_rows:,}")
    if progress.lag and progress.remaining_s is not None:
        parts.append(f"about {duration(progress.remaining_s)} to go")
    return ", ".join(parts)


def duration(seconds: float) -> str:
    """5 s, 3 min 20 s, 2 h 5 min: as exact as an estimate deserves."""
    whole = max(1, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60} min"
