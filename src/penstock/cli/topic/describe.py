"""`penstock topic describe`: where a topic's partitions are, what offsets they hold, and how it is set."""

from typing import Any

import click

from penstock.cli.client import Cluster, client_options, topic_missing
from penstock.cli.output import json_option, print_json, print_table
from penstock.cli.topic.facts import SettingFact, topic_settings
from penstock.cli.topic.offsets import PartitionRange, offsets_unknown, partition_ranges
from penstock.client import TopicInfo
from penstock.model import TopicId, topic_id_text


@click.command(no_args_is_help=True)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--all-settings", is_flag=True, help="Show settings at their defaults too.")
@client_options
@json_option
def describe(names: tuple[str, ...], all_settings: bool, cluster: Cluster, as_json: bool) -> None:
    """Show a topic's partitions (leader, replicas, in-sync, offsets) and the settings that differ from the default.

    Exit code 1 when a partition does not tell its offsets; the rest is shown.
    """
    with cluster.doing("list topics") as client:
        known = client.list_topics()
    for name in names:
        if name not in known:
            raise topic_missing(name, known)
    documents = _gather(cluster, [known[name] for name in dict.fromkeys(names)], all_settings=all_settings)
    if as_json:
        print_json(documents)
    else:
        for index, document in enumerate(documents):
            if index:
                click.echo()
            _print(document, all_settings=all_settings)
    unknown = {
        (document["topic"], each["partition"]): each["problem"]
        for document in documents
        for each in document["partitions"]
        if each["records"] is None
    }
    if unknown:
        raise offsets_unknown(unknown, cluster)


def _gather(cluster: Cluster, topics: list[TopicInfo], *, all_settings: bool) -> list[dict[str, Any]]:
    ranges = partition_ranges(cluster, [(topic.name, index) for topic in topics for index in topic.partitions])
    settings = topic_settings(cluster, [topic.name for topic in topics])
    return [
        _document(topic, ranges, [s for s in settings[topic.name] if all_settings or not s.is_default])
        for topic in topics
    ]


def _document(
    topic: TopicInfo, ranges: dict[tuple[str, int], PartitionRange], settings: list[SettingFact]
) -> dict[str, Any]:
    partitions = []
    for partition in topic.partitions.values():
        offsets = ranges[topic.name, partition.index]
        partitions.append(
            {
                "partition": partition.index,
                "leader": None if partition.leader < 0 else partition.leader,
                "replicas": list(partition.replicas),
                "in_sync": list(partition.in_sync),
                "begin": offsets.begin,
                "end": offsets.end,
                "records": offsets.count,
                "problem": offsets.problem,
            }
        )
    return {
        "topic": topic.name,
        "topic_id": topic_id_text(TopicId(topic.id)),
        "internal": topic.is_internal,
        "partitions": partitions,
        "settings": [{"name": s.name, "value": s.value, "source": s.source} for s in settings],
    }


def _print(document: dict[str, Any], *, all_settings: bool) -> None:
    internal = ", internal" if document["internal"] else ""
    click.echo(f"{document['topic']}  (id {document['topic_id']}{internal})\n")
    print_table(
        ["partition", "leader", "replicas", "in sync", "begin", "end", "records"],
        [
            [p["partition"], p["leader"], _ids(p["replicas"]), _ids(p["in_sync"]), p["begin"], p["end"], p["records"]]
            for p in document["partitions"]
        ],
    )
    click.echo()
    if document["settings"]:
        print_table(["setting", "value", "from"], [[s["name"], s["value"], s["source"]] for s in document["settings"]])
    elif not all_settings:
        click.echo("every setting is at its default (--all-settings shows them)")


def _ids(ids: list[int]) -> str:
    return ",".join(map(str, ids))
