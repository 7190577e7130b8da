"""A Kafka client: `Client` for ordinary code, `AsyncClient` for asyncio, one core below both that does no I/O.

It speaks with any cluster of Kafka's protocol, Penstock's or Apache Kafka 3.0 and later. See docs/reference/client.md.
"""

from typing import TYPE_CHECKING, Any

from penstock.client.admin.access import QuotaOf
from penstock.client.admin.cluster import Change, ClusterInfo, Features, Resource, ResourceType
from penstock.client.admin.groups import CommittedOffset
from penstock.client.admin.partitions import Election, FoundOffset, OffsetSpec
from penstock.client.admin.topics import NewTopic
from penstock.client.admin.transactions import ProducerIdentity
from penstock.client.blocking import Client
from penstock.client.metadata import PartitionInfo, TopicInfo
from penstock.client.network import Node, NotConnected
from penstock.client.outcomes import Outcomes, place
from penstock.client.settings import ClientSettings

if TYPE_CHECKING:
    from penstock.client.aio import AsyncClient

__all__ = [
    "AsyncClient",
    "Change",
    "Client",
    "ClientSettings",
    "ClusterInfo",
    "CommittedOffset",
    "Election",
    "Features",
    "FoundOffset",
    "NewTopic",
    "Node",
    "NotConnected",
    "OffsetSpec",
    "Outcomes",
    "PartitionInfo",
    "ProducerIdentity",
    "QuotaOf",
    "Resource",
    "ResourceType",
    "TopicInfo",
    "place",
]


def __getattr__(name: str) -> Any:
    """AsyncClient is loaded when it is asked for: a blocking client need not import asyncio."""
    if name != "AsyncClient":
        raise AttributeError(name)
    from penstock.client.aio import AsyncClient  # noqa: PLC0415

    return AsyncClient
