"""`penstock group lag`: how far groups are behind."""

import json
import sys
import time
from typing import Any

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.group.behind import PartitionLag, partition_lags, total_records, total_seconds, unknown_lags
from penstock.cli.group.facts import existing_groups, find_groups, list_groups
from penstock.cli.output import json_option, note, print_json, print_table


@click.command()
@click.argument("names", nargs=-1, metavar="[GROUP]...")
@click.option("--total", "totals_only", is_flag=True, help="One line a group, without its partitions.")
@click.option("-w", "--watch", is_flag=True, help="Show it again and again, until Ctrl-C.")
@click.option("--every", "interval_s", type=click.FloatRange(min=0.1), default=2.0, show_default=True,
              metavar="SECONDS", help="How often, with --watch.")  # fmt: skip
@client_options
@json_option
def lag(
    names: tuple[str, ...], totals_only: bool, watch: bool, interval_s: float, cluster: Cluster, as_json: bool
) -> None:
    """Show how far groups are behind: all of them unless some are named.

    \b
    records  end of the partition minus committed offset (what transactions and compaction left out counts too)
    seconds  age of the oldest record that is not yet read, by the record's timestamp; 0 when all is read
    -        not known: nothing committed, the partition does not answer, or its records have no timestamps

    A group's total is the sum of its records, and the seconds of its latest partition. Where a partition does not
    answer, it is named, the total is not known, and the exit code is 1.
    """
    while True:
        lags = _measure(cluster, names)
        if as_json:
            documents = [_document(name, of_group, totals_only=totals_only) for name, of_group in lags.items()]
            # A document a line where there will be many.
            click.echo(json.dumps(documents, ensure_ascii=False)) if watch else print_json(documents)
        else:
            if watch and sys.stdout.isatty():
                click.clear()
            _print(lags, totals_only=totals_only)
        sys.stdout.flush()
        problem = unknown_lags(lags, cluster)
        if problem is not None and watch:
            problem.show()
        elif problem is not None:
            raise problem
        if not watch:
            return
        time.sleep(interval_s)


def _measure(cluster: Cluster, names: tuple[str, ...]) -> dict[str, list[PartitionLag]]:
    if names:
        groups = existing_groups(cluster, names)
    else:
        listed = [each.name for each in list_groups(cluster)]
        # One may have gone since.
        groups = [each for each in find_groups(cluster, listed).values() if each is not None]
    return partition_lags(cluster, groups, in_seconds=True)


def _document(name: str, lags: list[PartitionLag], *, totals_only: bool) -> dict[str, Any]:
    seconds = total_seconds(lags)
    totals = {
        "group": name,
        "lag_records": total_records(lags),
        "lag_seconds": None if seconds is None else round(seconds, 3),
    }
    return totals if totals_only else totals | {"partitions": [each.document() for each in lags]}


def _print(lags: dict[str, list[PartitionLag]], *, totals_only: bool) -> None:
    if not lags:
        note("no groups yet; a consumer that subscribes with a group.id makes one")
    elif totals_only:
        print_table(
            ["group", "records", "seconds"],
            [[name, total_records(each), _seconds(total_seconds(each))] for name, each in lags.items()],
        )
    else:
        rows = [row for name, of_group in lags.items() for row in _rows(name, of_group)]
        print_table(["group", "topic", "partition", "committed", "end", "records", "seconds", "client"], rows)


def _rows(name: str, lags: list[PartitionLag]) -> list[list[object]]:
    partitions: list[list[object]] = [
        [name, each.topic, each.partition, each.committed, each.end, each.records, _seconds(each.seconds),
         each.member.client_id if each.member else None]
        for each in lags
    ]  # fmt: skip
    total: list[object] = [name, "total", None, None, None, total_records(lags), _seconds(total_seconds(lags)), None]
    return [*partitions, total]


def _seconds(seconds: float | None) -> str | None:
    return None if seconds is None else f"{seconds:.1f}" if seconds < 10 else f"{seconds:.0f}"
