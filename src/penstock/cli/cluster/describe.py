"""`penstock cluster describe`: who is there, who leads and keeps how much, and what is not as it should be."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.cluster.etcd_health import etcd_health
from penstock.cli.cluster.planning.facts import PartitionFacts
from penstock.cli.cluster.reading import Disks, described, disks, partitions
from penstock.cli.cluster.settings import CLUSTER_NAME, ETCD_ENDPOINTS, broker_settings
from penstock.cli.cluster.words import bytes_text
from penstock.cli.exits import ExitCode, Failure
from penstock.cli.output import json_option, note, print_json, print_table
from penstock.client import ClusterInfo
from penstock.model.words import counted

TROUBLES_SHOWN = 20


@click.command()
@client_options
@json_option
def describe(cluster: Cluster, as_json: bool) -> ExitCode:
    """Show the brokers with what each leads and keeps, the controller, and partitions that lack something.

    Exit code 1 when a partition has no leader or too few replicas in sync, for scripts that wait, and when a broker
    did not tell what it keeps.
    """
    there = described(cluster, with_fenced=True)
    found = partitions(cluster)
    folders = disks(cluster)
    page: dict[str, Any] = {
        "cluster_id": there.cluster_id,
        "controller": there.controller_id,
        "brokers": broker_rows(there, found, folders),
        "topics": len({each.topic for each in found}),
        "partitions": len(found),
        **troubles(found),
        "etcd": _etcd(cluster, there),
    }
    if as_json:
        print_json(page)
    else:
        _print(page)
    for broker, problem in folders.problems.items():
        note(f"broker {broker} did not tell all of its sizes: {problem}")
    return ExitCode.FAILED if page["leaderless"] or page["under_replicated"] or folders.problems else ExitCode.OK


def broker_rows(there: ClusterInfo, found: Sequence[PartitionFacts], folders: Disks) -> list[dict[str, object]]:
    """One for each broker that is there, that belongs to the cluster, or that keeps a replica."""
    leads = Counter(each.leader for each in found)
    should_lead = Counter(each.replicas[0] for each in found if each.replicas)
    keeps = Counter(broker for each in found for broker in each.replicas)
    in_sync = Counter(broker for each in found for broker in each.in_sync)
    rows: list[dict[str, object]] = []
    for broker in sorted(there.brokers.keys() | keeps.keys()):
        known = there.brokers.get(broker)
        kept = folders.folders.get(broker, [])
        sizes = [part.partition_size for f in kept for t in f.topics for part in t.partitions]
        free = [folder.usable_bytes for folder in kept if folder.usable_bytes >= 0]
        rows.append(
            {
                "broker": broker,
                "state": "away" if known is None or broker in there.fenced else "alive",
                "address": None if known is None else f"{known.host}:{known.port}",
                "rack": None if known is None else known.rack,
                "leads": leads[broker],
                "should_lead": should_lead[broker],
                "replicas": keeps[broker],
                "in_sync": in_sync[broker],
                "bytes": sum(sizes) if broker in folders.folders and broker not in folders.problems else None,
                "free_bytes": min(free, default=None),
            }
        )
    return rows


def troubles(found: Sequence[PartitionFacts]) -> dict[str, list[str]]:
    """Names of partitions by what they lack."""
    return {
        "leaderless": [each.name for each in found if each.leader < 0],
        "under_replicated": [each.name for each in found if set(each.replicas) - set(each.adding) - set(each.in_sync)],
        "led_by_another": [each.name for each in found if each.replicas and each.leader not in (-1, each.replicas[0])],
        "moving": [each.name for each in found if each.is_moving],
    }


def _etcd(cluster: Cluster, there: ClusterInfo) -> dict[str, object] | None:
    """None where a cluster says nothing of an etcd."""
    try:
        alive = min(there.brokers.keys() - there.fenced)
        told = broker_settings(cluster, alive, ETCD_ENDPOINTS, CLUSTER_NAME)
    except (Failure, ValueError):
        return None
    if not told.get(ETCD_ENDPOINTS):
        return None
    return {"name": told.get(CLUSTER_NAME), "endpoints": etcd_health(told[ETCD_ENDPOINTS])}


def _print(page: dict[str, Any]) -> None:
    click.echo(f"cluster {page['cluster_id']}, controller {page['controller']}")
    click.echo(f"{counted(page['topics'], 'topic')}, {counted(page['partitions'], 'partition')}\n")
    columns = ["broker", "state", "address", "rack", "leads", "should lead", "replicas", "in sync", "bytes", "free"]
    print_table(
        columns,
        [
            [*(row[name.replace(" ", "_")] for name in columns[:-2]), _size(row["bytes"]), _size(row["free_bytes"])]
            for row in page["brokers"]
        ],
    )
    if page["etcd"] is not None:
        click.echo("")
        print_table(["etcd", "state"], list(page["etcd"]["endpoints"].items()))
    click.echo("")
    for words, names, what_to_do in (
        ("without a leader", page["leaderless"], "every replica that may lead is down"),
        ("with replicas not in sync", page["under_replicated"], "a broker is down or catching up"),
        ("led by another than should", page["led_by_another"], "`penstock cluster balance-leaders`"),
        ("moving", page["moving"], "`penstock cluster reassign` shows them"),
    ):
        if names:
            more = "" if len(names) <= TROUBLES_SHOWN else f" and {len(names) - TROUBLES_SHOWN} more"
            click.echo(f"{len(names)} {words} ({what_to_do}): {', '.join(names[:TROUBLES_SHOWN])}{more}")
    if not (page["leaderless"] or page["under_replicated"]):
        click.echo("every partition has a leader and all its replicas in sync")


def _size(count: object) -> str | None:
    return bytes_text(count) if isinstance(count, int) else None
