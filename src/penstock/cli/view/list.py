"""`penstock view list`."""

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.output import json_option, note, print_json, print_table
from penstock.cli.view.facts import ViewFact, views


@click.command("list")
@click.option("--of", "source", metavar="TOPIC", help="Only those of this topic.")
@client_options
@json_option
def list_views(source: str | None, cluster: Cluster, as_json: bool) -> None:
    """List views with their sources and filters."""
    found = [each for each in views(cluster) if source in (None, each.of)]
    if as_json:
        print_json([each._asdict() for each in found])
    elif found:
        print_table(list(ViewFact._fields), [list(each) for each in found])
    else:
        note("no views yet; make one with `penstock view create NAME --of TOPIC --where FILTER`")
