"""`penstock quota delete`."""

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.exits import ExitCode, NotFound
from penstock.cli.output import json_option
from penstock.cli.quota.asking import all_quotas
from penstock.cli.quota.values import LIMITS, entity_options, entity_words
from penstock.cli.topic.outcomes import settle
from penstock.client.admin.access import QuotaOf


@click.command(no_args_is_help=True)
@entity_options
@click.option("--only", "only", type=click.Choice([limit.option for limit in LIMITS]), multiple=True,
              help="Not all of its quotas; repeatable.")  # fmt: skip
@client_options
@json_option
def delete(entity: tuple[QuotaOf, ...], only: tuple[str, ...], cluster: Cluster, as_json: bool) -> ExitCode:
    """Delete the quotas of exactly this user, client, both together, address, or tenant.

    \b
    penstock quota delete --user alice
    penstock quota delete --user alice --client importer --only produce
    """
    if not entity:
        raise click.UsageError("say whose: --user, --client, --ip, --tenant, or --user-default and the like")
    with cluster.doing("list quotas") as client:
        found = all_quotas(client)
    values = next((values for each, values in found.items() if set(each) == set(entity)), {})
    keys = {limit.key for limit in LIMITS if limit.option in only} if only else values.keys()
    gone = dict.fromkeys(sorted(keys & values.keys()))
    if not gone:
        raise NotFound(f"{entity_words(entity)} has no such quota", hint="`penstock quota list` shows what exists.")
    with cluster.doing(f"delete quotas of {entity_words(entity)}") as client:
        outcomes = client.alter_quotas({entity: gone})
    told = {entity_words(each): outcome for each, outcome in outcomes.items()}
    return settle(told, cluster, what="entity", verb="delete quotas of", done="deleted quotas of", as_json=as_json)
