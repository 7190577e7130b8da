"""`penstock web`: the web process in front of a cluster, until it is stopped."""

import asyncio
import math
import re
import socket
import ssl
import sys
from pathlib import Path
from typing import Any

import click
import msgspec
import structlog

from penstock.cli import client as connecting
from penstock.cli.exits import ExitCode, Failure
from penstock.cli.logging import configure_logging
from penstock.model.words import did_you_mean

DEFAULT_PORT = 8080
MISSING = "the web process needs the packages of the extra `web`"
MISSING_HINT = "pip install 'penstock-mq[web]'"
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})

_log = structlog.get_logger(__name__)


@click.command()
@connecting.client_options
@click.option("--port", type=click.IntRange(0, 65_535), default=DEFAULT_PORT, show_default=True,
              help="Listen on this port; 0 takes a free one.")  # fmt: skip
@click.option("--host", default="127.0.0.1", show_default=True, help="Listen on this address.")
@click.option("--allow-host", "hosts", multiple=True, metavar="NAME", help="A name by which it may be asked for, "
              "besides those of this machine; repeatable.  [default: any, or none on 127.0.0.1]")  # fmt: skip
@click.option("--tls-certificate", type=click.Path(exists=True, dir_okay=False, path_type=Path),
              help="Serve HTTPS with this certificate chain (PEM).")  # fmt: skip
