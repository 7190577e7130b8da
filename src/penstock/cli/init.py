"""`penstock init --secure`: all that a secured broker needs, in one folder, and a configuration that uses it."""

import ipaddress
from datetime import UTC, datetime
from pathlib import Path

import click

from penstock.cli.exits import Failure
from penstock.cli.output import json_option, print_json
from penstock.cli.passwords import given_password
from penstock.processes.secured import ADMIN, SecureFolder

DEFAULT_FOLDER = Path("penstock-secure")
DEFAULT_PORT = 9092
HERE = "127.0.0.1"


@click.command()
@click.option("--secure", is_flag=True, help="With TLS, logins and access rules; there is no other kind.")
@click.option("-d", "--dir", "folder", type=click.Path(file_okay=False, path_type=Path), default=DEFAULT_FOLDER,
              show_default=True, help="The folder to make.")  # fmt: skip
@click.option("--host", "hosts", multiple=True, metavar="NAME", help="A name or address that clients know this machine "
              "by; repeatable. Then the broker listens on every interface, and clients are told the first.  "
              f"[default: {HERE}]")  # fmt: skip
@click.option("-p", "--port", type=click.IntRange(1, 65_534), default=DEFAULT_PORT, show_default=True,
              help="For logins by password; the next one is for certificates.")  # fmt: skip
@click.option("--password-file", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path), metavar="FILE",
              help=f"Its first line is the password of {ADMIN}; - is standard input.  "
              "[default: one is made up]")  # fmt: skip
@json_option
def init(
    *, secure: bool, folder: Path, hosts: tuple[str, ...], port: int, password_file: Path | None, as_json: bool
) -> None:
    """Make a folder with all that a secured broker needs: an authority, certificates, a key for secrets, a first user,
    files for clients, and a configuration.

    \b
    penstock init --secure
    penstock up --config penstock-secure/penstock.properties
    penstock topic list --profile penstock-secure/admin
    """
    if not secure:
        raise click.UsageError("say --secure; a broker without security needs no init: `penstock up` runs one")
    for host in hosts:
        _check_host(host)
    if "," in str(folder.absolute()):
        raise click.UsageError(
            "the folder's path has a comma, which settings take for the end of a path: choose another"
        )
    password = None if password_file is None else given_password(password_file, of=ADMIN, is_new=True)
    made = SecureFolder(folder)
    listens = HERE if not hosts else "0.0.0.0"
    told = hosts[0] if hosts else HERE
    settings = {"listeners": f"SASL_SSL://{_at(listens, port)},SSL://{_at(listens, port + 1)}"}
    if hosts:
        settings["advertised.listeners"] = f"SASL_SSL://{_at(told, port)},SSL://{_at(told, port + 1)}"
    settings["log.dirs"] = str(made.data)
    try:
        made.make(
            now=datetime.now(UTC),
            users_at=_at(told, port),
            certificates_at=_at(told, port + 1),
            hosts=hosts,
            password=password,
            settings=settings,
        )
    except FileExistsError:
        what = "has been made by `penstock init` before" if made.is_made else "is not empty"
        hint = "Choose another with --dir, or remove it: its keys and data go with it."
        raise Failure(f"{folder} {what}, and nothing in it is overwritten", hint=hint) from None
    files = _files(made)
    if as_json:
        print_json(
            {"folder": str(made.path), "bootstrap": _at(told, port), "files": {k.name: v for k, v in files.items()}}
        )
        return
    width = max(len(path.name) for path in files)
    click.echo(f"made {folder}, which only you can read:")
    for path, what in files.items():
        click.echo(f"  {path.name:{width}}  {what}")
    click.echo("Run it, and in another terminal use it:")
    click.echo(f"  penstock up --config {folder / made.settings.name}")
    click.echo(f"  penstock topic list --profile {folder / ADMIN}")
    click.echo(f"  penstock user add alice --profile {folder / ADMIN}")
    click.echo(f"  penstock acl add alice --producer --topic orders --profile {folder / ADMIN}")


def _files(made: SecureFolder) -> dict[Path, str]:
    return {
        made.settings: "settings: TLS, logins, access rules, an audit log in audit/",
        made.authority: "the authority's certificate: clients need it, and it is no secret",
        made.authority_key: "the authority's key: who has it can be anybody; `penstock cert renew` needs it",
        made.broker: "the broker's certificate and key",
        made.secrets_key: "key under which the broker seals secrets: back it up",
        made.first_users: f"what a new broker knows of {ADMIN}: no password",
        made.profile: f"login of {ADMIN}, for penstock --profile and kcat -F",
        made.confluent: "the same for confluent-kafka",
        made.java: "the same for Java's clients",
        made.spark: "the same as options of Spark's connector",
        made.admin: f"certificate and key of {ADMIN}",
        made.certificate_profile: "login by that certificate, if the password is lost",
    }


def _at(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _check_host(host: str) -> None:
    try:
        if ipaddress.ip_address(host).is_unspecified:
            raise click.UsageError(f"--host {host}: clients need a name or an address that leads here")
    except ValueError:
        name = host.removesuffix(".")
        if not (name.isascii() and name.replace("-", "a").replace(".", "a").replace("_", "a").isalnum()):
            raise click.UsageError(f"--host {host!r} is neither a name nor an address") from None
