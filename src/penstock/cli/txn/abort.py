"""`penstock txn abort`: end a transaction whose producer is gone or stuck, after showing what that means."""

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.exits import ExitCode, Failure, NotFound
from penstock.cli.output import json_option, note, print_json
from penstock.cli.printable import printable
from penstock.cli.txn.facts import OPEN_STATES, OpenTransaction, described, open_transactions
from penstock.client import place
from penstock.errors import ConcurrentTransactions


@click.command(no_args_is_help=True)
@click.argument("transactional_id", required=False)
@click.option("-t", "--topic", help="A transaction that hangs: the topic it is open on.")
@click.option("--partition", type=click.IntRange(min=0), help="The partition.")
@click.option("--offset", type=click.IntRange(min=0), help="The offset at which it began there.")
@click.option("-y", "--yes", is_flag=True, help="Do it. Without, what would be done is shown and nothing changed.")
@client_options
@json_option
def abort(
    transactional_id: str | None,
    topic: str | None,
    partition: int | None,
    offset: int | None,
    yes: bool,
    cluster: Cluster,
    as_json: bool,
) -> ExitCode:
    """Abort the open transaction of TRANSACTIONAL_ID and fence its producer, which then must begin anew.

    With --topic, --partition and --offset: end a transaction that hangs on a partition, as `penstock txn hanging`
    lists them. Never do that to one that its producer may still commit: half of it would be visible.

    \b
    penstock txn abort billing-7                                       show what would be aborted
    penstock txn abort billing-7 --yes                                 do it
    penstock txn abort --topic orders --partition 3 --offset 1042 --yes
    """
    if transactional_id is not None and topic is None:
        done = _abort_id(cluster, transactional_id, yes=yes)
    elif transactional_id is None and topic is not None and partition is not None and offset is not None:
        done = _abort_hanging(cluster, topic, partition, offset, yes=yes)
    else:
        raise click.UsageError("name a TRANSACTIONAL_ID, or --topic, --partition and --offset")
    if as_json:
        print_json({"what": done, "done": yes})
    else:
        click.echo(printable(f"aborted {done}" if yes else f"would abort {done}"))
        if not yes:
            note("nothing was changed: --yes does it")
    return ExitCode.OK


def _abort_id(cluster: Cluster, transactional_id: str, *, yes: bool) -> str:
    """A new producer under the same id fences the old one, and ends what it left open."""
    _, state = described(cluster, transactional_id)
    if state.transaction_state not in OPEN_STATES:
        raise Failure(f"{transactional_id} has no open transaction: it is {state.transaction_state}")
    places = [f"{topic.topic}-{index}" for topic in state.topics for index in sorted(topic.partitions)]
    if yes:
        _fence(cluster, transactional_id, state.transaction_timeout_ms)
    return f"the transaction of {transactional_id} (producer {state.producer_id}) on {', '.join(places) or 'nothing'}"


def _fence(cluster: Cluster, transactional_id: str, timeout_ms: int) -> None:
    fenced = cluster.client().fence_producers([transactional_id], transaction_timeout_ms=timeout_ms)
    # The abort has begun and goes on by itself: that its markers are still being written is no failure.
    if not isinstance(fenced[transactional_id], ConcurrentTransactions):
        cluster.value(fenced[transactional_id], doing=f"abort the transaction of {transactional_id}")


def _abort_hanging(cluster: Cluster, topic: str, partition: int, offset: int, *, yes: bool) -> str:
    found = next(
        (each for each in open_transactions(cluster, [topic], only=partition) if each.first_offset == offset),
        None,
    )
    if found is None:
        raise NotFound(
            f"no open transaction of {topic}-{partition} begins at offset {offset}",
            hint="`penstock txn hanging --open-for 0s` lists those that hang.",
        )
    if yes:
        _write_marker(cluster, found)
    return f"the transaction of producer {found.producer_id} on {topic}-{partition} from offset {offset}"


def _write_marker(cluster: Cluster, transaction: OpenTransaction) -> None:
    where = place(transaction.topic, transaction.partition)
    with cluster.doing(f"write the marker to {where}") as client:
        client.abort_transaction(
            where,
            producer_id=transaction.producer_id,
            producer_epoch=transaction.producer_epoch,
            coordinator_epoch=max(transaction.coordinator_epoch, 0),
        )
