"""`penstock acl list`."""

import click

from penstock.cli.acl.rules import TABLE_COLUMNS, Target, kept, principal, table_rows, target_options
from penstock.cli.client import Cluster, client_options
from penstock.cli.output import json_option, note, print_json, print_table


@click.command("list")
@click.option("--who", metavar="WHO", help="Only rules that name this user, or User:NAME.")
@target_options
@client_options
@json_option
def list_acls(who: str | None, targets: list[Target], cluster: Cluster, as_json: bool) -> None:
    """List rules: all, or those that name somebody, or those that are about a topic or another resource.

    Rules about a topic are also those by a prefix of its name and those for all topics, unless --prefix asks for those
    by this very prefix.

    \b
    penstock acl list --who alice
    penstock acl list --topic orders
    """
    rules = kept(cluster, targets, principal=None if who is None else principal(who), matching=True)
    if as_json:
        print_json([rule.as_json() for rule in rules])
    elif rules:
        print_table(TABLE_COLUMNS, table_rows(rules))
    else:
        note("no such rules" if who or targets else "no rules yet; `penstock acl add` makes some")
