"""`penstock acl delete`."""

import click

from penstock.cli.acl.rules import (
    TABLE_COLUMNS,
    Target,
    exactly,
    kept,
    operations,
    principal,
    table_rows,
    target_options,
)
from penstock.cli.asking import confirm_deletion, yes_option
from penstock.cli.client import Cluster, client_options
from penstock.cli.exits import ExitCode, NotFound
from penstock.cli.output import json_option, print_table
from penstock.cli.topic.outcomes import settle
from penstock.model.words import counted


@click.command(no_args_is_help=True)
@click.option("--who", metavar="WHO", help="Rules that name this user, or User:NAME.")
@click.option("-o", "--operation", "given", multiple=True, metavar="OPERATION[,...]", help="Rules about these.")
@target_options
@yes_option
@client_options
@json_option
def delete(
    *,
    who: str | None,
    given: tuple[str, ...],
    targets: list[Target],
    yes: bool,
    cluster: Cluster,
    as_json: bool,
) -> ExitCode:
    """Delete the rules that all of these options fit. Names are taken as they are written: a rule about all topics is
    deleted with --topic '*', and one about a prefix with --prefix.

    \b
    penstock acl delete --who alice
    penstock acl delete --who bob --operation read --topic orders
    """
    wanted = operations(given)
    if not (who or wanted or targets):
        raise click.UsageError("say which: --who, --operation, --topic, ...; `penstock acl list` shows what there is")
    rules = kept(cluster, targets, principal=None if who is None else principal(who))
    rules = [rule for rule in rules if not wanted or rule.operation in wanted]
    if not rules:
        raise NotFound("there are no such rules", hint="`penstock acl list` shows what exists.")
    if not (yes or as_json):
        print_table(TABLE_COLUMNS, table_rows(rules))
    confirm_deletion(f"Delete {counted(len(rules), 'rule')} on {cluster.bootstrap}?", yes=yes)
    with cluster.doing("delete rules") as client:
        outcomes = client.delete_acls(exactly(rule) for rule in rules)
    told = {str(rule): outcomes[index] for index, rule in enumerate(rules)}
    return settle(told, cluster, what="rule", verb="delete", done="deleted", as_json=as_json)
