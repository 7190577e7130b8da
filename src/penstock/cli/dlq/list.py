"""`penstock dlq list`."""

from dataclasses import dataclass, field
from typing import Final

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.dlq.letters import ends
from penstock.cli.output import json_option, note, print_json, print_table
from penstock.cli.share.facts import list_share_groups
from penstock.cli.topic.facts import topic_settings
from penstock.client import OffsetSpec, Resource, ResourceType, place
from penstock.settings.group import ERRORS_DEADLETTERQUEUE_TOPIC_NAME
from penstock.settings.topic import ERRORS_DEADLETTERQUEUE_GROUP_ENABLE

_ENABLE: Final = ERRORS_DEADLETTERQUEUE_GROUP_ENABLE.name
_NAME: Final = ERRORS_DEADLETTERQUEUE_TOPIC_NAME.name


@dataclass
class DeadLetterTopic:
    name: str
    partitions: int = 0
    letters: int = 0
    """From the beginning of each partition to its end."""
    is_enabled: bool = False
    groups: list[str] = field(default_factory=list)


@click.command("list")
@client_options
@json_option
def list_topics(cluster: Cluster, as_json: bool) -> None:
    """List topics that dead letters are written to, and those that groups name and that are not there."""
    found = sorted(_topics(cluster), key=lambda each: each.name)
    if as_json:
        print_json([each.__dict__ for each in found])
        return
    if not found:
        note(f"no topic has {_ENABLE}=true, and no group names one")
        return
    rows = [[each.name, each.partitions, each.letters, _state(each), ", ".join(each.groups)] for each in found]
    print_table(["topic", "partitions", "letters", "state", "groups"], rows)


def _state(topic: DeadLetterTopic) -> str:
    if not topic.partitions:
        return "missing"
    return "ok" if topic.is_enabled else f"held: {_ENABLE} is false"


def _topics(cluster: Cluster) -> list[DeadLetterTopic]:
    with cluster.doing("list topics") as client:
        names = sorted(client.list_topics())
    named = _named_by_groups(cluster)
    topics: dict[str, DeadLetterTopic] = {}
    for name, settings in topic_settings(cluster, names).items() if names else ():
        is_enabled = any(each.name == _ENABLE and each.value == "true" for each in settings)
        if is_enabled or name in named:
            topics[name] = DeadLetterTopic(name, is_enabled=is_enabled)
    for name, groups in named.items():
        topics.setdefault(name, DeadLetterTopic(name)).groups = sorted(groups)
    there = [each for each in topics.values() if each.name in names]
    with cluster.doing("find where topics end") as client:
        client.run(client.core.need_topics([each.name for each in there]))
        for each in there:
            places = [place(each.name, index) for index in client.core.metadata.topics[each.name].partitions]
            begins, until = ends(client, places, OffsetSpec.EARLIEST), ends(client, places, OffsetSpec.LATEST)
            each.partitions, each.letters = len(places), sum(until[where] - begins[where] for where in places)
    return list(topics.values())


def _named_by_groups(cluster: Cluster) -> dict[str, list[str]]:
    """Dead-letter topics, with the share groups that name them."""
    groups = [each.name for each in list_share_groups(cluster)]
    named: dict[str, list[str]] = {}
    with cluster.doing("read the settings of share groups") as client:
        outcomes = client.describe_configs([Resource(ResourceType.GROUP, group) for group in groups]) if groups else {}
    for resource, outcome in outcomes.items():
        settings = cluster.value(outcome, doing=f"read the settings of {resource.name}")
        if _NAME in settings and settings[_NAME].value:
            named.setdefault(settings[_NAME].value or "", []).append(resource.name)
    return named
