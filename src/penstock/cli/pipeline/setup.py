"""`penstock pipeline setup`: Java looked for, and the locked jars fetched into the cache folder."""

import sys
from collections.abc import Callable
from pathlib import Path

import click

from penstock.cli.output import json_option, note, print_json
from penstock.cli.pipeline.failures import problems_as_failures
from penstock.model.words import counted
from penstock.pipelines.jars import (
    FOLDER_VARIABLE,
    LOCKED,
    Fetch,
    Jar,
    by_maven,
    fetch_missing,
    from_repository,
    jar_folder,
)
from penstock.pipelines.java import find_java


@click.command()
@click.option("--folder", type=click.Path(file_okay=False, path_type=Path), envvar=FOLDER_VARIABLE, show_envvar=True,
              help="Where the jars go.  [default: penstock/spark-jars in your cache folder]")  # fmt: skip
@click.option("--repository", metavar="URL",
              help="A Maven repository to fetch from, instead of asking Maven. http, https or file.")  # fmt: skip
@json_option
@problems_as_failures
def setup(folder: Path | None, repository: str | None, as_json: bool) -> None:
    """Fetch the jars that jobs give to Spark, once: about 70 MB, each checked by its SHA-256.

    Does nothing when all is there. Fetches through Maven, with the mirrors that your Maven settings name, or straight
    from --repository.

    \b
    Examples:
      penstock pipeline setup
      penstock pipeline setup --repository https://maven.example.com/releases
    """
    java = find_java()
    folder = folder or jar_folder()
    fetch: Fetch = from_repository(repository) if repository else by_maven
    fetched = fetch_missing(folder, fetch, tell=_telling(shown=not as_json))
    if as_json:
        print_json(
            {
                "folder": str(folder),
                "fetched": fetched,
                "jars": [jar.coordinate for jar in LOCKED],
                "java": {"program": str(java.program), "version": java.major},
            }
        )
        return
    click.echo(
        f"{counted(fetched, 'jar')} fetched into {folder}" if fetched else f"nothing to do: all jars are in {folder}"
    )
    click.echo(f"Java {java.major} at {java.program}")


def _telling(*, shown: bool) -> Callable[[Jar], None]:
    """A line a jar, for people and for logs alike: there are six, and the largest takes some seconds."""

    def tell(jar: Jar) -> None:
        if shown or sys.stderr.isatty():
            note(f"fetching {jar.coordinate} ({jar.purpose})")

    return tell
