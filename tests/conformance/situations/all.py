"""The whole table."""

from __future__ import annotations

from tests.conformance.situations import (
    acls,
    cluster,
    configs,
    consumer_groups,
    fetch,
    folders,
    groups,
    list_offsets,
    metadata,
    offsets,
    offsets_in_transactions,
    produce,
    quotas,
    records,
    sasl,
    scram,
    topics,
    transactional,
    transactions,
    wire,
)

TABLE = [
    *metadata.SITUATIONS,
    *produce.SITUATIONS,
    *fetch.SITUATIONS,
    *list_offsets.SITUATIONS,
    *topics.SITUATIONS,
    *configs.SITUATIONS,
    *records.SITUATIONS,
    *folders.SITUATIONS,
    *groups.SITUATIONS,
    *offsets.SITUATIONS,
    *offsets_in_transactions.SITUATIONS,
    *consumer_groups.SITUATIONS,
    *transactional.SITUATIONS,
    *transactions.SITUATIONS,
    *cluster.SITUATIONS,
    *sasl.SITUATIONS,
    *acls.SITUATIONS,
    *quotas.SITUATIONS,
    *scram.SITUATIONS,
    *wire.SITUATIONS,
]
