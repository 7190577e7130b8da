"""`penstock acl explain`."""

import click

from penstock.access.acls import Acl
from penstock.access.explain import explain as explanation
from penstock.access.explain import rules_of
from penstock.access.rights import Right
from penstock.cli.acl.rules import about, operation, principal
from penstock.cli.acl.settings import authorizer_settings
from penstock.cli.client import Cluster, client_options
from penstock.cli.exits import ExitCode
from penstock.cli.output import json_option, print_json
from penstock.cli.printable import printable
from penstock.cli.user.credentials import groups_of

_GROUP = "Group:"


@click.command(no_args_is_help=True)
@click.argument("who")
@click.argument("doing", metavar="OPERATION")
@click.argument("resource")
@click.option("--from", "host", default="", metavar="ADDRESS", help="From this address; unless said, rules for certain "
              "addresses do not count.")  # fmt: skip
@click.option("--member-of", "groups", multiple=True, metavar="GROUP", help="A group that they are in, besides those "
              "of `penstock user groups`; repeatable.")  # fmt: skip
@client_options
@json_option
def explain(
    *, who: str, doing: str, resource: str, host: str, groups: tuple[str, ...], cluster: Cluster, as_json: bool
) -> ExitCode:
    """Tell whether WHO may do OPERATION on RESOURCE, and which rule says so. Exit code 1 if they may not.

    RESOURCE is topic:NAME, group:NAME, transactional-id:ID, delegation-token:ID, user:NAME or cluster.

    \b
    penstock acl explain alice write topic:orders
    penstock acl explain bob read group:reports --from 10.0.3.7
    """
    kind, name = about(resource)
    right = Right(operation(doing), kind)
    settings = authorizer_settings(cluster)
    with cluster.doing("list rules") as client:
        rules = rules_of(client.describe_acls())
    whom = principal(who)
    if any(each.startswith(_GROUP) for each in (*settings.super_users, *(rule.principal for rule in rules))):
        kind_of_whom, _, user = whom.partition(":")
        groups += tuple(groups_of(cluster, [user]).get(user, ()) if kind_of_whom == "User" else ())
    found = explanation(
        rules,
        right,
        name,
        principal=whom,
        groups=groups,
        host=host,
        super_users=settings.super_users,
        allows_without_rules=settings.allows_without_rules,
    )
    if as_json:
        print_json(
            {
                "principal": whom,
                "right": str(right),
                "name": name,
                "allowed": found.is_allowed,
                "why": found.why,
                "by": None if found.by is None else _json(found.by),
                "near": [_json(rule) for rule in found.near],
            }
        )
    else:
        click.echo(printable(f"{'allowed' if found.is_allowed else 'not allowed'}: {found.why}"))
        for rule in found.near:
            click.echo(printable(f"  {rule}"))
    return ExitCode.OK if found.is_allowed else ExitCode.FAILED


def _json(rule: Acl) -> dict[str, str]:
    return {field: value.name if hasattr(value, "name") else value for field, value in rule._asdict().items()}
