"""Who can be reached through the listener that a request came in on (RULES 35)."""

from collections.abc import Iterable
from typing import NamedTuple

from penstock.cluster.image.image import ClusterImage
from penstock.cluster.image.shapes import NO_LEADER, BrokerImage, PartitionImage
from penstock.errors import LeaderNotAvailable, ListenerNotFound
from penstock.model import BrokerId


class Node(NamedTuple):
    id: BrokerId
    host: str
    port: int
    rack: str | None


def nodes(image: ClusterImage, listener: str, *, also: Iterable[BrokerImage] = ()) -> list[Node]:
    """Those that are registered, and others that are to be listed with them."""
    listed = {broker.id: broker for broker in also} | image.brokers
    return [
        Node(broker.id, endpoint.host, endpoint.port, broker.rack)
        for _, broker in sorted(listed.items())
        if broker.id != image.hidden and (endpoint := broker.endpoints.get(listener)) is not None
    ]


def fenced_nodes(image: ClusterImage, listener: str) -> list[Node]:
    """Those that belong to the cluster and are not registered now, with where they were to be found."""
    return [
        Node(broker_id, endpoint.host, endpoint.port, identity.rack)
        for broker_id, identity in sorted(image.marks.identities.items())
        if broker_id not in image.brokers and (endpoint := identity.endpoints.get(listener)) is not None
    ]


def is_reachable(image: ClusterImage, broker_id: BrokerId, listener: str) -> bool:
    broker = image.brokers.get(broker_id)
    return broker is not None and broker_id != image.hidden and listener in broker.endpoints


def reachable_leader(image: ClusterImage, partition: PartitionImage, listener: str) -> tuple[BrokerId, int]:
    """The leader to name and the error to say: -1 and why, where clients of this listener cannot reach one."""
    broker = image.brokers.get(partition.leader)
    if broker is None or broker.id == image.hidden:
        return NO_LEADER, LeaderNotAvailable.code
    if listener not in broker.endpoints:
        return NO_LEADER, ListenerNotFound.code
    return partition.leader, 0


def offline_replicas(image: ClusterImage, partition: PartitionImage, listener: str) -> list[BrokerId]:
    return [replica for replica in partition.replicas if not is_reachable(image, replica, listener)]


def controller_for_clients(image: ClusterImage, listener: str) -> BrokerId:
    """Who decides; -1 where clients of this listener cannot reach it."""
    return image.controller_id if is_reachable(image, image.controller_id, listener) else NO_LEADER


def takes_admin_requests(image: ClusterImage, listener: str, me: BrokerId) -> BrokerId:
    """Whom to name to clients that send what changes something to "the controller": any broker does it, so the one that
    they have just reached; another while this one is not registered, cut off, or about to stop.
    """
    broker = image.brokers.get(me)
    if broker is None or broker.is_stopping or not is_reachable(image, me, listener):
        return controller_for_clients(image, listener)
    return me
