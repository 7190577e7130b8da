"""`penstock group reset`: move what a group has committed, after showing what that means."""

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.exits import ExitCode, NotFound
from penstock.cli.group.facts import committed_offsets, find_groups, group_missing, refuse_if_active
from penstock.cli.group.reset_plan import Selection, Target, plan_reset
from penstock.cli.group.resetting import chosen_places, offsets_of, report, reset_options, standings
from penstock.cli.output import json_option


@click.command(no_args_is_help=True)
@click.argument("name", metavar="GROUP")
@click.option("--create", is_flag=True, help="Commit for a group that does not exist yet.")
@click.option("--shift-by", type=int, metavar="RECORDS", help="So many offsets on, or back: --shift-by -100.")
@reset_options
@client_options
@json_option
def reset(
    *,
    name: str,
    target: Target,
    selections: list[Selection] | None,
    create: bool,
    yes: bool,
    cluster: Cluster,
    as_json: bool,
) -> ExitCode:
    """Move the committed offsets of GROUP: shows the plan, and does it with --yes. Refused while members are active.

    \b
    penstock group reset billing --topic orders --to-earliest        show the plan
    penstock group reset billing --topic orders --to-earliest --yes  do it
    penstock group reset billing --topic orders:0-3 --by-duration 2h
    """
    facts = find_groups(cluster, [name])[name]
    if facts is None and not create:
        raise group_missing(
            name, cluster,
            hint="`penstock group list` shows them. --create commits for a group that does not exist yet.",
        )  # fmt: skip
    if facts is not None:
        refuse_if_active(facts, doing="reset")
    committed = committed_offsets(cluster, [name])[name]
    places = sorted(committed) if selections is None else chosen_places(cluster, selections)
    if not places:
        raise NotFound(f"{name} has committed nothing", hint="--topic TOPIC names what to reset.")
    moves = plan_reset(target, standings(cluster, places, committed, target))
    wanted = offsets_of(moves)
    if yes and wanted:
        for where, outcome in cluster.client().commit_offsets(name, wanted).items():
            cluster.value(outcome, doing=f"reset {name} in {where}")
    report(name, moves, count=len(wanted), is_done=yes, as_json=as_json)
    return ExitCode.OK
