"""`penstock profile add`."""

from pathlib import Path

import click

from penstock.cli import profiles
from penstock.cli.exits import Failure
from penstock.cli.output import json_option, print_json
from penstock.cli.passwords import given_password, password_file_option
from penstock.cli.properties import key_values
from penstock.cli.security import MECHANISMS


@click.command(no_args_is_help=True)
@click.argument("name")
@click.option("-b", "--bootstrap", metavar="HOST:PORT[,...]", help="Where to reach the cluster.")
@click.option("-X", "--config", "pairs", multiple=True, metavar="KEY=VALUE",
              help="Any librdkafka property but a password; repeatable.")  # fmt: skip
@click.option("--config-file", type=click.Path(exists=True, dir_okay=False, path_type=Path),
              help="A file of librdkafka properties to begin with, such as another profile.")  # fmt: skip
@click.option("--user", metavar="NAME", help="Log in as this user; the password is asked for.")
@click.option("--mechanism", type=click.Choice(MECHANISMS), help="How to log in.  [default: SCRAM-SHA-512]")
@click.option("--ca", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
              help="PEM file with the authority that the brokers' certificates come from; turns TLS on.")  # fmt: skip
@password_file_option
@click.option("--replace", is_flag=True, help="Replace a profile of that name.")
@click.option("--use", "chosen", is_flag=True, help="Also choose it, as `penstock profile use` does.")
@json_option
def add(
    *,
    name: str,
    bootstrap: str | None,
    pairs: tuple[str, ...],
    config_file: Path | None,
    user: str | None,
    mechanism: str | None,
    ca: Path | None,
    password_file: Path | None,
    replace: bool,
    chosen: bool,
    as_json: bool,
) -> None:
    """Make a profile: where a cluster is, and how to log in to it. Only you may read its file.

    \b
    penstock profile add local --bootstrap 127.0.0.1:9092 --use
    penstock profile add prod -b kafka.example.com:9093 --ca ca.pem --user alice
    penstock profile add admin --config-file secure/admin.properties
    """
    path = profiles.path_of(name)
    properties = profiles.read(config_file) if config_file else {}
    said = key_values(pairs, option="--config")
    if secret := sorted(profiles.SECRETS & said.keys()):
        raise click.UsageError(
            f"{secret[0]} on a command line can be seen by others: put it into a file for --config-file"
            + (", or give --user, which asks for the password" if secret[0] == "sasl.password" else "")
        )
    properties |= said
    if bootstrap is not None:
        properties[profiles.BOOTSTRAP] = bootstrap
    if not properties.get(profiles.BOOTSTRAP):
        raise click.UsageError("a profile says where the cluster is: give --bootstrap HOST:PORT")
    if ca is not None:
        properties["ssl.ca.location"] = str(ca.absolute())
    if user is not None:
        properties |= {"sasl.mechanism": mechanism or MECHANISMS[-1], "sasl.username": user}
    elif mechanism is not None or password_file is not None:
        raise click.UsageError("--mechanism and --password-file are for a --user")
    _settle_protocol(
        properties, is_said="security.protocol" in said, has_login=user is not None, has_tls=ca is not None
    )
    if user is not None:
        properties["sasl.password"] = given_password(password_file, of=user, is_new=False)
    _check(properties)
    try:
        profiles.write(
            path, properties, comment="A profile of the penstock command; --profile names it.", replace=replace
        )
    except FileExistsError:
        raise Failure(f"there is a profile {name} already", hint="--replace replaces it.") from None
    if chosen:
        profiles.choose(name)
    if as_json:
        print_json({"profile": name, "path": str(path), "current": profiles.current() == name})
    else:
        click.echo(f"added {name} in {path}")


def _settle_protocol(properties: dict[str, str], *, is_said: bool, has_login: bool, has_tls: bool) -> None:
    """What --user and --ca ask for, unless it was said otherwise."""
    if is_said or not (has_login or has_tls):
        return
    before = properties.get("security.protocol", "").upper()
    with_login, with_tls = has_login or before.startswith("SASL"), has_tls or before.endswith("SSL")
    properties["security.protocol"] = ("SASL_" if with_login else "") + ("SSL" if with_tls else "PLAINTEXT")


def _check(properties: dict[str, str]) -> None:
    """What librdkafka refuses is refused here: misspelt names, files that are not there."""
    from penstock.cli.librdkafka import check_properties  # noqa: PLC0415 - heavy, and only for what is about to be kept

    check_properties(properties)
