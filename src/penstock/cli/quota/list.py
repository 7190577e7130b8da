"""`penstock quota list`."""

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.output import json_option, note, print_json, print_table
from penstock.cli.quota.asking import all_quotas
from penstock.cli.quota.values import entity_options, entity_words, shown
from penstock.client.admin.access import QuotaOf


@click.command("list")
@entity_options
@client_options
@json_option
def list_quotas(entity: tuple[QuotaOf, ...], cluster: Cluster, as_json: bool) -> None:
    """List quotas: all, or those that name a user, a client, an address or a tenant."""
    with cluster.doing("list quotas") as client:
        found = all_quotas(client)
    chosen = {each: values for each, values in found.items() if set(entity) <= set(each)}
    ordered = sorted(chosen.items(), key=lambda item: [(part.type, part.name or "") for part in item[0]])
    if as_json:
        print_json([{"entity": {part.type: part.name for part in each}, "quotas": values} for each, values in ordered])
    elif ordered:
        rows = [[entity_words(each), *told] for each, values in ordered for told in shown(values).items()]
        print_table(["for", "quota", "limit"], rows)
    else:
        note("no such quotas" if entity else "no quotas yet; `penstock quota set` sets some")
