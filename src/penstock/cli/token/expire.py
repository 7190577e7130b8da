"""`penstock token expire`."""

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.output import json_option, print_json
from penstock.cli.token.facts import find, length_option, moment


@click.command(no_args_is_help=True)
@click.argument("token_id", metavar="TOKEN")
@length_option("--in", "period_ms", "Not now, but so much later, such as 1h.")
@client_options
@json_option
def expire(token_id: str, period_ms: int, cluster: Cluster, as_json: bool) -> None:
    """End a token, by its id. Whoever is connected with it stays so until they have to log in again."""
    token = find(cluster, token_id)
    with cluster.doing(f"expire {token_id}") as client:
        ends = moment(client.expire_token(token.hmac, period_ms=period_ms))
    if as_json:
        print_json({"token": token_id, "expires": ends})
    else:
        click.echo(f"{token_id} expires at {ends}" if period_ms >= 0 else f"{token_id} has expired")
