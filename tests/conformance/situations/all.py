"""The whole table."""

from __future__ import annotations

from tests.conformance.situations import configs, fetch, list_offsets, metadata, produce, records, topics, wire

TABLE = [
    *metadata.SITUATIONS,
    *produce.SITUATIONS,
    *fetch.SITUATIONS,
    *list_offsets.SITUATIONS,
    *topics.SITUATIONS,
    *configs.SITUATIONS,
    *records.SITUATIONS,
    *wire.SITUATIONS,
]
