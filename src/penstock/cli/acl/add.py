"""`penstock acl add`."""

import click

from penstock.cli.acl.rules import (
    EVERYBODY,
    EVERYWHERE,
    Permission,
    Rule,
    Target,
    operations,
    preset,
    principal,
    target_options,
)
from penstock.cli.client import Cluster, client_options
from penstock.cli.exits import ExitCode
from penstock.cli.output import json_option
from penstock.cli.topic.outcomes import settle


@click.command(no_args_is_help=True)
@click.argument("who", nargs=-1, required=True, metavar="WHO...")
@click.option("--producer", "is_producer", is_flag=True, help="All that writing to the topics takes.")
@click.option("--consumer", "is_consumer", is_flag=True, help="All that reading the topics in the groups takes.")
@click.option("-o", "--operation", "given", multiple=True, metavar="OPERATION[,...]",
              help="read, write, create, delete, alter, describe, describe-configs, alter-configs, all, ...; "
              "repeatable.")  # fmt: skip
@target_options
@click.option("--deny", is_flag=True, help="Forbid: one such rule wins over all that allow.")
@click.option("--host", "hosts", multiple=True, metavar="ADDRESS", help="Only from there; repeatable.  [default: any]")
@client_options
@json_option
def add(
    *,
    who: tuple[str, ...],
    is_producer: bool,
    is_consumer: bool,
    given: tuple[str, ...],
    targets: list[Target],
    deny: bool,
    hosts: tuple[str, ...],
    cluster: Cluster,
    as_json: bool,
) -> ExitCode:
    """Allow WHO (a user, User:NAME, '*' for everybody) something, or forbid it.

    \b
    penstock acl add alice --producer --topic orders
    penstock acl add bob --consumer --topic orders --group reports
    penstock acl add carol --operation describe,alter-configs --topic sales- --prefix
    penstock acl add '*' --deny --operation all --topic secrets
    """
    is_preset = is_producer or is_consumer
    if is_preset is bool(given):
        raise click.UsageError("say what they may do, by --operation, or by --producer or --consumer")
    if not targets:
        raise click.UsageError("say on what: --topic, --group, --transactional-id, --cluster, ...")
    if is_preset and deny:
        raise click.UsageError("--producer and --consumer allow: --deny takes --operation")
    if is_preset:
        pairs = preset(targets, is_producer=is_producer, is_consumer=is_consumer)
    else:
        pairs = [(operation, target) for operation in operations(given) for target in targets]
    permission = Permission.DENY if deny else Permission.ALLOW
    rules = [
        Rule(EVERYBODY if name == "*" else principal(name), operation, target, permission, host)
        for name in who
        for operation, target in pairs
        for host in hosts or (EVERYWHERE,)
    ]
    with cluster.doing("add rules") as client:
        outcomes = client.create_acls(rule.creation() for rule in rules)
    told = {str(rule): outcomes[index] for index, rule in enumerate(rules)}
    return settle(told, cluster, what="rule", verb="add", done="added", as_json=as_json)
