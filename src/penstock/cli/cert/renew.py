"""`penstock cert renew`."""

from datetime import UTC, datetime
from pathlib import Path

import click

from penstock.cli.exits import Failure, NotFound
from penstock.cli.output import json_option, print_json
from penstock.processes.secured import SecureFolder


@click.command(no_args_is_help=True)
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--host", "hosts", multiple=True, metavar="NAME", help="Also for this name or address of the broker; "
              "repeatable.")  # fmt: skip
@click.option(
    "--new-authority", "step", flag_value="new", help="First make another authority, beside the one there is."
)
@click.option("--only-newest", "step", flag_value="only", help="Then believe no other authority any more.")
@json_option
def renew(folder: Path, hosts: tuple[str, ...], step: str | None, as_json: bool) -> None:
    """Make the certificates in a folder of `penstock init` anew, for another year: the broker's and the admin's.

    A running broker takes them within seconds. Connections that are open stay; clients need nothing, as the authority
    is the same. It is replaced in three steps, so that no client meets a stranger:

    \b
    penstock cert renew D --new-authority    # 1. ca.pem has both: give it to all clients
    penstock cert renew D                    # 2. certificates from the new one
    penstock cert renew D --only-newest      # 3. ca.pem has the new one only
    """
    made = SecureFolder(folder)
    if not made.is_made:
        raise NotFound(
            f"{folder} has no {made.authority_key.name}", hint="`penstock init --secure` makes such a folder."
        )
    now = datetime.now(UTC)
    try:
        if step is None:
            changed = made.renew_certificates(hosts, now=now)
        elif hosts:
            raise click.UsageError("--host is for the second step, which makes certificates")
        else:
            changed = made.add_authority(now=now) if step == "new" else made.keep_newest_authority()
    except ValueError as error:
        raise Failure(f"{folder} cannot be used: {error}") from error
    if as_json:
        print_json({"folder": str(made.path), "changed": [path.name for path in changed]})
    else:
        click.echo(f"made anew: {', '.join(path.name for path in changed)}" if changed else "nothing to do")
