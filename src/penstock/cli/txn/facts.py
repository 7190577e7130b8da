"""What coordinators and partition leaders tell of transactions."""

from collections.abc import Iterator, Sequence

import msgspec

from penstock.cli.client import Cluster
from penstock.cli.exits import Failure, NotFound
from penstock.cli.group.facts import partitions_without_leader
from penstock.client import Node, place
from penstock.errors import TransactionalIdNotFound, UnknownTopicOrPartition
from penstock.wire.messages.describe_transactions_response import TransactionState

STATE_TOPIC = "__transaction_state"
OPEN_STATES = ("Ongoing", "PrepareCommit", "PrepareAbort")


class Listed(msgspec.Struct, frozen=True):
    transactional_id: str
    state: str
    producer_id: int
    coordinator: int


class OpenTransaction(msgspec.Struct, frozen=True):
    """As the leader of one partition sees it."""

    topic: str
    partition: int
    leader: int
    producer_id: int
    producer_epoch: int
    coordinator_epoch: int
    first_offset: int
    last_timestamp: int


def listed(
    cluster: Cluster,
    *,
    states: Sequence[str] = (),
    producer_ids: Sequence[int] = (),
    open_for_ms: int = -1,
    pattern: str | None = None,
) -> list[Listed]:
    """Every transactional id, by name; Failure where some are kept on partitions that nobody leads."""
    client = cluster.client()
    leaderless = partitions_without_leader(client.describe_topics([STATE_TOPIC]).done.get(STATE_TOPIC))
    if leaderless:
        raise Failure(
            f"could not list all transactions: nobody leads {', '.join(leaderless)}, where some are kept",
            hint="`penstock cluster describe` shows which brokers are away.",
        )
    with cluster.doing("list transactions"):
        answers = client.list_transactions(
            states=states, producer_ids=producer_ids, longer_than_ms=open_for_ms, pattern=pattern
        )
    found = [
        Listed(each.transactional_id, each.transaction_state, each.producer_id, broker)
        for broker, answer in answers.items()
        for each in cluster.value(answer, doing=f"list the transactions of broker {broker}")
    ]
    return sorted(found, key=lambda each: each.transactional_id)


def described(cluster: Cluster, transactional_id: str) -> tuple[Node, TransactionState]:
    """The coordinator of a transactional id, and what it says."""
    client = cluster.client()
    state = client.describe_transactions([transactional_id])[transactional_id]
    if isinstance(state, TransactionalIdNotFound):
        raise NotFound(
            f"there is no transactional id {transactional_id!r}", hint="`penstock txn list` shows what exists."
        )
    doing = f"describe {transactional_id}"
    known = cluster.value(state, doing=doing)
    found = client.find_coordinators([transactional_id], transactional=True)[transactional_id]
    return cluster.value(found, doing=doing), known


def open_transactions(
    cluster: Cluster, topics: list[str] | None, *, only: int | None = None
) -> Iterator[OpenTransaction]:
    """What is open on partitions (on one of them, if `only` is given), of these topics or of all."""
    led: dict[tuple[str, int], int] = {}
    leaderless: list[str] = []
    with cluster.doing("describe topics") as client:
        known = client.list_topics() if topics is None else client.describe_topics(topics)
    for name, outcome in known.items():
        if isinstance(outcome, UnknownTopicOrPartition):
            raise NotFound(f"there is no topic {name!r}", hint="`penstock topic list` shows what exists.")
        for each in cluster.value(outcome, doing=f"describe {name}").partitions.values():
            if only is not None and each.index != only:
                continue
            if each.leader >= 0:
                led[name, each.index] = each.leader
            else:
                leaderless.append(f"{name}-{each.index}")
    if leaderless:
        raise Failure(
            f"could not see what is open on {', '.join(leaderless)}: nobody leads there",
            hint="`penstock cluster describe` shows which brokers are away; --topic looks at other topics.",
        )
    for where, producers in client.describe_producers([place(*each) for each in led]).items():
        for producer in cluster.value(producers, doing=f"see the producers of {where}"):
            if producer.current_txn_start_offset >= 0:
                yield OpenTransaction(
                    topic=where.topic,
                    partition=where.partition,
                    leader=led[where],
                    producer_id=producer.producer_id,
                    producer_epoch=producer.producer_epoch,
                    coordinator_epoch=producer.coordinator_epoch,
                    first_offset=producer.current_txn_start_offset,
                    last_timestamp=producer.last_timestamp,
                )
