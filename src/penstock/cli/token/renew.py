"""`penstock token renew`."""

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.output import json_option, print_json
from penstock.cli.token.facts import find, length_option, moment


@click.command(no_args_is_help=True)
@click.argument("token_id", metavar="TOKEN")
@length_option("--by", "period_ms", "From now, such as 24h.  [default: the cluster's]")
@client_options
@json_option
def renew(token_id: str, period_ms: int, cluster: Cluster, as_json: bool) -> None:
    """Put the end of a token off, by its id; not beyond its longest life."""
    token = find(cluster, token_id)
    with cluster.doing(f"renew {token_id}") as client:
        ends = moment(client.renew_token(token.hmac, period_ms=period_ms))
    if as_json:
        print_json({"token": token_id, "expires": ends})
    else:
        click.echo(f"{token_id} expires at {ends}")
