"""A Kafka client: `Client` for ordinary code, `AsyncClient` for asyncio, one core below both that does no I/O.

It speaks with any cluster of Kafka's protocol, Penstock's or Apache Kafka 3.0 and later. See docs/reference/client.md.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from penstock.client.blocking import Client
from penstock.client.metadata import PartitionInfo, TopicInfo
from penstock.client.network import Node, NotConnected
from penstock.client.outcomes import Outcomes, place
from penstock.client.settings import ClientSettings
from penstock.client.tasks import NoAnswer

if TYPE_CHECKING:
    from penstock.client.admin.access import QuotaOf
    from penstock.client.admin.cluster import Change, ClusterInfo, Features, Resource, ResourceType
    from penstock.client.admin.groups import CommittedOffset
    from penstock.client.admin.partitions import Election, FoundOffset, OffsetRange, OffsetSpec
    from penstock.client.admin.topics import NewTopic
    from penstock.client.admin.transactions import ProducerIdentity
    from penstock.client.aio import AsyncClient
    from penstock.client.records.acknowledging import Ack, SharedRecord
    from penstock.client.records.aio import AsyncConsumer, AsyncProducer, AsyncShareConsumer
    from penstock.client.records.batches import Sent, Written
    from penstock.client.records.blocking import Consumer, Producer, ShareConsumer
    from penstock.client.records.fetched import ConsumedRecord
    from penstock.client.records.settings import ConsumerSettings, ProducerSettings, ShareConsumerSettings
    from penstock.client.sasl import Sasl

__all__ = [
    "Ack",
    "AsyncClient",
    "AsyncConsumer",
    "AsyncProducer",
    "AsyncShareConsumer",
    "Change",
    "Client",
    "ClientSettings",
    "ClusterInfo",
    "CommittedOffset",
    "ConsumedRecord",
    "Consumer",
    "ConsumerSettings",
    "Election",
    "Features",
    "FoundOffset",
    "NewTopic",
    "NoAnswer",
    "Node",
    "NotConnected",
    "OffsetRange",
    "OffsetSpec",
    "Outcomes",
    "PartitionInfo",
    "Producer",
    "ProducerIdentity",
    "ProducerSettings",
    "QuotaOf",
    "Resource",
    "ResourceType",
    "Sasl",
    "Sent",
    "ShareConsumer",
    "ShareConsumerSettings",
    "SharedRecord",
    "TopicInfo",
    "Written",
    "place",
]


_LOADED_LATER = {
    "Ack": "penstock.client.records.acknowledging",
    "AsyncClient": "penstock.client.aio",
    "AsyncConsumer": "penstock.client.records.aio",
    "AsyncProducer": "penstock.client.records.aio",
    "AsyncShareConsumer": "penstock.client.records.aio",
    "Change": "penstock.client.admin.cluster",
    "ClusterInfo": "penstock.client.admin.cluster",
    "CommittedOffset": "penstock.client.admin.groups",
    "ConsumedRecord": "penstock.client.records.fetched",
    "Consumer": "penstock.client.records.blocking",
    "ConsumerSettings": "penstock.client.records.settings",
    "Election": "penstock.client.admin.partitions",
    "Features": "penstock.client.admin.cluster",
    "FoundOffset": "penstock.client.admin.partitions",
    "NewTopic": "penstock.client.admin.topics",
    "OffsetRange": "penstock.client.admin.partitions",
    "OffsetSpec": "penstock.client.admin.partitions",
    "Producer": "penstock.client.records.blocking",
    "ProducerIdentity": "penstock.client.admin.transactions",
    "ProducerSettings": "penstock.client.records.settings",
    "QuotaOf": "penstock.client.admin.access",
    "Resource": "penstock.client.admin.cluster",
    "ResourceType": "penstock.client.admin.cluster",
    "Sasl": "penstock.client.sasl",
    "Sent": "penstock.client.records.batches",
    "ShareConsumer": "penstock.client.records.blocking",
    "ShareConsumerSettings": "penstock.client.records.settings",
    "SharedRecord": "penstock.client.records.acknowledging",
    "Written": "penstock.client.records.batches",
}
"""Not every client needs all of them, and a blocking one no asyncio."""


def __getattr__(name: str) -> Any:
    if name not in _LOADED_LATER:
        raise AttributeError(name)
    return getattr(import_module(_LOADED_LATER[name]), name)
