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
