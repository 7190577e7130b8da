"""What tests of share groups have in common."""

from __future__ import annotations

from penstock.client import Change, Client, Resource, ResourceType

SHARE_CLUSTERS = ("penstock", "kafka")
"""Whose brokers the tests of share groups run on."""
LOCK_MS = 3_000


def share_settings(**more: str) -> dict[str, str]:
    """Of a broker whose share groups lend records for a short time, and whose members say quickly what they read."""
    return {
        "group.share.min.record.lock.duration.ms": "1000",
        "group.share.record.lock.duration.ms": str(LOCK_MS),
        "group.share.min.heartbeat.interval.ms": "200",
        "group.share.heartbeat.interval.ms": "200",
        "log.cleaner.backoff.ms": "200",
    } | more


def group_settings(client: Client, group: str, **values: str) -> None:
    changes = [(f"share.{name.replace('_', '.')}", Change.SET, value) for name, value in values.items()]
    client.alter_configs({Resource(ResourceType.GROUP, group): changes}).all()


def earliest(client: Client, group: str, *, isolation: str = "read_uncommitted") -> None:
    """The group begins with the first record, and not with the next one, as share groups do."""
    group_settings(client, group, auto_offset_reset="earliest", isolation_level=isolation)
