"""`penstock acl dry-run`."""

import click

from penstock.cli.acl.settings import DRY_RUN, authorizer_settings
from penstock.cli.client import Cluster, client_options
from penstock.cli.exits import Failure
from penstock.cli.output import json_option, print_json
from penstock.client import Change, Resource, ResourceType


@click.command("dry-run")
@click.option("--on/--off", "wanted", default=None, help="Begin, or end; neither: tell which it is.")
@client_options
@json_option
def dry_run(wanted: bool | None, cluster: Cluster, as_json: bool) -> None:
    """Try rules out under a running load: what they deny is let through, and only counted and logged by each broker.

    \b
    penstock acl dry-run --on
    penstock acl dry-run --off
    """
    settings = authorizer_settings(cluster)
    if not settings.is_on:
        raise Failure(
            "the brokers run without an authorizer: everybody may do everything",
            hint="Set authorizer.class.name, super.users and, to begin with, penstock.authorizer.dry.run=true.",
        )
    if wanted is not None:
        everywhere = Resource(ResourceType.BROKER, "")
        with cluster.doing(f"set {DRY_RUN}") as client:
            client.alter_configs({everywhere: [(DRY_RUN, Change.SET, str(wanted).lower())]}).all()
    is_on = settings.is_dry_run if wanted is None else wanted
    if as_json:
        print_json({"dry_run": is_on})
    elif is_on:
        click.echo("dry run: nobody is denied anything; brokers log and count what rules would deny")
    else:
        click.echo("no dry run: what rules deny is denied")
