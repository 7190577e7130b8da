"""What all `penstock local` commands ask: which cluster, by its folder."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from penstock.cli.local.state import DEFAULT_FOLDER, running_state


def cluster_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command --data, handed over as `folder` and as `state` of the cluster that runs there."""

    @click.option("-d", "--data", "folder", type=click.Path(file_okay=False, path_type=Path), envvar="PENSTOCK_DATA",
                  show_envvar=True, default=DEFAULT_FOLDER,
                  help=f"The cluster's folder.  [default: ./{DEFAULT_FOLDER}]")  # fmt: skip
    @functools.wraps(command)
    def with_state(folder: Path, **rest: Any) -> Any:
        return command(folder=folder, state=running_state(folder), **rest)

    return with_state
