"""What the command's exit codes mean, and the errors that carry them.

An error says what was tried, what came back and what to do next; a traceback is a bug of ours.
"""

from enum import IntEnum
from typing import Any

import click

from penstock.cli.printable import printable_lines


class ExitCode(IntEnum):
    OK = 0
    FAILED = 1
    """The cluster refused, or the operation failed."""
    USAGE = 2
    """The command line makes no sense; click's own code for it."""
    UNREACHABLE = 3
    NOT_FOUND = 4
    INTERRUPTED = 130
    """128 + SIGINT, what shells report for a command that Ctrl-C ended."""


EXIT_CODES_HELP = """\b
Exit codes:
  0    done
  1    refused by the cluster, or the operation failed
  2    usage: the command line makes no sense
  3    the cluster cannot be reached
  4    what was named does not exist
  130  interrupted (Ctrl-C)"""


class Failure(click.ClickException):
    """Something to tell the person at the terminal: one line what, one line what to do."""

    exit_code = int(ExitCode.FAILED)

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint

    def show(self, file: Any = None) -> None:
        click.echo(f"{click.style('error:', fg='red', bold=True)} {printable_lines(self.message)}", err=True, file=file)
        if self.hint:
            for line in self.hint.splitlines():
                click.echo(f"  {printable_lines(line)}", err=True, file=file)


class Unreachable(Failure):
    exit_code = int(ExitCode.UNREACHABLE)


class NotFound(Failure):
    exit_code = int(ExitCode.NOT_FOUND)
