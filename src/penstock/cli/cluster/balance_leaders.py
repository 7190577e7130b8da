"""`penstock cluster balance-leaders`: who should lead leads again, after brokers were away."""

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.cluster.electing import elect_preferred
from penstock.cli.cluster.reading import partitions
from penstock.cli.exits import ExitCode, Failure
from penstock.cli.output import json_option, note, print_json, print_table
from penstock.model.words import counted


@click.command()
@click.option("-t", "--topic", "topics", multiple=True, help="Only of this topic; repeatable.")
@click.option("-y", "--yes", is_flag=True, help="Do it. Without, what would be done is shown and nothing changed.")
@client_options
@json_option
def balance_leaders(topics: tuple[str, ...], yes: bool, cluster: Cluster, as_json: bool) -> ExitCode:
    """Let the replica that is named first lead each partition, where it is in sync. No record is copied.

    Brokers do this by themselves every few minutes (auto.leader.rebalance.enable); this does it now. Where the first
    replicas are themselves uneven, `penstock cluster rebalance` changes who is first.
    """
    found = [each for each in partitions(cluster, list(topics) or None) if each.leader != each.replicas[0]]
    ready = [each for each in found if each.replicas[0] in each.in_sync]
    behind = [each for each in found if each.replicas[0] not in each.in_sync]
    rows = [{"partition": each.name, "leader": each.leader, "then": each.replicas[0]} for each in ready]
    if as_json:
        print_json(rows)
    elif rows:
        print_table(["partition", "leader", "then"], [list(row.values()) for row in rows])
    if behind:
        note(f"{len(behind)} partitions wait until the replica that should lead is in sync")
    if not ready:
        note("every partition that can be is led by the replica that should lead it")
        return ExitCode.OK
    if not yes:
        note("nothing was changed: --yes does it")
        return ExitCode.OK
    refused = elect_preferred(cluster, [each.key for each in ready])
    if refused:
        lines = [f"{topic}-{index}: {reason}" for (topic, index), reason in sorted(refused.items())]
        raise Failure(f"{len(refused)} of {len(ready)} leaders did not change", hint="\n".join(lines[:10]))
    note(f"done: {counted(len(ready), 'partition')}")
    return ExitCode.OK
