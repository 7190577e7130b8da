"""`penstock token list`."""

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.output import json_option, note, print_json, print_table
from penstock.cli.token.facts import moment

COLUMNS = ("token", "owner", "renewers", "issued", "expires", "expires at latest")


@click.command("list")
@client_options
@json_option
def list_tokens(cluster: Cluster, as_json: bool) -> None:
    """List the tokens that you may see, without their secrets."""
    with cluster.doing("list tokens") as client:
        tokens = sorted(client.describe_tokens(), key=lambda token: token.issue_timestamp)
    rows = [
        {
            "token": token.token_id,
            "owner": f"{token.principal_type}:{token.principal_name}",
            "renewers": [f"{each.principal_type}:{each.principal_name}" for each in token.renewers],
            "issued": moment(token.issue_timestamp),
            "expires": moment(token.expiry_timestamp),
            "expires_at_latest": moment(token.max_timestamp),
        }
        for token in tokens
    ]
    if as_json:
        print_json(rows)
    elif rows:
        print_table(
            COLUMNS, [[", ".join(cell) if isinstance(cell, list) else cell for cell in row.values()] for row in rows]
        )
    else:
        note("no tokens; `penstock token create` makes one")
