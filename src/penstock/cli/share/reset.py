"""`penstock share reset`: move where a share group reads on, after showing what that means."""

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.exits import ExitCode, NotFound
from penstock.cli.group.reset_plan import Selection, Target, plan_reset
from penstock.cli.group.resetting import chosen_places, report, reset_options, standings
from penstock.cli.output import json_option
from penstock.cli.share.facts import existing_share_groups, refuse_if_active, share_offsets
from penstock.client import place


@click.command(no_args_is_help=True)
@click.argument("name", metavar="GROUP")
@reset_options
@client_options
@json_option
def reset(
    *,
    name: str,
    target: Target,
    selections: list[Selection] | None,
    yes: bool,
    cluster: Cluster,
    as_json: bool,
) -> ExitCode:
    """Move where GROUP reads on: shows the plan, and does it with --yes. Refused while members are active.

    What the group knows of single records from there on is forgotten: accepted ones are lent again.

    \b
    penstock share reset mailers --topic mails --to-earliest        show the plan
    penstock share reset mailers --topic mails --to-earliest --yes  do it
    penstock share reset mailers --topic mails:0-3 --by-duration 2h
    """
    (facts,) = existing_share_groups(cluster, [name])
    refuse_if_active(facts, doing="reset")
    starts = {(each.topic, each.partition): each.start for each in share_offsets(cluster, name)}
    places = sorted(starts) if selections is None else chosen_places(cluster, selections)
    if not places:
        raise NotFound(f"{name} has read nothing", hint="--topic TOPIC names what to reset.")
    moves = plan_reset(target, standings(cluster, places, starts, target))
    # Done also where the start stays: records behind it may be accepted, and are lent again.
    wanted = {place(move.topic, move.partition): move.after for move in moves if move.after is not None}
    if yes:
        for where, outcome in cluster.client().alter_share_group_offsets(name, wanted).items():
            cluster.value(outcome, doing=f"reset {name} in {where}")
    report(name, moves, count=len(wanted), is_done=yes, as_json=as_json)
    return ExitCode.OK
