"""What a transaction changed in the cluster image, told to whoever subscribed to it."""

import msgspec

from penstock.cluster.image.entries import EntryKind
from penstock.cluster.image.shapes import BrokerImage, PartitionImage, TopicImage
from penstock.cluster.resources import Resource
from penstock.model import BrokerId, PartitionIndex


class TopicCreated(msgspec.Struct, frozen=True):
    topic: TopicImage


class TopicDeleted(msgspec.Struct, frozen=True):
    topic: TopicImage


class TopicGrown(msgspec.Struct, frozen=True):
    """Partitions from `first_new` on are new."""

    topic: TopicImage
    first_new: PartitionIndex


class TopicSettingsChanged(msgspec.Struct, frozen=True):
    topic: TopicImage


class ViewCreated(msgspec.Struct, frozen=True):
    """A topic without records of its own. What becomes of its partitions is told of its source."""

    view: TopicImage


class ViewAltered(msgspec.Struct, frozen=True):
    view: TopicImage


class ViewDeleted(msgspec.Struct, frozen=True):
    view: TopicImage


class PartitionChanged(msgspec.Struct, frozen=True):
    """Leader, epoch, in-sync set or replicas of a partition that was there before."""

    topic: TopicImage
    before: PartitionImage
    partition: PartitionImage


class BrokerRegistered(msgspec.Struct, frozen=True):
    """New, or registered again: compare `epoch` to tell."""

    broker: BrokerImage


class BrokerGone(msgspec.Struct, frozen=True):
    broker: BrokerImage


class ControllerChanged(msgspec.Struct, frozen=True):
    controller_id: BrokerId


class SettingsChanged(msgspec.Struct, frozen=True):
    """Settings of anything but a topic."""

    resource: Resource


class MarkChanged(msgspec.Struct, frozen=True):
    """A broker came under suspicion, or the creation of a topic ended: `suspects/3`, `creating/<topic id>`."""

    folder: str
    name: str


class SecretChanged(msgspec.Struct, frozen=True):
    """By what brokers know each other: the store's record. It is told, and not kept in the image."""

    value: bytes


class EntryChanged(msgspec.Struct, frozen=True):
    """A user, an ACL, a quota or a token was written or deleted."""

    kind: EntryKind
    name: str


class FeaturesChanged(msgspec.Struct, frozen=True):
    pass


ImageChange = (
    TopicCreated
    | TopicDeleted
    | TopicGrown
    | TopicSettingsChanged
    | PartitionChanged
    | BrokerRegistered
    | BrokerGone
    | ControllerChanged
    | SettingsChanged
    | FeaturesChanged
    | ViewCreated
    | ViewAltered
    | ViewDeleted
    | MarkChanged
    | SecretChanged
    | EntryChanged
)
