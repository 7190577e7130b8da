"""`penstock share release`: what members have goes to others, without waiting until their time is over."""

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.exits import ExitCode, NotFound
from penstock.cli.output import json_option, print_json
from penstock.cli.share.facts import existing_share_groups
from penstock.model.words import counted


@click.command(no_args_is_help=True)
@click.argument("name", metavar="GROUP")
@click.option("--member", "members", multiple=True, metavar="MEMBER", help="What this member has; repeatable.")
@click.option("--all", "is_all", is_flag=True, help="What all members have.")
@client_options
@json_option
def release(name: str, members: tuple[str, ...], is_all: bool, cluster: Cluster, as_json: bool) -> ExitCode:
    """Take back the records that members of GROUP have, so that others get them now.

    A member that is at work on one is told that it has lost it when it says that it is done. It stays in the group,
    and gets other records with its next fetch.

    \b
    penstock share inflight mailers                     who has what
    penstock share release mailers --member iWm5Q...    take back what hangs there
    """
    if is_all == bool(members):
        raise click.UsageError("--member says whose records, or --all")
    (group,) = existing_share_groups(cluster, [name])
    known = [each.member_id for each in group.members]
    for member in members:
        if member not in known:
            raise NotFound(f"{name} has no member {member}", hint=f"`penstock share describe {name}` shows them.")
    sessions: dict[str, int] = {}
    for member in known if is_all else dict.fromkeys(members):
        outcomes = cluster.client().release_share_member(name, member)
        sessions[member] = sum(
            cluster.value(outcome, doing=f"take back what {member} has at broker {broker}")
            for broker, outcome in outcomes.items()
        )
    if as_json:
        print_json([{"member": member, "sessions": count} for member, count in sessions.items()])
        return ExitCode.OK
    for member, count in sessions.items():
        done = f"released, at {counted(count, 'broker')}" if count else "had nothing"
        click.echo(f"{member}: {done}")
    return ExitCode.OK
