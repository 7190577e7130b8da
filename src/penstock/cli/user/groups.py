"""`penstock user groups`."""

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.exits import Failure
from penstock.cli.output import json_option, note, print_json
from penstock.cli.printable import printable
from penstock.cli.user.credentials import groups_of, put_groups, require


@click.command(no_args_is_help=True)
@click.argument("name")
@click.option("--add", "added", multiple=True, metavar="GROUP", help="Put them into this group; repeatable.")
@click.option("--remove", "removed", multiple=True, metavar="GROUP", help="Take them out of this one; repeatable.")
@client_options
@json_option
def groups(name: str, added: tuple[str, ...], removed: tuple[str, ...], cluster: Cluster, as_json: bool) -> None:
    """Show which groups a user is in, and change that. Rules for Group:NAME act for whoever is in it.

    Whoever is logged in has the new groups with the next login.

    \b
    penstock user groups alice --add ops
    penstock acl add Group:ops --consumer --topic orders --group reports
    """
    require(cluster, name)
    found = groups_of(cluster, [name]).get(name, [])
    if missing := sorted(set(removed) - set(found)):
        raise Failure(f"{name} is not in {', '.join(missing)}")
    wanted = [group for group in dict.fromkeys([*found, *added]) if group not in removed]
    if wanted != found:
        put_groups(cluster, name, wanted)
    if as_json:
        print_json({"user": name, "groups": wanted})
    elif wanted:
        for group in wanted:
            click.echo(printable(group))
    else:
        note(f"{name} is in no group")
