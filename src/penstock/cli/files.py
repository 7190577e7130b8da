"""Files that a command writes at its end: that there is a place for them is looked at before it begins."""

import os
from pathlib import Path
from typing import Any

import click


class FileToWrite(click.Path):
    """Hours of work are not to end with a folder that was misspelt."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, path_type=Path)

    def convert(self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if "://" in os.fspath(value):
            self.fail(f"{os.fspath(value)} is an address; the file is written on this machine", param, ctx)
        path = super().convert(value, param, ctx)
        assert isinstance(path, Path)
        if not path.parent.is_dir():
            self.fail(f"there is no folder {path.parent}", param, ctx)
        if not path.exists() and not os.access(path.parent, os.W_OK | os.X_OK):
            self.fail(f"nothing can be written into the folder {path.parent}", param, ctx)
        return path
