"""`penstock cluster rotate-secret`: give the cluster another secret while its brokers run."""

import asyncio
import tempfile
from pathlib import Path

import click

from penstock.access.secrets_file import SecretsFile
from penstock.broker.clock import SystemClock, SystemDice
from penstock.cli.exits import ExitCode, Failure
from penstock.cli.logging import configure_logging
from penstock.cli.output import json_option, note, print_json
from penstock.cli.properties import key_values
from penstock.cli.serving import load
from penstock.cluster import Keys, exchange_secret
from penstock.errors import Fatal
from penstock.metastore import Conflict, MetastoreError, open_metastore
from penstock.settings import Config
from penstock.settings.broker import PENSTOCK_CLUSTER_NAME, PENSTOCK_ETCD_ENDPOINTS


@click.command(name="rotate-secret")
@click.option("-c", "--config", "file", type=click.Path(path_type=Path), help="A broker's settings: where etcd is.")
@click.option("-s", "--set", "pairs", multiple=True, metavar="NAME=VALUE", help="A setting, as for `penstock up`.")
@click.option("--pause", default=10.0, show_default=True, help="Seconds that brokers get to hear of each step.")
@click.option("-y", "--yes", is_flag=True, help="Do it.")
@json_option
def rotate_secret(file: Path | None, pairs: tuple[str, ...], pause: float, yes: bool, as_json: bool) -> ExitCode:
    """Exchange the secret by which brokers know each other. No broker is stopped, no connection closed.

    It goes to etcd itself, with the settings of a broker. Three steps: both secrets are believed, the new one is used,
    the old one is believed no more. Started again, it goes on where it ended. With penstock.secrets.key.file the
    secret is sealed in etcd.

    \b
    penstock cluster rotate-secret --config /etc/penstock/penstock.properties --yes
    """
    configure_logging(form="text", level="warning")  # to stderr: stdout is for the outcome, which programs read
    config = load(file, key_values(pairs, option="--set"))
    if not config[PENSTOCK_ETCD_ENDPOINTS]:
        raise Failure(
            "a broker on its own has no secret",
            hint="Name a broker's settings with --config: it is kept in their etcd.",
        )
    if not yes:
        if as_json:
            print_json({"done": False})
        else:
            note("nothing was changed: --yes does it")
        return ExitCode.OK
    try:
        done = asyncio.run(_rotate(config, pause))
    except Conflict as conflict:
        raise Failure("somebody else is exchanging it too", hint="Start again when they are done.") from conflict
    except Fatal as fatal:
        raise Failure(str(fatal)) from fatal
    except MetastoreError as error:
        raise Failure(f"etcd: {error}", hint="Start again: it goes on where it ended.") from error
    if not done:
        raise Failure("there is no cluster in this etcd yet", hint="Its first broker makes the secret.")
    if as_json:
        print_json({"done": True})
    else:
        click.echo("the cluster has a new secret")
    return ExitCode.OK


async def _rotate(config: Config, pause_s: float) -> bool:
    async def pause() -> None:
        note("done; brokers hear of it")
        await asyncio.sleep(pause_s)

    with tempfile.TemporaryDirectory() as folder:
        metastore = await open_metastore(config, Path(folder), SystemClock())
        try:
            keys, sealing = Keys(config[PENSTOCK_CLUSTER_NAME]), SecretsFile(config, stands_alone=False).keys()
            return await exchange_secret(metastore, keys, SystemDice(), pause, sealing)
        finally:
            await metastore.close()
