"""`penstock view create`."""

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.exits import ExitCode
from penstock.cli.output import json_option
from penstock.cli.topic.outcomes import settle
from penstock.client import NewTopic
from penstock.settings.topic import PENSTOCK_VIEW_FILTER, PENSTOCK_VIEW_OF


@click.command(no_args_is_help=True)
@click.argument("name")
@click.option("--of", "source", required=True, metavar="TOPIC", help="The topic whose records it shows.")
@click.option("-w", "--where", default="", metavar="FILTER", help="Which of them; all if absent.")
@click.option("--validate-only", is_flag=True, help="Ask whether it would be created, without creating it.")
@client_options
@json_option
def create(name: str, source: str, where: str, validate_only: bool, cluster: Cluster, as_json: bool) -> ExitCode:
    """Create a view of a topic.

    \b
    penstock view create orders-eu --of orders --where "header.region = 'eu' and size < 10000"

    Its filter is changed with: penstock topic alter NAME -s penstock.view.filter=...
    """
    settings = {PENSTOCK_VIEW_OF.name: source} | ({PENSTOCK_VIEW_FILTER.name: where} if where else {})
    outcomes = cluster.client().create_topics([NewTopic(name, -1, -1, settings)], validate_only=validate_only)
    done = "would create" if validate_only else "created"
    return settle(outcomes, cluster, verb="create", done=done, as_json=as_json, what="view")
