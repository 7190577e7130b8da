"""`penstock quota set`."""

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.exits import ExitCode
from penstock.cli.output import json_option
from penstock.cli.quota.values import entity_options, entity_words, limit_options
from penstock.cli.topic.outcomes import settle
from penstock.client.admin.access import QuotaOf


@click.command("set", no_args_is_help=True)
@entity_options
@limit_options
@client_options
@json_option
def set_quota(entity: tuple[QuotaOf, ...], limits: dict[str, float], cluster: Cluster, as_json: bool) -> ExitCode:
    """Set quotas of a user, of clients by their client.id, of both together, of an address, or of a tenant. Each
    counts per broker.
    Those not named stay as they are.

    \b
    penstock quota set --user alice --produce 10MB/s --consume 20MB/s
    penstock quota set --user-default --requests 50%
    penstock quota set --user alice --client importer --produce 1MiB/s
    penstock quota set --ip 192.0.2.7 --connections 5/s
    penstock quota set --tenant sales- --stored 100GB --partitions 500
    """
    if not entity:
        raise click.UsageError("say for whom: --user, --client, --ip, --tenant, or --user-default and the like")
    if not limits:
        raise click.UsageError("say how much: --produce 10MB/s, --consume, --requests, --mutations, --connections, ...")
    with cluster.doing(f"set quotas of {entity_words(entity)}") as client:
        outcomes = client.alter_quotas({entity: limits})
    told = {entity_words(each): outcome for each, outcome in outcomes.items()}
    return settle(told, cluster, what="entity", verb="set quotas of", done="set quotas of", as_json=as_json)
