"""`penstock topic alter`: change or take back settings of a topic."""

import click

from penstock.cli.client import Cluster, client_options, key_values, topic_missing
from penstock.cli.exits import ExitCode
from penstock.cli.kafka_names import AlterConfigOpType, ConfigEntry, ConfigResource, ResourceType
from penstock.cli.output import json_option
from penstock.cli.topic.outcomes import settle


@click.command(no_args_is_help=True)
@click.argument("name")
@click.option("-s", "--setting", "pairs", multiple=True, metavar="NAME=VALUE", help="Set this; repeatable.")
@click.option("-u", "--unset", "unset", multiple=True, metavar="NAME", help="Back to the default; repeatable.")
@click.option("--validate-only", is_flag=True, help="Ask whether it would be done, without doing it.")
@client_options
@json_option
def alter(
    *,
    name: str,
    pairs: tuple[str, ...],
    unset: tuple[str, ...],
    validate_only: bool,
    cluster: Cluster,
    as_json: bool,
) -> ExitCode:
    """Change a topic's settings; those not named stay as they are.

    \b
    penstock topic alter orders -s retention.ms=86400000 --unset cleanup.policy
    """
    settings = key_values(pairs, option="--setting")
    if not settings and not unset:
        raise click.UsageError("nothing to do: give --setting NAME=VALUE or --unset NAME")
    if both := settings.keys() & set(unset):
        raise click.UsageError(f"{', '.join(sorted(both))}: set or unset, not both")
    admin = cluster.admin()
    metadata = cluster.reach(admin)
    if name not in metadata.topics:
        raise topic_missing(name, metadata)
    changes = [_change(setting, value, AlterConfigOpType.SET) for setting, value in settings.items()]
    changes += [_change(setting, None, AlterConfigOpType.DELETE) for setting in unset]
    resource = ConfigResource(ResourceType.TOPIC, name, incremental_configs=changes)
    futures = admin.incremental_alter_configs(
        [resource], validate_only=validate_only, request_timeout=cluster.timeout_s
    )
    done = "would alter" if validate_only else "altered"
    return settle({name: futures[resource]}, cluster, verb="alter", done=done, as_json=as_json)


def _change(setting: str, value: str | None, operation: AlterConfigOpType) -> ConfigEntry:
    return ConfigEntry(setting, value, incremental_operation=operation)
