"""Several topics or groups, one outcome each: do all, say each, and let the worst decide the exit code."""

from collections.abc import Mapping
from concurrent.futures import Future

import click

from penstock.cli.client import Cluster
from penstock.cli.exits import ExitCode, Failure
from penstock.cli.output import print_json


def settle(
    futures: Mapping[str, "Future[None]"],
    cluster: Cluster,
    *,
    verb: str,
    done: str,
    as_json: bool,
    what: str = "topic",
    facts: Mapping[str, int] | None = None,
) -> ExitCode:
    """Wait for each one's future; `verb` is for errors ("create"), `done` for successes ("created").

    `facts` are what programs are told besides.
    """
    worst = ExitCode.OK
    outcomes: list[dict[str, str | int]] = []
    for name, future in futures.items():
        try:
            cluster.wait(future, doing=f"{verb} {name}")
        except Failure as failure:
            # The first failure decides: one exit code cannot tell of several.
            worst = worst or ExitCode(failure.exit_code)
            outcomes.append({what: name, "error": failure.message})
            failure.show()
        else:
            outcomes.append({what: name, "outcome": done, **(facts or {})})
            if not as_json:
                besides = "".join(f", {value} {fact}" for fact, value in (facts or {}).items())
                click.echo(f"{done} {name}{besides}")
    if as_json:
        print_json(outcomes)
    return worst
