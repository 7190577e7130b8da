"""What the commands of jobs share: connection, master, dry run, progress on the terminal, the summary at the end."""

import functools
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.exits import ExitCode
from penstock.cli.output import json_option, print_json
from penstock.cli.pipeline.failures import problems_as_failures
from penstock.cli.pipeline.watching import Watching, tell_of_stop, warnings_on_stderr, watching_options
from penstock.cli.properties import key_values
from penstock.model.words import counted
from penstock.pipelines.running import Plan, Stopping, Summary, Watcher, stop_on_signals

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Opening(Protocol):
    """A module of penstock.pipelines.jobs. Options are a dataclass of its own."""

    def check(self, options: Any) -> None: ...

    def opened(self, options: Any, spark: "SparkSession | None") -> "AbstractContextManager[SparkSession]": ...


class Job(Opening, Protocol):
    """One with a plan and a summary."""

    def plan(self, options: Any) -> Plan: ...

    def run(
        self, options: Any, *, spark: "SparkSession | None", watcher: Watcher | None, stopping: Stopping | None
    ) -> Summary: ...


@dataclass(frozen=True)
class Launch:
    """What the options that every job has say."""

    cluster: Cluster
    watching: Watching
    master: str
    settings: Mapping[str, str]
    dry_run: bool
    as_json: bool

    def given(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """For the job's own options: with the cluster and Spark, without what was not said, whose default is there."""
        said = {name: value for name, value in options.items() if value is not None and value != ()}
        return {
            **said,
            "bootstrap": self.cluster.bootstrap,
            "client": dict(self.cluster.properties),
            "master": self.master,
            "settings": self.settings,
            "answer_s": self.cluster.timeout_s,
        }

    def run(self, job: Job, options: Any) -> ExitCode:
        if self.dry_run:
            return self.tell_plan(job.plan(options))
        with (
            self.opened(job, options) as spark,
            stop_on_signals(tell_of_stop) as stopping,
            self.watching.watcher(options.job) as watcher,
        ):
            summary = job.run(options, spark=spark, watcher=watcher, stopping=stopping)
        if self.as_json:
            print_json(summary.to_json())
        else:
            click.echo("\n".join(summary_lines(summary)))
        return ExitCode.OK

    @contextmanager
    def opened(self, job: Opening, options: Any) -> "Iterator[SparkSession]":
        """The job's session, and Ctrl-C ours again. PySpark takes SIGINT for itself when it starts, to ask Java to
        cancel what runs: in the middle of another question, which then fails in many words. Before it is made, which
        takes seconds, and on a busy machine a minute, the cluster is asked for what the job needs of it."""
        job.check(options)
        if threading.current_thread() is not threading.main_thread():
            with job.opened(options, None) as spark:
                yield spark
            return
        before = signal.getsignal(signal.SIGINT)
        try:
            with job.opened(options, None) as spark:
                signal.signal(signal.SIGINT, _end_at_once)
                yield spark
        finally:
            signal.signal(signal.SIGINT, before)

    def tell_plan(self, plan: Plan) -> ExitCode:
        if self.as_json:
            print_json(plan.to_json())
        else:
            steps = (f"  {number}. {step}" for number, step in enumerate(plan.steps, start=1))
            click.echo("\n".join([plan.title, *steps]))
        return ExitCode.OK


def job_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--bootstrap and the rest of the client's, --master, --conf, the metrics', --dry-run, --json: as one `launch`."""

    @click.option("--master", default="local[*]", show_default=True, metavar="MASTER",
                  help="Where Spark runs: local[*], spark://HOST:PORT, yarn, k8s://...")  # fmt: skip
    @click.option("--conf", "conf", multiple=True, metavar="NAME=VALUE", help="A setting of Spark's; repeatable.")
    @click.option("--dry-run", is_flag=True, help="Explain what would be done, and do nothing.")
    @watching_options
    @client_options
    @json_option
    @problems_as_failures
    @functools.wraps(command)
    def with_launch(
        *,
        cluster: Cluster,
        watching: Watching,
        master: str,
        conf: tuple[str, ...],
        dry_run: bool,
        as_json: bool,
        **rest: Any,
    ) -> Any:
        settings = key_values(conf, option="--conf")
        with warnings_on_stderr():
            return command(launch=Launch(cluster, watching, master, settings, dry_run, as_json), **rest)

    return with_launch


def _end_at_once(_number: int, _frame: FrameType | None) -> NoReturn:
    """What runs is left as by a kill, which the next start makes good; Java ends when it finds us gone."""
    os._exit(ExitCode.INTERRUPTED)


def summary_lines(summary: Summary) -> list[str]:
    ended = "stopped; the next run continues" if summary.stopped else "done"
    bad = f", {summary.bad_rows:,} bad" if summary.bad_rows else ""
    bad += f", {summary.respelled_rows:,} of another spelling" if summary.respelled_rows else ""
    return [
        f"{summary.job}: {ended}. {counted(summary.rows_in, 'row')} in, {summary.rows_out:,} out{bad}, "
        f"{counted(summary.batches, 'batch', 'es')} in {summary.seconds:,.1f} s",
        *(
            f"  {name.replace('_', ' ')}: {_shown(value)}"
            for name, value in summary.details.items()
            if value not in ({}, [])
        ),
    ]


def _shown(value: Any, *, within: bool = False) -> str:
    """In few signs, and without what is empty."""
    match value:
        case dict():
            kept = {name: each for name, each in value.items() if each not in ([], {})}
            words = ", ".join(f"{name.replace('_', ' ')} {_shown(each, within=True)}" for name, each in kept.items())
            return f"({words})" if within else words
        case list() | tuple():
            return "; ".join(_shown(each) for each in value)
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
    return str(value)
