"""The top of the command line: which commands there are, and what leaves the process as an exit code."""

import importlib
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from penstock.cli.exits import EXIT_CODES_HELP, ExitCode
from penstock.model.words import did_you_mean


class LazyGroup(click.Group):
    """A group whose commands are named with their one-line help, and imported only when called.

    Help for the group then needs no import either: the whole list is in sight in one table.
    """

    def __init__(
        self,
        name: str,
        *,
        commands_at: dict[str, tuple[str, str]],
        help: str,
        options: Sequence[click.Parameter] = (),
    ) -> None:
        super().__init__(
            name,
            help=help,
            no_args_is_help=True,
            params=list(options),
            context_settings={"help_option_names": ["-h", "--help"]},
        )
        self._commands_at = commands_at

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._commands_at)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._commands_at:
            return None
        module_name, _, attribute = self._commands_at[cmd_name][0].partition(":")
        command = getattr(importlib.import_module(module_name), attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self._commands_at:
            with formatter.section("Commands"):
                formatter.write_dl([(name, summary) for name, (_, summary) in self._commands_at.items()])

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # `penstock consume ... | head` closed the pipe: a normal end, which click would call a failure. Point
            # stdout elsewhere, else Python complains once more when it flushes at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return ExitCode.OK

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self._commands_at and not args[0].startswith("-"):
            ctx.fail(f"no such command: {args[0]}.{did_you_mean(args[0], self._commands_at, sentence=True)}")
        return super().resolve_command(ctx, args)


def _print_version(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted:
        from penstock import __version__  # noqa: PLC0415 - asked of the installed package, which takes a moment

        click.echo(f"penstock {__version__}")
        context.exit()


program = LazyGroup(
    "penstock",
    options=[
        click.Option(["--traceback"], is_flag=True, expose_value=False, help="Show where an internal error is."),
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_print_version,
            help="Print the version; `penstock version` tells more.",
        ),
    ],
    help=f"A message queue that speaks the Kafka protocol: run a broker, and work with any Kafka cluster.\n\n"
    f"{EXIT_CODES_HELP}",
    commands_at={
        "up": ("penstock.cli.up:up", "Run one broker, or a cluster of several on this machine."),
        "init": ("penstock.cli.init:init", "Make certificates, keys and a first user for a secured broker."),
        "topic": ("penstock.cli.topic:topic", "Create, list, describe, alter and delete topics."),
        "view": ("penstock.cli.view:view", "Create, list and explain views of topics."),
        "produce": ("penstock.cli.produce:produce", "Write records from a file or standard input."),
        "consume": ("penstock.cli.consume:consume", "Read records and print them."),
        "group": ("penstock.cli.group:group", "List, describe, measure, reset and delete consumer groups."),
        "share": ("penstock.cli.share:share", "List, describe, reset and delete share groups."),
        "dlq": ("penstock.cli.dlq:dlq", "List, show, send back and delete dead letters of share groups."),
        "schedule": ("penstock.cli.schedule:schedule", "List, show and cancel records that wait for their time."),
        "retry": ("penstock.cli.retry:retry", "Count what groups try again."),
        "log": ("penstock.cli.log:log", "Put damaged and unknown logs of a stopped broker right."),
        "txn": ("penstock.cli.txn:txn", "List, describe and abort transactions."),
        "cluster": ("penstock.cli.cluster:cluster", "Describe a cluster, drain and rebalance its brokers."),
        "web": ("penstock.cli.web:web", "Serve REST in front of a cluster."),
        "pipeline": ("penstock.cli.pipeline:pipeline", "Spark jobs over topics: setup, and pipelines to run."),
        "local": ("penstock.cli.local:local", "Kill, pause, restart and cut off brokers of a cluster on this machine."),
        "user": ("penstock.cli.user:user", "Users who log in with a password."),
        "acl": ("penstock.cli.acl:acl", "Who may do what: add, list, delete and explain rules."),
        "quota": ("penstock.cli.quota:quota", "How much users and clients may take."),
        "token": ("penstock.cli.token:token", "Delegation tokens: logins of a limited life."),
        "cert": ("penstock.cli.cert:cert", "Show certificates, and renew those of `penstock init`."),
        "profile": ("penstock.cli.profile:profile", "Keep where clusters are and how to log in, for --profile."),
        "audit": ("penstock.cli.audit:audit", "Read and verify audit logs."),
        "settings": ("penstock.cli.settings:settings", "Explain the broker's and topics' settings."),
        "apis": ("penstock.cli.apis:apis", "List the Kafka APIs and the versions answered."),
        "version": ("penstock.cli.version:version", "Print versions of Penstock and what it runs on."),
    },
)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and say its exit code; what main and the tests share."""
    try:
        outcome = program.main(
            args=None if arguments is None else list(arguments), prog_name="penstock", standalone_mode=False
        )
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return ExitCode.INTERRUPTED
    except Exception as error:
        if "--traceback" in (sys.argv if arguments is None else arguments):
            raise
        if isinstance(error, OSError) and not isinstance(error, ConnectionError | TimeoutError):
            # A file that was named, or a disk that is full: no bug.
            where = "" if error.filename is None else f"{error.filename}: "
            click.echo(f"error: {where}{error.strerror or error}", err=True)
            return ExitCode.FAILED
        click.echo(f"error: {type(error).__name__}: {error}", err=True)
        click.echo("  This is a bug: please report it with what `penstock --traceback COMMAND ...` shows.", err=True)
        return ExitCode.FAILED
    return outcome if isinstance(outcome, int) else ExitCode.OK


def main() -> NoReturn:
    sys.exit(run())
