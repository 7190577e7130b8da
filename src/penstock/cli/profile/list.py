"""`penstock profile list`."""

import click

from penstock.cli import profiles
from penstock.cli.exits import Failure
from penstock.cli.output import json_option, note, print_json, print_table


@click.command("list")
@json_option
def list_profiles(as_json: bool) -> None:
    """List profiles: where their clusters are, and who logs in how."""
    current = profiles.current()
    rows = [_row(name, current) for name in profiles.names()]
    if as_json:
        print_json(rows)
    elif rows:
        columns = ["profile", "current", "bootstrap", "protocol", "user", "problem"]
        columns = [each for each in columns if each != "problem" or any(row["problem"] for row in rows)]
        print_table(columns, [[_cell(row[each]) for each in columns] for row in rows])
    else:
        note("no profiles yet; `penstock profile add` makes one")


def _row(name: str, current: str | None) -> dict[str, object]:
    problem, properties = None, {}
    try:
        properties = profiles.read(profiles.path_of(name))
    except (Failure, click.UsageError) as error:  # one that cannot be used does not keep the others from being listed
        problem = error.message
    return {
        "profile": name,
        "current": name == current,
        "bootstrap": properties.get(profiles.BOOTSTRAP),
        "protocol": None if problem else properties.get("security.protocol", "plaintext").upper(),
        "user": properties.get("sasl.username"),
        "problem": problem,
    }


def _cell(value: object) -> object:
    return ("*" if value else "") if isinstance(value, bool) else value
