"""`penstock cluster reassign`: moves by hand or from a file, what is under way, and calling it off."""

from collections.abc import Mapping
from pathlib import Path

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.cluster.flow import PlanOptions, carry_out, plan_options
from penstock.cli.cluster.plan_files import parse_assignments, read_plan
from penstock.cli.cluster.planning import ClusterFacts, moves_between
from penstock.cli.cluster.planning.facts import Key, Replicas
from penstock.cli.cluster.reading import facts, ongoing
from penstock.cli.cluster.running import assign
from penstock.cli.cluster.throttling import unthrottle
from penstock.cli.exits import ExitCode, Failure, NotFound
from penstock.cli.output import note, print_json, print_table
from penstock.model.words import counted
from penstock.wire.messages.list_partition_reassignments_response import OngoingPartitionReassignment


@click.command()
@click.argument("assignments", nargs=-1, metavar="[TOPIC:PARTITION=BROKERS]...")
@click.option("--file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="A plan in the JSON of "
              "Kafka's reassignment tool, or as --save wrote it.")  # fmt: skip
@click.option("--cancel", is_flag=True, help="Call off what is under way: partitions keep the replicas they had.")
@plan_options
@client_options
def reassign(
    assignments: tuple[str, ...], file: Path | None, cancel: bool, wishes: PlanOptions, cluster: Cluster
) -> ExitCode:
    """Move partitions to the brokers you name; the first one named should lead. Without any, show what is moving.

    \b
    penstock cluster reassign                                 what is under way
    penstock cluster reassign orders:0=2,3,1 orders:1=3,1,2   show what would move
    penstock cluster reassign --file plan.json --yes          do what a file says
    penstock cluster reassign --cancel --yes                  call off what is not finished
    """
    if cancel:
        return _cancel(cluster, wishes)
    wanted = dict(parse_assignments(assignments)) | ({} if file is None else read_plan(file))
    if not wanted:
        return _show_ongoing(cluster, wishes)
    now = facts(cluster, sorted({topic for topic, _ in wanted}))
    _require_known(now, wanted)
    moving = [each.key for each in now.partitions if each.is_moving and each.replicas == wanted.get(each.key)]
    again = "the same command"
    return carry_out(cluster, moves_between(now, wanted), wishes, under_way=moving, again=again)


def _require_known(now: ClusterFacts, wanted: dict[Key, Replicas]) -> None:
    known = {each.key for each in now.partitions}
    if missing := sorted(wanted.keys() - known):
        topic, index = missing[0]
        raise NotFound(f"there is no partition {index} of {topic}")
    strangers = {broker for replicas in wanted.values() for broker in replicas} - now.brokers.keys()
    if strangers:
        raise Failure(f"broker {min(strangers)} is not there; there are {', '.join(map(str, sorted(now.brokers)))}")


def _show_ongoing(cluster: Cluster, wishes: PlanOptions) -> ExitCode:
    rows = _rows(ongoing(cluster))
    if wishes.as_json:
        print_json(rows)
    elif rows:
        print_table(
            ["partition", "replicas", "adding", "removing"],
            [[row["partition"], *(_ids(row[name]) for name in ("replicas", "adding", "removing"))] for row in rows],
        )
    else:
        note("nothing is moving")
    return ExitCode.OK


def _rows(moving: Mapping[Key, OngoingPartitionReassignment]) -> list[dict[str, object]]:
    return [
        {
            "partition": f"{topic}-{index}",
            "replicas": move.replicas,
            "adding": move.adding_replicas,
            "removing": move.removing_replicas,
        }
        for (topic, index), move in sorted(moving.items())
    ]


def _cancel(cluster: Cluster, wishes: PlanOptions) -> ExitCode:
    moving = ongoing(cluster)
    if not wishes.yes:
        _show_ongoing(cluster, wishes)
        note("nothing was changed: --yes calls it off" if moving else "there is nothing to call off")
        return ExitCode.OK
    refused = assign(cluster, dict.fromkeys(moving)) if moving else {}
    unthrottle(cluster, {topic for topic, _ in moving})
    if refused:
        raise Failure("\n  ".join(f"{topic}-{index}: {reason}" for (topic, index), reason in sorted(refused.items())))
    if wishes.as_json:
        print_json(_rows(moving))
    note(f"called off: {counted(len(moving), 'partition')}")
    return ExitCode.OK


def _ids(brokers: object) -> str:
    assert isinstance(brokers, list)
    return ",".join(str(broker) for broker in brokers) or "-"
