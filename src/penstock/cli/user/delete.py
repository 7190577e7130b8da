"""`penstock user delete`."""

import click

from penstock.cli.asking import confirm_deletion, yes_option
from penstock.cli.client import Cluster, client_options
from penstock.cli.exits import ExitCode
from penstock.cli.output import json_option
from penstock.cli.topic.outcomes import settle
from penstock.cli.user.credentials import NUMBERS, require
from penstock.client import Outcomes
from penstock.wire.messages.alter_user_scram_credentials_request import ScramCredentialDeletion


@click.command(no_args_is_help=True)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@yes_option
@client_options
@json_option
def delete(names: tuple[str, ...], yes: bool, cluster: Cluster, as_json: bool) -> ExitCode:
    """Delete users: they cannot log in any more. ACLs and quotas that name them stay."""
    mechanisms = {name: require(cluster, name) for name in dict.fromkeys(names)}
    confirm_deletion(f"Delete {', '.join(mechanisms)} on {cluster.bootstrap}?", yes=yes)
    outcomes: Outcomes[str, None] = Outcomes()
    for name, known in mechanisms.items():
        for mechanism in known:  # one after the other: Kafka refuses two changes of a user in one request
            with cluster.doing(f"delete {name}") as client:
                gone = client.alter_scram(delete=[ScramCredentialDeletion(name, NUMBERS[mechanism])])
            outcomes |= {user: each for user, each in gone.items() if user not in outcomes.refused}
    return settle(outcomes, cluster, what="user", verb="delete", done="deleted", as_json=as_json)
