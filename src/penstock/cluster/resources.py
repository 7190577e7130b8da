"""What can be configured, as Kafka's config APIs number and name it."""

from enum import IntEnum
from typing import NamedTuple


class ResourceType(IntEnum):
    UNKNOWN = 0
    TOPIC = 2
    BROKER = 4
    BROKER_LOGGER = 8
    CLIENT_METRICS = 16
    GROUP = 32

    @classmethod
    def _missing_(cls, value: object) -> "ResourceType":
        return cls.UNKNOWN


class Resource(NamedTuple):
    type: ResourceType
    name: str


BROKER_DEFAULTS = Resource(ResourceType.BROKER, "")
"""The dynamic settings of every broker that has none of its own."""

NOT_ASKED_FOR = -(1 << 31)
"""What an authorized-operations field holds when the client did not ask."""


def _bits(*operations: int) -> int:
    return sum(1 << operation for operation in operations)


# Kafka's numbers: 3 read, 4 write, 5 create, 6 delete, 7 alter, 8 describe, 9 cluster action, 10 describe configs,
# 11 alter configs, 12 idempotent write.
TOPIC_OPERATIONS = _bits(3, 4, 5, 6, 7, 8, 10, 11)
CLUSTER_OPERATIONS = _bits(5, 7, 8, 9, 10, 11, 12)
"""Every operation that a resource supports: what anyone may do where there is no authorizer (RULES 42)."""
