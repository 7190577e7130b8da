"""The data folders that these commands work on, and what is asked for in them."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from penstock.cli.exits import Failure, NotFound
from penstock.errors import Fatal
from penstock.log import OfflineFolder, SetAside, offline_folders

T = TypeVar("T")


def data_option(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "-d", "--data", multiple=True, type=click.Path(file_okay=False, path_type=Path), envvar="PENSTOCK_DATA",
        show_envvar=True, help="A data folder; repeatable: name all of the broker's log.dirs.  "
        "[default: ./penstock-data]",
    )(command)  # fmt: skip


def yes_option(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "-y", "--yes", is_flag=True, help="Do it. Without, what would be done is shown and nothing changed."
    )(command)


@contextmanager
def stopped(data: tuple[Path, ...]) -> Iterator[list[OfflineFolder]]:
    """The folders, locked; refused in words where a broker uses one."""
    try:
        with offline_folders(data or (Path("penstock-data"),)) as folders:
            yield folders
    except Fatal as refused:
        in_use = "in use" in str(refused)
        raise Failure(
            str(refused), hint="Stop the broker first." if in_use else "Name the broker's data folders with --data."
        ) from refused
    except OSError as error:
        raise Failure(f"{error.filename or data}: {error.strerror}") from error


def strays_named(folders: Iterable[OfflineFolder], names: Iterable[str]) -> list[tuple[OfflineFolder, SetAside]]:
    """By the folder's whole name, or by the partition where only one was set aside."""
    held = [(folder, stray) for folder in folders for stray in folder.strays()]
    found = []
    for name in names:
        fitting = [each for each in held if name in (each[1].name, str(each[1].partition))]
        if not fitting:
            raise NotFound(f"nothing of {name} was set aside", hint="`penstock log list` shows what was.")
        if len(fitting) > 1:
            hint = "\n".join(each.name for _, each in fitting)
            raise Failure(f"{name} was set aside more than once: name the folder", hint=hint)
        found.append(fitting[0])
    return found


def stray_facts(folder: OfflineFolder, stray: SetAside, *, done: bool) -> dict[str, object]:
    """For programs; in the words of `penstock log list --json`."""
    return {
        "partition": None if stray.partition is None else str(stray.partition),
        "bytes": stray.size,
        "folder": str(folder.path / stray.name),
        "done": done,
    }


def mib(size: int) -> str:
    return f"{size / (1 << 20):.1f} MiB"
