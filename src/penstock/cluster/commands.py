"""What the controller can be asked to decide. Whatever depends on chance or on the clock is in the command."""

from collections.abc import Callable, Collection, Mapping, Sequence
from enum import IntEnum
from typing import Any, Generic, TypeVar

import msgspec

from penstock.cluster.duties.partition_writes import NO_EPOCHS, PartitionRef
from penstock.cluster.image.entries import Entry, EntryKind
from penstock.cluster.resources import Resource
from penstock.metastore import Transaction
from penstock.model import BrokerId, TopicId

Reply = TypeVar("Reply")

NO_TOPIC_ID = TopicId(bytes(16))


class Decision(msgspec.Struct, Generic[Reply], frozen=True):
    """What to write, in this order, and what to answer once the image holds it.

    Only the last transaction makes the rest visible, so stopping before it leaves nothing but leftovers.
    """

    transactions: Sequence[Transaction]
    """Perhaps made only when they are looked at, one after the other: a topic may have thousands of partitions."""
    reply: Reply
    in_any_order: bool = False
    """Each transaction stands for itself, so they may be written all at once."""


class CreateTopic(msgspec.Struct, frozen=True):
    """-1 for the broker's default count or replication factor; assignments are (partition, replicas) as they came.

    The controller's service gives the id and the start: they come from chance, which a machine has none of.
    """

    name: str
    topic_id: TopicId = NO_TOPIC_ID
    partitions: int = -1
    replication_factor: int = -1
    assignments: tuple[tuple[int, tuple[int, ...]], ...] = ()
    settings: tuple[tuple[str, str | None], ...] = ()
    start: int = 0
    """Where in broker order placement begins."""
    placed: tuple[tuple[BrokerId, ...], ...] = ()
    """Where its partitions go, if that was worked out before; brokers may have gone since."""


class CreatedTopic(msgspec.Struct, frozen=True):
    """What a new topic turned out to be, or would have been."""

    topic_id: TopicId
    partitions: int
    replication_factor: int
    settings: dict[str, str]


class GrowTopic(msgspec.Struct, frozen=True):
    name: str
    count: int
    assignments: tuple[tuple[int, ...], ...] | None = None
    start: int = 0
    placed: tuple[tuple[BrokerId, ...], ...] = ()


class DeleteTopic(msgspec.Struct, frozen=True):
    topic_id: TopicId


class Operation(IntEnum):
    """How IncrementalAlterConfigs changes one setting."""

    SET = 0
    DELETE = 1
    APPEND = 2
    SUBTRACT = 3


class SettingChange(msgspec.Struct, frozen=True):
    name: str
    operation: int
    value: str | None = None


class AlterSettings(msgspec.Struct, frozen=True):
    """Change some settings of a resource and leave the others."""

    resource: Resource
    changes: tuple[SettingChange, ...]


class ReplaceSettings(msgspec.Struct, frozen=True):
    """Let these be all the settings that a resource has."""

    resource: Resource
    settings: tuple[tuple[str, str | None], ...]


class EntryChange(msgspec.Struct, Generic[Reply], frozen=True):
    """What is written and deleted of one kind of entries, and what to answer then."""

    reply: Reply
    puts: Mapping[str, bytes] = {}
    deletes: Collection[str] = ()


class ChangeEntries(msgspec.Struct, frozen=True):
    """Change users, ACLs, quotas or tokens. `decide` is pure and may refuse; it is asked anew where another was
    faster, and so must find its own work done if it was.
    """

    kind: EntryKind
    decide: Callable[[Mapping[str, Entry]], EntryChange[Any]]


class UpgradeType(IntEnum):
    """What UpdateFeatures is allowed to do to a level."""

    UNKNOWN = 0
    UPGRADE = 1
    SAFE_DOWNGRADE = 2
    UNSAFE_DOWNGRADE = 3


class FeatureUpdate(msgspec.Struct, frozen=True):
    feature: str
    level: int
    upgrade_type: int = UpgradeType.UPGRADE


class UpdateFeatures(msgspec.Struct, frozen=True):
    updates: tuple[FeatureUpdate, ...]


class AllocateProducerIds(msgspec.Struct, frozen=True):
    count: int


class Reassign(msgspec.Struct, frozen=True):
    """Move a partition to these brokers; None takes back what is under way."""

    topic: str
    index: int
    replicas: tuple[int, ...] | None
    may_change_factor: bool = True


class ElectionType(IntEnum):
    PREFERRED = 0
    UNCLEAN = 1


class ElectLeader(msgspec.Struct, frozen=True):
    topic: str
    index: int
    election_type: ElectionType


class UnregisterBroker(msgspec.Struct, frozen=True):
    """The broker is gone for good, and its data folder with it."""

    broker_id: BrokerId


class BeginAnew(msgspec.Struct, frozen=True):
    """A broker has registered as a new incarnation: give the partitions that it leads a new leader epoch (RULES 2), and
    one above those that its logs hold.
    """

    broker_id: BrokerId
    epochs: Mapping[PartitionRef, int] = NO_EPOCHS


class SweepLeftovers(msgspec.Struct, frozen=True):
    """Delete what a controller before us began and did not finish (RULES 14)."""


Command = (
    CreateTopic
    | GrowTopic
    | DeleteTopic
    | AlterSettings
    | ReplaceSettings
    | UpdateFeatures
    | ChangeEntries
    | AllocateProducerIds
    | Reassign
    | ElectLeader
    | UnregisterBroker
    | BeginAnew
    | SweepLeftovers
)

AnyDecision = Decision[Any]
