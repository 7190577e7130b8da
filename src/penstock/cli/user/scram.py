"""`penstock user scram`."""

from pathlib import Path

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.exits import Failure
from penstock.cli.output import json_option, print_json, print_table
from penstock.cli.passwords import given_password, password_file_option
from penstock.cli.user.credentials import NUMBERS, iterations_option, put, require
from penstock.wire.messages.alter_user_scram_credentials_request import ScramCredentialDeletion

_MECHANISM = click.Choice(list(NUMBERS))


@click.command(no_args_is_help=True)
@click.argument("name")
@click.option("--add", "added", type=_MECHANISM, help="Let them log in by this too; the password is asked for.")
@click.option("--remove", "removed", type=_MECHANISM, help="Not by this any more.")
@iterations_option
@password_file_option
@client_options
@json_option
def scram(
    *,
    name: str,
    added: str | None,
    removed: str | None,
    iterations: int,
    password_file: Path | None,
    cluster: Cluster,
    as_json: bool,
) -> None:
    """Show by which of SCRAM's mechanisms a user may log in, or add and remove one.

    Each is a hash of the password of its own: so adding one takes the password again.
    """
    mechanisms = require(cluster, name)
    if added is not None:
        text = given_password(password_file, of=name, is_new=False)
        put(cluster, name, text, [(added, iterations)], doing=f"add {added} to {name}")
        mechanisms[added] = iterations
    if removed is not None:
        if removed not in mechanisms:
            raise Failure(f"{name} has no {removed}; they have {', '.join(sorted(mechanisms))}")
        if len(mechanisms) == 1:
            raise Failure(
                f"{removed} is the only one that {name} has", hint=f"`penstock user delete {name}` deletes them."
            )
        with cluster.doing(f"remove {removed} of {name}") as client:
            client.alter_scram(delete=[ScramCredentialDeletion(name, NUMBERS[removed])]).all()
        del mechanisms[removed]
    if as_json:
        print_json({"user": name, "mechanisms": mechanisms})
    else:
        print_table(["mechanism", "iterations"], sorted(mechanisms.items()))
