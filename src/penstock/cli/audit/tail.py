"""`penstock audit tail`."""

import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import click

from penstock.access.audit.files import files_in
from penstock.access.audit.reading import Wanted, event_of, search
from penstock.cli.audit.folder import folder_of, folder_options, settings_of
from penstock.cli.audit.shown import choosing_options, print_event
from penstock.cli.exits import ExitCode
from penstock.cli.output import json_option

LOOK_EVERY_S: Final = 0.5


@click.command("tail")
@click.option("-n", "--lines", "count", default=20, show_default=True, help="Events to begin with.")
@click.option("-f", "--follow", is_flag=True, help="Wait for more, until Ctrl-C.")
@choosing_options
@folder_options
@json_option
def tail(
    count: int,
    follow: bool,
    user: str | None,
    operation: str | None,
    resource: str | None,
    host: str | None,
    failed: bool,
    folder: Path | None,
    file: Path | None,
    pairs: tuple[str, ...],
    as_json: bool,
) -> ExitCode:
    """Show the newest events of all audit logs in a folder.

    \b
    penstock audit tail --config penstock.properties --follow
    """
    where = folder_of(folder, settings_of(file, pairs))
    wanted = Wanted(user=user, operation=operation, resource=resource, host=host, failed=failed)
    follower = Follower(where)
    for event in deque(filter(wanted.matches, follower.there()), maxlen=max(count, 0)):
        print_event(event, as_json=as_json)
    while follow:
        time.sleep(LOOK_EVERY_S)
        for event in filter(wanted.matches, follower.more()):
            print_event(event, as_json=as_json)
    return ExitCode.OK


class Follower:
    """Reads a folder to its end, and then what comes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ends = {each.path: each.path.stat().st_size for each in files_in(folder)}
        self._last: dict[str, int] = {}
        """Of each log, the number of the last line that was read: what comes meanwhile is not told twice."""

    def there(self) -> Iterator[dict[str, Any]]:
        return filter(self._is_new, search(self._folder, Wanted()))

    def more(self) -> list[dict[str, Any]]:
        """In the order of time. A line that is being written is left for the next time."""
        found: list[dict[str, Any]] = []
        for path in (each.path for each in files_in(self._folder)):
            with suppress(FileNotFoundError), path.open("rb") as file:  # it may have made room meanwhile
                file.seek(self._ends.get(path, 0))
                for line in file:
                    if line.endswith(b"\n"):
                        self._ends[path] = self._ends.get(path, 0) + len(line)
                        event = event_of(line)
                        if event is not None and self._is_new(event):
                            found.append(event)
        return sorted(found, key=lambda event: int(event.get("time", 0)))

    def _is_new(self, event: Mapping[str, Any]) -> bool:
        metadata = event.get("metadata", {})
        log, sequence = metadata.get("log_name", ""), metadata.get("sequence", 0)
        is_new = sequence > self._last.get(log, 0)
        self._last[log] = max(sequence, self._last.get(log, 0))
        return bool(is_new)
