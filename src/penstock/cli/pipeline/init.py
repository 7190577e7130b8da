"""`penstock pipeline init`: a project for Spark's Declarative Pipelines."""

from pathlib import Path

import click

from penstock.cli.client import DEFAULT_BOOTSTRAP
from penstock.cli.output import json_option, print_json
from penstock.cli.pipeline.failures import problems_as_failures
from penstock.pipelines.paths import is_address
from penstock.pipelines.project import ProjectOptions, write_project


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), metavar="DIR")
@click.option("-b", "--bootstrap", envvar="PENSTOCK_BOOTSTRAP", show_envvar=True, default=DEFAULT_BOOTSTRAP,
              show_default=True, metavar="HOST:PORT[,...]", help="The cluster to read from.")  # fmt: skip
@click.option("--topic", default="orders", show_default=True, help="The topic that it reads.")
@json_option
@problems_as_failures
def init(folder: Path, bootstrap: str, topic: str, as_json: bool) -> None:
    """Write a small project: a topic into Iceberg tables, with tests, run by `spark-pipelines run`.

    \b
    Example:
      penstock pipeline init shop --topic orders
      cd shop && SPARK_CONF_DIR=$PWD/conf spark-pipelines run
    """
    if is_address(str(folder)):
        raise click.UsageError(f"{folder} is an address; a project is a folder of this machine")
    written = write_project(ProjectOptions(folder, bootstrap, topic))
    if as_json:
        print_json({"folder": str(folder), "files": [str(path) for path in written]})
        return
    for path in written:
        click.echo(path)
    click.echo(f"cd {folder} && SPARK_CONF_DIR=$PWD/conf spark-pipelines run")