@click.option("--tls-key", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Its key (PEM).")
@click.option("--read-only", is_flag=True, help="Refuse all that writes.")
@click.option(
    "--shared-login", is_flag=True, help="Who brings no login of their own has that of --profile or --config."
)
@click.option("--advertise", "advertised", default="", metavar="URL", help="Where other web processes reach this one.  "
              "[default: where it listens]")  # fmt: skip
@click.option("--peer", "peers", multiple=True, metavar="URL", help="Another web process, as it is advertised: what is "
              "said of its leases here is passed on to it; repeatable.")  # fmt: skip
@click.option("--limit", "limits", multiple=True, metavar="NAME=NUMBER", help="A bound, such as streams-max=100; "
              "docs/operate/web.md lists them; repeatable.")  # fmt: skip
@click.option("--broker-pages", default="", metavar="URL", help="Pass /health, /ready and /metrics on to a broker's.")
@click.option("--log-format", type=click.Choice(["text", "json"]), default="text", show_default=True,
              help="How the log is written, to stderr.")  # fmt: skip
@click.option("--listening-fd", type=int, hidden=True)
@click.option("--quiet", is_flag=True, hidden=True)
def web(
    *,
    cluster: connecting.Cluster,
    port: int,
    host: str,
    hosts: tuple[str, ...],
    tls_certificate: Path | None,
    tls_key: Path | None,
    read_only: bool,
    shared_login: bool,
    advertised: str,
    peers: tuple[str, ...],
    limits: tuple[str, ...],
    broker_pages: str,
    log_format: str,
    listening_fd: int | None,
    quiet: bool,
) -> ExitCode:
    """Serve REST in front of a cluster, Penstock's or any other, until Ctrl-C or SIGTERM.

    \b
    penstock web
    penstock web -b kafka1:9092,kafka2:9092 --port 8088 --read-only
    penstock web --profile production --host 0.0.0.0 --tls-certificate web.pem --tls-key web.key

    What is asked with a login (Basic, or a bearer token) is asked of the cluster by that login, so that its access
    rules decide. docs/operate/web.md tells more, /docs on the server shows every path.
    """
    try:
        from penstock.web import WebOptions, create_app, serve  # noqa: PLC0415 - an extra
        from penstock.web.server import address_of, listen, yield_to_others  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("penstock"):
            raise
        raise Failure(f"{MISSING}: {error.name} is not there", hint=MISSING_HINT) from error
    configure_logging(form=log_format, level="info")
    bounds = {"timeout_s": cluster.timeout_s} | _limits(WebOptions, limits)
    advertised, peers = advertised and _url(advertised), tuple(_url(each) for each in peers)
    behind = _cluster(cluster, is_shared=shared_login)
    tls = _tls(tls_certificate, tls_key)
    if listening_fd is None:
        try:
            listening = listen(host, port)
        except OSError as error:
            raise Failure(
                f"cannot listen on {host}:{port}: {error.strerror or error}", hint="Take another with --port or --host."
            ) from error
    else:
        yield_to_others()
        listening = socket.socket(fileno=listening_fd)
    where = f"{'http' if tls is None else 'https'}://{address_of(listening)}"
    options = WebOptions(
        read_only=read_only, hosts=hosts or (() if host in LOOPBACK else ("*",)), broker_pages=broker_pages,
        advertised=advertised or where, peers=peers,
        **bounds,
    )  # fmt: skip
    app = create_app(options, behind)

    def told() -> None:
        if log_format == "json":
            _log.info("listening", address=where)
        elif not quiet:
            click.echo(f"Penstock's web process is at {where}", err=True)

    serving = serve(
        app, listening, connections_max=options.connections_max, told=told, tls=tls,
        lifeline=None if listening_fd is None else sys.stdin.fileno(),
    )  # fmt: skip
    asyncio.run(serving)
    return ExitCode.OK


def _limits(options: Any, given: tuple[str, ...]) -> dict[str, Any]:
    """Bounds by name, as the options type them."""
    kinds = {each.name.replace("_", "-"): each for each in msgspec.structs.fields(options) if each.type in (int, float)}
    found = {}
    for each in given:
        name, _, value = each.partition("=")
        if name not in kinds:
            raise click.UsageError(f"--limit {name}: {did_you_mean(name, kinds) or f'there are {chr(44).join(kinds)}'}")
        try:
            found[kinds[name].name] = kinds[name].type(value)
        except ValueError:
            raise click.UsageError(f"--limit {each}: {value!r} is no number") from None
        if not 0 < found[kinds[name].name] < math.inf:
            raise click.UsageError(f"--limit {each}: a bound is above 0, and has an end")
    return found


def _url(text: str) -> str:
    """Of a web process. Leases name it, and are found by that: so it is always written in the same way."""
    if not re.fullmatch(r"https?://[^/?#]+/*", text):
        raise click.UsageError(f"{text} is no address of a web process, such as http://10.0.0.1:8080")
    return text.rstrip("/")


def _cluster(given: connecting.Cluster, *, is_shared: bool) -> Any:
    """What the options say of the cluster. A login or a certificate of ours is for others only where it is shared."""
    from penstock.cli.security import security  # noqa: PLC0415
    from penstock.web import Cluster  # noqa: PLC0415

    properties = dict(given.properties)
    if not is_shared:
        for name in ("ssl.certificate.location", "ssl.key.location", "ssl.key.password"):
            properties.pop(name, None)
    has_logins = properties.get("security.protocol", "").upper().startswith("SASL")
    mechanism = properties.get("sasl.mechanism", properties.get("sasl.mechanisms", "SCRAM-SHA-512"))
    if has_logins:
        properties["sasl.mechanism"] = mechanism
    found = security(properties)
    own = found.get("sasl") if properties.get("sasl.username") else None
    if is_shared and has_logins and own is None:
        raise click.UsageError("--shared-login wants a login: sasl.username and sasl.password, best in a --profile")
    return Cluster(
        bootstrap=given.bootstrap, has_logins=has_logins, mechanism=mechanism, tls=found.get("tls"), own=own,
        is_own_shared=is_shared,
    )  # fmt: skip


def _tls(certificate: Path | None, key: Path | None) -> ssl.SSLContext | None:
    if certificate is None:
        if key is not None:
            raise click.UsageError("--tls-key goes with --tls-certificate")
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        hint = "Name its key with --tls-key." if key is None else None
        raise Failure(f"{certificate} cannot be used: {error}", hint=hint) from error
    return context
