"""`penstock token create`."""

from pathlib import Path

import click

from penstock.cli import profiles
from penstock.cli.acl.rules import principal
from penstock.cli.client import Cluster, client_options
from penstock.cli.files import FileToWrite
from penstock.cli.output import json_option, note, print_json, print_table
from penstock.cli.properties import write_properties
from penstock.cli.token.facts import MECHANISM, length_option, moment, secret
from penstock.processes.secured import java_escaped, java_login
from penstock.wire.messages.create_delegation_token_request import CreatableRenewers


@click.command()
@click.option("--renewer", "renewers", multiple=True, metavar="WHO", help="Who else may put its end off; repeatable.")
@length_option("--lifetime", "lifetime_ms", "How long it may live at most, such as 7d.  [default: the cluster's]")
@click.option("--java-file", type=FileToWrite(), metavar="FILE",
              help="Write a file of properties for Java clients, that only you may read, instead of printing the "
              "secret.")  # fmt: skip
@client_options
@json_option
def create(
    *, renewers: tuple[str, ...], lifetime_ms: int, java_file: Path | None, cluster: Cluster, as_json: bool
) -> None:
    """Make a token for whoever this command logs in as. Its id and its secret log in by SCRAM, as name and password,
    with `tokenauth=true`; librdkafka has no such login.
    """
    wanted = [CreatableRenewers(*principal(each).split(":", 1)) for each in renewers]
    with cluster.doing("make a token") as client:
        made = client.create_token(renewers=wanted, lifetime_ms=lifetime_ms)
    hmac = secret(made.hmac)
    facts = {
        "token": made.token_id,
        "owner": f"{made.principal_type}:{made.principal_name}",
        "expires": moment(made.expiry_timestamp_ms),
        "expires_at_latest": moment(made.max_timestamp_ms),
    }
    if java_file is not None:
        login = {
            profiles.BOOTSTRAP: cluster.bootstrap,
            "security.protocol": cluster.properties.get("security.protocol", "SASL_SSL"),
            "sasl.mechanism": MECHANISM,
            "sasl.username": made.token_id,
            "sasl.password": hmac,
        }
        if authority := cluster.properties.get("ssl.ca.location"):
            login["ssl.ca.location"] = authority
        properties = {name: java_escaped(value) for name, value in java_login(login, is_token=True).items()}
        write_properties(java_file, properties, comment="A delegation token.", replace=True)
        note(f"wrote {java_file}, which only you may read")
    else:
        facts["secret"] = hmac
    if as_json:
        print_json(facts)
    else:
        print_table(["", ""], [[name.replace("_", " "), value] for name, value in facts.items()])
