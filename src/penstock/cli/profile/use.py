"""`penstock profile use`."""

import click

from penstock.cli import profiles
from penstock.cli.output import json_option, print_json


@click.command(no_args_is_help=True)
@click.argument("name", required=False)
@click.option("--none", "nobody", is_flag=True, help="None counts any more.")
@json_option
def use(name: str | None, nobody: bool, as_json: bool) -> None:
    """Choose the profile that counts where neither --profile, PENSTOCK_PROFILE, --bootstrap nor PENSTOCK_BOOTSTRAP says
    where to go.
    """
    if (name is None) is not nobody:
        raise click.UsageError("give the name of a profile, or --none")
    if name is not None and name not in profiles.names():
        profiles.find(name)  # NotFound, with a guess, unless it is a path
        raise click.UsageError(f"{name} has no name yet: `penstock profile add NAME --config-file {name}` gives it one")
    profiles.choose(name)
    if as_json:
        print_json({"profile": name})
    else:
        click.echo(f"using {name}" if name is not None else "using no profile")
