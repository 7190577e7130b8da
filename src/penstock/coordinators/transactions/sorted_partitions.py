"""Partitions of transactions by topic and in order, as the log has them.

Every partition that is added writes the transaction whole, for that is Kafka's format. A transaction that grows by one
partition at a time would be sorted anew each time; large ones are remembered, and what is new is put in its place.
"""

from bisect import insort
from collections.abc import Sequence

from penstock.coordinators.transactions.state import Transaction
from penstock.model import TopicPartition
from penstock.wire.messages.transaction_log_value import PartitionsSchema

LARGE = 50
"""Partitions from which on it pays to remember."""
REMEMBERED_MAX = 32
"""Transactions; the one that was remembered first makes room."""

_Layout = tuple[frozenset[TopicPartition], dict[str, PartitionsSchema]]


class SortedPartitions:
    def __init__(self) -> None:
        self._remembered: dict[str, _Layout] = {}

    def of(self, transaction: Transaction) -> list[PartitionsSchema]:
        """To be encoded at once: what is remembered changes with the next call."""
        partitions = transaction.partitions
        if len(partitions) < LARGE:
            self._remembered.pop(transaction.transactional_id, None)
            return list(_laid_out(sorted(partitions)).values())
        known, topics = self._remembered.pop(transaction.transactional_id, (None, {}))
        if known is None or not known <= partitions:
            topics = _laid_out(sorted(partitions))
        elif len(known) < len(partitions):
            topics = _with(topics, sorted(partitions - known))
        if len(self._remembered) >= REMEMBERED_MAX:
            del self._remembered[next(iter(self._remembered))]
        self._remembered[transaction.transactional_id] = (partitions, topics)
        return list(topics.values())


def _laid_out(partitions: Sequence[TopicPartition]) -> dict[str, PartitionsSchema]:
    topics: dict[str, PartitionsSchema] = {}
    for topic, partition in partitions:
        topics.setdefault(topic, PartitionsSchema(topic)).partition_ids.append(partition)
    return topics


def _with(topics: dict[str, PartitionsSchema], added: Sequence[TopicPartition]) -> dict[str, PartitionsSchema]:
    count = len(topics)
    for topic, partition in added:
        insort(topics.setdefault(topic, PartitionsSchema(topic)).partition_ids, partition)
    return topics if len(topics) == count else dict(sorted(topics.items()))
