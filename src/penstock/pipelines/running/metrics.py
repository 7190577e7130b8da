"""A job's figures for Prometheus: served on a port, or written to a file for the node exporter's textfile collector."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge, start_http_server, write_to_textfile

from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.running.progress import BatchProgress

_LABELS = ("job", "query")
_log = structlog.get_logger(__name__)


class JobMetrics:
    """A watcher that counts. As a context manager it lets go of its port at the end; the file stays, with the last
    figures, as a scheduled job is over when somebody looks."""

    def __init__(self, job: str, *, port: int | None = None, file: Path | None = None) -> None:
        self._job, self._port_wanted, self._file = job, port, file
        self._registry = CollectorRegistry()
        self._rows = self._counter("rows", "Rows that the job has read.")
        self._batches = self._counter("batches", "Batches that the job has finished.")
        self._seconds = self._counter("batch_seconds", "Seconds that the finished batches took.")
        self._bad = self._counter("dead_letters", "Rows that went to the table of dead letters.")
        self._respelled = self._counter("respelled_rows", "Rows read though a field's name had another case.")
        self._lag = self._gauge("lag_records", "Records that are there and not yet read.")
        self._remaining = self._gauge("remaining_seconds", "Estimated seconds until nothing is left to read.")
        self._last = self._gauge("last_batch_rows", "Rows of the last batch.")
        self._state = self._gauge("state_rows", "Rows kept at hand: rollup's open windows, what dedupe's window holds.")
        self._is_failing = False
        self.port: int | None = None
        """Where it is served; of port 0 the one that was free."""

    def __enter__(self) -> JobMetrics:
        if self._port_wanted is not None:
            try:
                self._server, self._thread = start_http_server(self._port_wanted, "127.0.0.1", self._registry)
            except OSError as error:
                raise PipelineProblem(f"metrics cannot be served on port {self._port_wanted}: {error}") from error
            self.port = int(self._server.server_port)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.port is not None:
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()
            self.port = None

    def batch(self, progress: BatchProgress) -> None:
        labels = (self._job, progress.query)
        self._rows.labels(*labels).inc(progress.rows)
        self._batches.labels(*labels).inc()
        self._seconds.labels(*labels).inc(progress.seconds)
        self._bad.labels(*labels).inc(progress.bad)
        self._respelled.labels(*labels).inc(progress.respelled)
        self._last.labels(*labels).set(progress.rows)
        if progress.lag is not None:
            self._lag.labels(*labels).set(progress.lag)
        if progress.remaining_s is not None:
            self._remaining.labels(*labels).set(progress.remaining_s)
        if progress.state_rows is not None:
            self._state.labels(*labels).set(progress.state_rows)
        if self._file is not None:
            self._write(self._file)

    def _write(self, file: Path) -> None:
        """What fails is said once, and does not end the job, whose records are not in it."""
        try:
            write_to_textfile(str(file), self._registry)  # whole or not at all: it renames
        except OSError as error:
            if not self._is_failing:
                _log.warning("metrics not written", file=str(file), reason=error.strerror or str(error))
            self._is_failing = True
        else:
            self._is_failing = False

    def _counter(self, name: str, words: str) -> Counter:
        return Counter(f"penstock_pipeline_{name}", words, _LABELS, registry=self._registry)

    def _gauge(self, name: str, words: str) -> Gauge:
        return Gauge(f"penstock_pipeline_{name}", words, _LABELS, registry=self._registry)
