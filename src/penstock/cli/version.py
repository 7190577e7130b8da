"""`penstock version`: what to quote in a bug report."""

import platform

import click

from penstock import __version__
from penstock.cli.output import json_option, print_json


@click.command()
@json_option
def version(as_json: bool) -> None:
    """Print the versions of Penstock, of Python and of the client library."""
    import confluent_kafka  # noqa: PLC0415 - heavy

    facts = {
        "penstock": __version__,
        "python": platform.python_version(),
        "confluent-kafka": confluent_kafka.__version__,
        "librdkafka": confluent_kafka.libversion()[0],
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }
    if as_json:
        print_json(facts)
    else:
        for name, value in facts.items():
            click.echo(f"{name} {value}")
