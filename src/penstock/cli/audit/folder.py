"""Where an audit log is: its folder, or the settings of a broker that name it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from penstock.cli.exits import Failure, NotFound
from penstock.cli.properties import key_values
from penstock.cli.serving import load
from penstock.settings import Config
from penstock.settings.broker import PENSTOCK_AUDIT_DIR

Command = TypeVar("Command", bound=Callable[..., Any])


def folder_options(command: Command) -> Command:
    for option in (
        click.option("-s", "--set", "pairs", multiple=True, metavar="NAME=VALUE", help="A setting, as for `up`."),
        click.option("-c", "--config", "file", type=click.Path(path_type=Path), help="A broker's settings."),
        click.option("--dir", "folder", type=click.Path(path_type=Path), help="The folder of the log."),
    ):
        command = option(command)
    return command


def settings_of(file: Path | None, pairs: tuple[str, ...]) -> Config | None:
    """Those of a broker, if any are named."""
    return load(file, key_values(pairs, option="--set")) if file is not None or pairs else None


def folder_of(folder: Path | None, config: Config | None) -> Path:
    if folder is None:
        if config is None:
            raise click.UsageError("say where the log is: --dir FOLDER, or --config FILE with a broker's settings")
        if not config[PENSTOCK_AUDIT_DIR]:
            raise Failure("these settings keep no audit log", hint="penstock.audit.dir names its folder.")
        folder = Path(config[PENSTOCK_AUDIT_DIR])
    if not folder.is_dir():
        raise NotFound(f"there is no folder {folder}")
    return folder
