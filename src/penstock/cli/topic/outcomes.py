"""Several topics or groups, one outcome each: do all, say each, and let the worst decide the exit code."""

from collections.abc import Mapping

import click

from penstock.cli.client import Cluster
from penstock.cli.exits import ExitCode, Failure
from penstock.cli.output import print_json
from penstock.cli.printable import printable
from penstock.errors import Refusal


def settle(
    outcomes: Mapping[str, object | Refusal],
    cluster: Cluster,
    *,
    verb: str,
    done: str,
    as_json: bool,
    what: str = "topic",
    facts: Mapping[str, int] | None = None,
) -> ExitCode:
    """Say what became of each; `verb` is for errors ("create"), `done` for successes ("created").

    `facts` are what programs are told besides.
    """
    worst = ExitCode.OK
    rows: list[dict[str, str | int]] = []
    for name, outcome in outcomes.items():
        try:
            cluster.value(outcome, doing=f"{verb} {name}")
        except Failure as failure:
            # The first failure decides: one exit code cannot tell of several.
            worst = worst or ExitCode(failure.exit_code)
            rows.append({what: name, "error": failure.message})
            failure.show()
        else:
            rows.append({what: name, "outcome": done, **(facts or {})})
            if not as_json:
                besides = "".join(f", {value} {fact}" for fact, value in (facts or {}).items())
                click.echo(printable(f"{done} {name}{besides}"))
    if as_json:
        print_json(rows)
    return worst
