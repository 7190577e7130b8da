"""What coordinators and partition leaders tell of transactions."""

from collections.abc import Iterator, Sequence

import msgspec

from penstock.cli.asking import Brokers, require_ok
from penstock.cli.exits import Failure, NotFound
from penstock.errors import LeaderNotAvailable, TransactionalIdNotFound, UnknownTopicOrPartition
from penstock.wire.messages.describe_producers_request import DescribeProducersRequest, TopicRequest
from penstock.wire.messages.describe_producers_response import DescribeProducersResponse
from penstock.wire.messages.describe_transactions_request import DescribeTransactionsRequest
from penstock.wire.messages.describe_transactions_response import DescribeTransactionsResponse, TransactionState
from penstock.wire.messages.list_transactions_request import ListTransactionsRequest
from penstock.wire.messages.list_transactions_response import ListTransactionsResponse

TRANSACTION = 1
"""The kind of coordinator that FindCoordinator is asked for."""

STATE_TOPIC = "__transaction_state"
DURATIONS_FROM, PATTERNS_FROM = 1, 2
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
    brokers: Brokers,
    *,
    states: Sequence[str] = (),
    producer_ids: Sequence[int] = (),
    open_for_ms: int = -1,
    pattern: str | None = None,
) -> list[Listed]:
    """Every transactional id, by name; Failure where some are kept on partitions that nobody leads."""
    leaderless = [
        f"{STATE_TOPIC}-{partition.partition_index}"
        for topic in brokers.topics([STATE_TOPIC]).topics
        for partition in topic.partitions
        if partition.leader_id < 0
    ]
    if leaderless:
        raise Failure(
            f"could not list all transactions: nobody leads {', '.join(leaderless)}, where some are kept",
            hint="`penstock cluster describe` shows which brokers are away.",
        )
    request = ListTransactionsRequest(list(states), list(producer_ids), open_for_ms, pattern)
    version_min = PATTERNS_FROM if pattern is not None else DURATIONS_FROM if open_for_ms >= 0 else 0
    found = []
    for broker in brokers.ids():
        answer = brokers.at(broker).ask(request, ListTransactionsResponse, version_min=version_min)
        require_ok(answer.error_code, None, doing=f"list the transactions of broker {broker}")
        found += [
            Listed(each.transactional_id, each.transaction_state, each.producer_id, broker)
            for each in answer.transaction_states
        ]
    return sorted(found, key=lambda each: each.transactional_id)


def described(brokers: Brokers, transactional_id: str) -> tuple[int, TransactionState]:
    """The coordinator of a transactional id, and what it says."""
    coordinator = brokers.coordinator(transactional_id, key_type=TRANSACTION)
    request = DescribeTransactionsRequest([transactional_id])
    (state,) = brokers.at(coordinator).ask(request, DescribeTransactionsResponse).transaction_states
    if state.error_code == TransactionalIdNotFound.code:
        raise NotFound(
            f"there is no transactional id {transactional_id!r}", hint="`penstock txn list` shows what exists."
        )
    require_ok(state.error_code, None, doing=f"describe {transactional_id}")
    return coordinator, state


def open_transactions(
    brokers: Brokers, topics: list[str] | None, *, only: int | None = None
) -> Iterator[OpenTransaction]:
    """What is open on partitions (on one of them, if `only` is given), of these topics or of all."""
    led: dict[int, dict[str, list[int]]] = {}
    leaderless: list[str] = []
    for topic in brokers.topics(topics).topics:
        name = topic.name or ""
        if topic.error_code == UnknownTopicOrPartition.code:
            raise NotFound(f"there is no topic {name!r}", hint="`penstock topic list` shows what exists.")
        for partition in topic.partitions:
            if only is not None and partition.partition_index != only:
                continue
            if partition.error_code != LeaderNotAvailable.code and partition.leader_id >= 0:
                led.setdefault(partition.leader_id, {}).setdefault(name, []).append(partition.partition_index)
            else:
                leaderless.append(f"{name}-{partition.partition_index}")
    if leaderless:
        raise Failure(
            f"could not see what is open on {', '.join(leaderless)}: nobody leads there",
            hint="`penstock cluster describe` shows which brokers are away; --topic looks at other topics.",
        )
    for leader, partitions in sorted(led.items()):
        request = DescribeProducersRequest([TopicRequest(name, indexes) for name, indexes in partitions.items()])
        yield from _open_at(leader, brokers.at(leader).ask(request, DescribeProducersResponse))


def _open_at(leader: int, answer: DescribeProducersResponse) -> Iterator[OpenTransaction]:
    for topic in answer.topics:
        for partition in topic.partitions:
            place = f"{topic.name}-{partition.partition_index}"
            require_ok(partition.error_code, partition.error_message, doing=f"see the producers of {place}")
            for producer in partition.active_producers:
                if producer.current_txn_start_offset >= 0:
                    yield OpenTransaction(
                        topic=topic.name,
                        partition=partition.partition_index,
                        leader=leader,
                        producer_id=producer.producer_id,
                        producer_epoch=producer.producer_epoch,
                        coordinator_epoch=producer.coordinator_epoch,
                        first_offset=producer.current_txn_start_offset,
                        last_timestamp=producer.last_timestamp,
                    )
