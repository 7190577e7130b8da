"""Every `penstock` command that a page about pipelines or a help text prints is one that the program understands."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from penstock.cli.program import program

DOCS = Path(__file__).resolve().parents[3] / "docs" / "pipelines"


def commands_in(text: str) -> Iterator[str]:
    """Lines that begin with penstock, or have it behind a pipe; lines that end in a backslash are one with the next."""
    for line in re.sub(r"\\\n\s*", " ", text).splitlines():
        for part in line.strip().removeprefix("$ ").split(" | "):
            if part.startswith("penstock "):
                yield re.sub(r"\s+#\s.*", "", part)


def printed() -> list[str]:
    found: list[str] = []
    for page in sorted(DOCS.glob("*.md")):
        for block in re.findall(r"```(?:sh)?\n(.*?)```", page.read_text(), flags=re.DOTALL):
            found += commands_in(block)
    for command in leaves(program, click.Context(program), ("pipeline",)):
        found += commands_in(command.help or "")
    return sorted(set(found))


def leaves(group: click.Command, context: click.Context, names: tuple[str, ...] = ()) -> Iterator[click.Command]:
    if not isinstance(group, click.Group):
        yield group
        return
    for name in names or group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield from leaves(command, context)


@pytest.mark.parametrize("line", printed())
def test_a_printed_command_is_understood(line: str) -> None:
    command: click.Command = program
    context = command.make_context("penstock", shlex.split(line)[1:])
    while isinstance(command, click.Group):
        name, found, rest = command.resolve_command(context, [*context._protected_args, *context.args])
        assert found is not None
        command = found
        context = command.make_context(name, rest, parent=context)
    assert not context.args


def test_there_are_such_commands() -> None:
    lines = printed()
    for job in ("lake", "rollup", "repartition", "replay", "redrive", "audit", "dedupe"):
        assert any(f"pipeline run {job} " in line for line in lines), job
