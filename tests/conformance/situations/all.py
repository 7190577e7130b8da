"""The whole table."""

from __future__ import annotations

from tests.conformance.situations import (
    cluster,
    configs,
    fetch,
    groups,
    list_offsets,
    metadata,
    offsets,
    produce,
    records,
    topics,
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
    *groups.SITUATIONS,
    *offsets.SITUATIONS,
    *cluster.SITUATIONS,
    *wire.SITUATIONS,
]
