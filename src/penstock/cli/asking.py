"""Asking before something is deleted: on a terminal, else --yes has to be said."""

import sys

import click

from penstock.cli.exits import Failure

yes_option = click.option("-y", "--yes", is_flag=True, help="Do not ask.")


def confirm_deletion(question: str, *, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise click.UsageError("deleting needs --yes where nobody can be asked (standard input is not a terminal)")
    if not click.confirm(question, err=True):
        raise Failure("nothing was deleted")
