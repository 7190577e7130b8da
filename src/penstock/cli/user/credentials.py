"""SCRAM credentials as the cluster keeps them: salted and hashed here, so that no password travels or is kept."""

import hashlib
import os
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any, Final

import click

from penstock.cli import profiles
from penstock.cli.client import Cluster
from penstock.cli.exits import Failure, NotFound
from penstock.cli.output import note
from penstock.cli.passwords import generated_password, given_password, password_file_option
from penstock.errors import ResourceNotFound
from penstock.model.words import did_you_mean
from penstock.wire.messages.alter_user_scram_credentials_request import ScramCredentialUpsertion

NUMBERS: Final = {"SCRAM-SHA-256": 1, "SCRAM-SHA-512": 2}
NAMES: Final = {number: name for name, number in NUMBERS.items()}
_HASHES: Final = {"SCRAM-SHA-256": "sha256", "SCRAM-SHA-512": "sha512"}
DEFAULT: Final = "SCRAM-SHA-512"
SALT_BYTES: Final = 16
ITERATIONS_MIN, ITERATIONS_MAX = 4096, 16_384
"""Kafka's own bounds."""

Mechanisms = dict[str, int]
"""By name, with the iterations."""

mechanism_option = click.option(
    "--mechanism", "mechanisms", type=click.Choice(list(NUMBERS)), multiple=True, metavar="MECHANISM",
    help=f"SCRAM-SHA-256 or SCRAM-SHA-512; repeatable.  [default: {DEFAULT}]",
)  # fmt: skip
iterations_option = click.option(
    "--iterations", type=click.IntRange(ITERATIONS_MIN, ITERATIONS_MAX), default=ITERATIONS_MIN, show_default=True,
    help="Of the hash: more make guessing slower, and each login of the client.",
)  # fmt: skip


def new_password_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--password-file, --generate and --client-file; see `new_password` and `hand_out`."""
    generate = click.option("--generate", is_flag=True, help="Make a password up, and print it.")
    client_file = click.option(
        "--client-file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
        help="Write a profile for the user, with address and password, that only you may read.",
    )  # fmt: skip
    return password_file_option(generate(client_file(command)))


def new_password(name: str, *, file: Path | None, generate: bool) -> str:
    if not generate:
        return given_password(file, of=name, is_new=True)
    if file is not None:
        raise click.UsageError("--generate and --password-file contradict each other")
    return generated_password()


def credential(name: str, password: str, mechanism: str, iterations: int) -> ScramCredentialUpsertion:
    salt = os.urandom(SALT_BYTES)
    salted = hashlib.pbkdf2_hmac(_HASHES[mechanism], password.encode(), salt, iterations)
    return ScramCredentialUpsertion(name, NUMBERS[mechanism], iterations, salt, salted)


def put(cluster: Cluster, name: str, password: str, mechanisms: Iterable[tuple[str, int]], *, doing: str) -> None:
    """One after the other: Kafka refuses two changes of a user in one request."""
    for mechanism, iterations in mechanisms:
        with cluster.doing(doing) as client:
            client.alter_scram(put=[credential(name, password, mechanism, iterations)]).all()


def known(cluster: Cluster, names: Collection[str] | None = None) -> dict[str, Mechanisms]:
    """Of all users where none are named; of those named, who is there."""
    with cluster.doing("list users") as client:
        found = client.describe_scram(names)
    users: dict[str, Mechanisms] = {}
    for name, outcome in sorted(found.items()):
        if not isinstance(outcome, ResourceNotFound):
            infos = cluster.value(outcome, doing=f"describe {name}")
            users[name] = {NAMES.get(info.mechanism, str(info.mechanism)): info.iterations for info in infos}
    return users


def groups_of(cluster: Cluster, names: Collection[str] | None = None) -> dict[str, list[str]]:
    """Of those who are there."""
    with cluster.doing("list users' groups") as client:
        found = client.groups_of_users(names)
    return {name: each for name, each in found.items() if isinstance(each, list)}


def put_groups(cluster: Cluster, name: str, groups: Iterable[str]) -> None:
    with cluster.doing(f"change groups of {name}") as client:
        outcomes = client.alter_scram(groups={name: groups})
    if name not in outcomes:
        raise Failure(f"the groups of {name} were not changed: this cluster's brokers know no groups of users")
    outcomes.all()


def require(cluster: Cluster, name: str) -> Mechanisms:
    """NotFound, with a guess."""
    if (found := known(cluster, [name]).get(name)) is not None:
        return found
    guess = did_you_mean(name, known(cluster), sentence=True)
    raise NotFound(
        f"there is no user {name!r}.{guess}",
        hint="`penstock user list` shows who exists, `penstock user add` adds one.",
    )


def refuse_existing(cluster: Cluster, name: str) -> None:
    if name in known(cluster, [name]):
        raise Failure(
            f"there is a user {name} already",
            hint=f"`penstock user password {name}` gives them another password.",
        )


def hand_out(cluster: Cluster, name: str, password: str, mechanism: str, *, file: Path | None, show: bool) -> None:
    """Tell the person a password that nobody typed, or put it into a profile for the user."""
    if file is not None:
        keeps = ("security.protocol", "ssl.ca.location", "ssl.endpoint.identification.algorithm")
        properties = {profiles.BOOTSTRAP: cluster.bootstrap}
        properties |= {key: cluster.properties[key] for key in keeps if key in cluster.properties}
        properties |= {"sasl.mechanism": mechanism, "sasl.username": name, "sasl.password": password}
        if not properties.get("security.protocol", "").upper().startswith("SASL"):
            # Whoever administers by a certificate, or an open listener: that the user's is another is theirs to say.
            secure = properties.get("security.protocol", "").upper() == "SSL"
            properties["security.protocol"] = "SASL_SSL" if secure else "SASL_PLAINTEXT"
        profiles.write(file, properties, comment="Login of a user, for penstock --profile and kcat -F.", replace=True)
        note(f"wrote {file}, which only you may read")
    elif show:
        click.echo(f"password of {name}: {password}")
