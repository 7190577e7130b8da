"""Passwords come from a terminal, a file or standard input, never from the command line, which others can see."""

import secrets
import sys
from pathlib import Path

import click

GENERATED_BYTES = 24
"""192 random bits: 32 letters, digits, dashes and underscores."""
STDIN = Path("-")

password_file_option = click.option(
    "--password-file", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path), metavar="FILE",
    help="Its first line is the password; - is standard input.  [default: asked for]",
)  # fmt: skip


def given_password(file: Path | None, *, of: str, is_new: bool) -> str:
    """`of` whom. A new one is asked for twice."""
    if file == STDIN:
        found = sys.stdin.readline().rstrip("\r\n")
    elif file is not None:
        found = (file.read_text(encoding="utf-8").splitlines() or [""])[0]
    elif sys.stdin.isatty():
        found = click.prompt(f"Password of {of}", hide_input=True, confirmation_prompt=is_new, err=True)
    else:
        raise click.UsageError(
            "nobody can be asked for the password (standard input is not a terminal): give --password-file FILE, "
            "or --password-file - to read it from standard input"
        )
    if not found:
        raise click.UsageError("the password is empty")
    return found


def generated_password() -> str:
    return secrets.token_urlsafe(GENERATED_BYTES)
