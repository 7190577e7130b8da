"""`penstock cert show`."""

import socket
import ssl
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from penstock.cli.advertised import split_address
from penstock.cli.exits import ExitCode, Failure, Unreachable
from penstock.cli.output import json_option, print_json, print_table

CONNECT_TIMEOUT_S = 10.0


@click.command(no_args_is_help=True)
@click.argument("where", nargs=-1, required=True, metavar="FILE|HOST:PORT...")
@json_option
def show(where: tuple[str, ...], as_json: bool) -> ExitCode:
    """Show certificates: of PEM files, or what a broker shows at an address. Exit code 1 if one has expired.

    \b
    penstock cert show secure/broker.pem
    penstock cert show kafka.example.com:9093
    """
    now = datetime.now(UTC)
    rows = [row for place in where for row in _rows(place, now)]
    if as_json:
        print_json(rows)
    else:
        for row in rows:
            told = {**row, "names": ", ".join(row["names"]) or None, "authority": "yes" if row["authority"] else "no"}
            lines = [[name.replace("_", " "), told[name]] for name in row if name != "where"]
            print_table(["", ""], lines, title=row["where"])
    return ExitCode.FAILED if any(row["days_left"] < 0 for row in rows) else ExitCode.OK


def _rows(place: str, now: datetime) -> list[dict[str, Any]]:
    from penstock.transport.certificates import look_into  # noqa: PLC0415 - heavy

    try:
        found = look_into(_pem(place))
    except ValueError as error:
        raise Failure(f"{place} holds no certificate in PEM form: {error}") from error
    return [
        {
            "where": place,
            "subject": each.subject,
            "issuer": each.issuer,
            "names": list(each.names),
            "authority": each.is_authority,
            "from": each.not_before.isoformat(timespec="seconds"),
            "until": each.not_after.isoformat(timespec="seconds"),
            "days_left": round(each.days_left(now), 1),
            "sha256": each.fingerprint,
        }
        for each in found
    ]


def _pem(place: str) -> bytes:
    path = Path(place)
    if path.exists() or "/" in place or ":" not in place:
        return path.read_bytes()
    host, port = split_address(place)
    # It is looked at, not believed: a certificate that has expired is what one wants to see.
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with (
            socket.create_connection((host, port), CONNECT_TIMEOUT_S) as plain,
            context.wrap_socket(plain, server_hostname=host) as secured,
        ):
            shown = secured.getpeercert(binary_form=True)
    except ssl.SSLError as error:
        if "CERTIFICATE_REQUIRED" in str(error):
            raise Failure(f"{place} shows its certificate only to who shows one: {error.reason}") from error
        raise Failure(f"{place} does not speak TLS: {error.reason}") from error
    except OSError as error:
        raise Unreachable(f"cannot connect to {place}: {error.strerror or error}") from error
    return ssl.DER_cert_to_PEM_cert(shown or b"").encode()
