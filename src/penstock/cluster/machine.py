"""What admin requests come to: from the image and a command to the transactions that carry it out. Pure.

Any broker decides (ADR 21), so two may decide at once. What always holds of what is decided here:
- every write compares the `controller` key's create revision, so that it loses to a change of controller (RULES 13);
- a write to a partition or topic that is there compares its mod revision, so that it loses to one it did not see;
- a topic's partitions are written before the topic itself, which is created only if absent (RULES 14): it exists whole
  or not at all, and growing it writes the new partitions before the count that shows them;
- where that takes several transactions, each compares the mark under which they are written (`creating/<topic id>`):
  partitions that no topic shows and that nobody's mark covers are leftovers, which the controller may sweep;
- a leader epoch only rises, by one an election (RULES 12); the leader is one of the in-sync set;
- refused commands write nothing.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import TypeVar, assert_never, overload

from penstock.cluster import alterations, features, schedule_topics, views
from penstock.cluster.bugs import NO_BUGS, ClusterBugs
from penstock.cluster.commands import (
    AllocateProducerIds,
    AlterSettings,
    AnyDecision,
    BeginAnew,
    ChangeEntries,
    Command,
    CreatedTopic,
    CreateTopic,
    Decision,
    DeleteTopic,
    ElectLeader,
    GrowTopic,
    Reassign,
    ReplaceSettings,
    SweepLeftovers,
    UnregisterBroker,
    UpdateFeatures,
)
from penstock.cluster.creation import partitions_asked_for, planned_growth, planned_topic
from penstock.cluster.duties.partition_writes import PartitionRef
from penstock.cluster.image.image import ClusterImage
from penstock.cluster.image.shapes import PartitionImage, TopicImage
from penstock.cluster.keys import Keys
from penstock.cluster.names import collision_key
from penstock.cluster.partition_machine import PartitionMachine
from penstock.cluster.records import (
    CollisionRecord,
    FeaturesRecord,
    PartitionRecord,
    ProducerIdsRecord,
    SettingsRecord,
    TopicRecord,
    encode,
)
from penstock.cluster.resources import Resource, ResourceType
from penstock.errors import RequestTimedOut, UnknownTopicId
from penstock.metastore import (
    NO_REVISION,
    OPERATIONS_MAX,
    Compare,
    Delete,
    Put,
    Revision,
    Transaction,
    absent,
    created_at,
    unchanged_since,
)
from penstock.model import BrokerId, LeaderEpoch, TopicId, topic_id_text
from penstock.settings.config import Config

_Item = TypeVar("_Item")

WRITES_MAX = OPERATIONS_MAX - 4
"""Guarded writes in one transaction: each has a compare of its own, and up to four more guard the whole."""


class ControllerMachine:
    def __init__(
        self, image: ClusterImage, keys: Keys, config: Config, *, stands_alone: bool = True, bugs: ClusterBugs = NO_BUGS
    ) -> None:
        self._image = image
        self._keys = keys
        self._config = config
        self._partitions = PartitionMachine(image, keys, config, bugs)
        self._stands_alone = stands_alone
        """Nobody else writes: no marks are needed, nor guards against names that collide."""

    def decide(self, command: Command) -> AnyDecision:
        match command:
            case CreateTopic():
                return self._create_topic(command)
            case GrowTopic():
                return self._grow_topic(command)
            case DeleteTopic():
                return self._delete_topic(command)
            case AlterSettings():
                before = alterations.current(self._image, command.resource)
                after = alterations.altered(command.resource, before, command.changes)
                return self._settings(command.resource, after)
            case ReplaceSettings():
                return self._settings(command.resource, alterations.replaced(command.settings))
            case UpdateFeatures():
                return self._update_features(command)
            case ChangeEntries():
                return self._change_entries(command)
            case AllocateProducerIds():
                return self._allocate_producer_ids(command)
            case Reassign():
                return self._partitions.reassign(command)
            case ElectLeader():
                return self._partitions.elect(command)
            case UnregisterBroker():
                return self._partitions.unregister(command)
            case BeginAnew():
                return self._begin_anew(command.broker_id, command.epochs)
            case SweepLeftovers():
                return self._sweep()
            case _:
                assert_never(command)

    def _create_topic(self, command: CreateTopic) -> Decision[CreatedTopic]:
        plan = planned_topic(command, self._image, self._config)
        if plan.source is not None:
            return self._create_view(command, plan.settings, plan.source)
        record = TopicRecord(topic_id_text(command.topic_id), len(plan.replicas), plan.settings)
        topic_key = self._keys.topic(command.name)
        guards = [absent(topic_key)]
        last = [Put(topic_key, encode(record))]
        collision = self._collision_key(command.name)
        if collision is not None:
            guards.append(absent(collision))
            last.append(Put(collision, encode(CollisionRecord(command.name))))
        created = CreatedTopic(command.topic_id, len(plan.replicas), len(plan.replicas[0]), plan.settings)
        return Decision(self._in_order(command.topic_id, 0, plan.replicas, last, guards=guards), created)

    def _create_view(
        self, command: CreateTopic, settings: dict[str, str], source: TopicImage
    ) -> Decision[CreatedTopic]:
        """Its source is written again as it is: who deletes it has not seen this view, and loses to it."""
        topic_key, source_key = self._keys.topic(command.name), self._keys.topic(source.name)
        compares = [self._as_controller(), absent(topic_key), unchanged_since(source_key, source.revision)]
        puts = [
            Put(source_key, encode(views.record_of(source, source.overrides))),
            Put(topic_key, encode(TopicRecord(topic_id_text(command.topic_id), 0, settings))),
        ]
        collision = self._collision_key(command.name)
        if collision is not None:
            compares.append(absent(collision))
            puts.append(Put(collision, encode(CollisionRecord(command.name))))
        created = CreatedTopic(command.topic_id, len(source.partitions), len(source.partitions[0].replicas), settings)
        return Decision((Transaction(compares=tuple(compares), puts=tuple(puts)),), created)

    def _grow_topic(self, command: GrowTopic) -> Decision[int]:
        topic, replicas = planned_growth(command, self._image)
        id_text, first_new = topic_id_text(topic.topic_id), len(topic.partitions)
        topic_key = self._keys.topic(topic.name)
        last = [Put(topic_key, encode(TopicRecord(id_text, first_new + len(replicas), topic.overrides)))]
        guards = [unchanged_since(topic_key, topic.revision)]
        transactions = self._in_order(topic.topic_id, first_new, replicas, last, guards=guards)
        return Decision(transactions, first_new + len(replicas))

    def _delete_topic(self, command: DeleteTopic) -> Decision[TopicImage]:
        topic = self._image.topics_by_id.get(command.topic_id)
        if topic is None:
            raise UnknownTopicId
        views.require_no_views(topic)
        schedule_topics.check_deletion(topic, self._image)
        topic_key = self._keys.topic(topic.name)
        deletes = [Delete(topic_key), Delete(self._keys.partitions_of(topic_id_text(topic.topic_id)), prefix=True)]
        collision = self._collision_key(topic.name)
        if collision is not None:
            deletes.append(Delete(collision))
        compares = (self._as_controller(), unchanged_since(topic_key, topic.revision))
        transaction = Transaction(compares=compares, deletes=tuple(deletes))
        return Decision((transaction,), topic)

    def _settings(self, resource: Resource, after: dict[str, str]) -> Decision[None]:
        before = alterations.current(self._image, resource)
        alterations.check(self._image, self._config, resource, before=before, after=after)
        if after == before:
            return Decision((), None)
        if resource.type is ResourceType.TOPIC:
            topic = self._image.topics[resource.name]
            key, revision = self._keys.topic(topic.name), topic.revision
            value = encode(views.record_of(topic, after))
        else:
            key = self._keys.settings(resource)
            revision = self._image.settings_revisions.get(resource, NO_REVISION)
            value = encode(SettingsRecord(after))
        compares = (self._as_controller(), unchanged_since(key, revision))
        if not after and resource.type is not ResourceType.TOPIC:
            return Decision((Transaction(compares=compares, deletes=(Delete(key),)),), None)
        return Decision((Transaction(compares=compares, puts=(Put(key, value),)),), None)

    def _update_features(self, command: UpdateFeatures) -> Decision[None]:
        before = self._image.features
        levels = features.update(
            before.finalized,
            command.updates,
            controller=self._image.controller_id,
            brokers=self._image.brokers,
        )
        if levels == before.finalized:
            return Decision((), None)
        guard = unchanged_since(self._keys.features, Revision(before.epoch))
        put = Put(self._keys.features, encode(FeaturesRecord(levels)))
        return Decision((Transaction(compares=(self._as_controller(), guard), puts=(put,)),), None)

    def _change_entries(self, command: ChangeEntries) -> AnyDecision:
        """Every key is compared with what was decided from. More than a transaction takes are written in several, each
        of which stands for itself.
        """
        there = self._image.entries.of(command.kind)
        change = command.decide(there)
        keys = {name: self._keys.entry(command.kind, name) for name in (*change.puts, *change.deletes)}
        transactions = []
        for some in _batches(sorted(keys), WRITES_MAX):
            guards = [
                unchanged_since(keys[name], there[name].revision if name in there else NO_REVISION) for name in some
            ]
            transactions.append(
                Transaction(
                    compares=(self._as_controller(), *guards),
                    puts=tuple(Put(keys[name], change.puts[name]) for name in some if name in change.puts),
                    deletes=tuple(Delete(keys[name]) for name in some if name not in change.puts),
                )
            )
        return Decision(tuple(transactions), change.reply, in_any_order=True)

    def _allocate_producer_ids(self, command: AllocateProducerIds) -> Decision[int]:
        """Any broker may: a block that was given out and not used is lost, which 63 bits can bear."""
        first = self._image.producer_id_next
        guard = unchanged_since(self._keys.producer_ids, self._image.producer_ids_revision)
        put = Put(self._keys.producer_ids, encode(ProducerIdsRecord(first + command.count)))
        return Decision((Transaction(compares=(guard,), puts=(put,)),), first)

    def _begin_anew(self, broker_id: BrokerId, epochs: Mapping[PartitionRef, int]) -> Decision[int]:
        led = [
            (topic, partition)
            for topic, partition in self._image.partitions()
            if partition.leader == broker_id or (partition.leader < 0 and broker_id in partition.in_sync)
        ]
        registered = created_at(self._keys.broker(broker_id), self._image.brokers[broker_id].epoch)
        transactions = []
        for some in _batches(led, WRITES_MAX):
            keys = [self._keys.partition(topic_id_text(topic.topic_id), partition.index) for topic, partition in some]
            guards = [unchanged_since(key, part.revision) for key, (_, part) in zip(keys, some, strict=True)]
            puts = [
                Put(key, encode(_elected(part, broker_id, epochs.get(PartitionRef(topic.topic_id, part.index), -1))))
                for key, (topic, part) in zip(keys, some, strict=True)
            ]
            transactions.append(
                Transaction(compares=(self._as_controller(), registered, *guards), puts=tuple(puts)),
            )
        return Decision(tuple(transactions), len(led), in_any_order=True)

    def _sweep(self) -> Decision[int]:
        left = [
            (self._keys.partition(topic_id_text(topic_id), index), partition.revision)
            for topic_id, aside in sorted(self._image.leftovers.items())
            for index, partition in sorted(aside.items())
        ]
        transactions = [
            Transaction(
                compares=(self._as_controller(), *(unchanged_since(key, revision) for key, revision in some)),
                deletes=tuple(Delete(key) for key, _ in some),
            )
            for some in _batches(left, WRITES_MAX)
        ]
        return Decision(tuple(transactions), len(left), in_any_order=True)

    def needs_mark(self, command: Command) -> TopicId | None:
        """The topic whose partitions take more than one transaction to write, if others might sweep them meanwhile."""
        if self._stands_alone:
            return None
        if isinstance(command, CreateTopic) and partitions_asked_for(command, self._config) > WRITES_MAX:
            return command.topic_id
        if isinstance(command, GrowTopic):
            topic = self._image.topics.get(command.name)
            if topic is not None and command.count - len(topic.partitions) > WRITES_MAX:
                return topic.topic_id
        return None

    def _in_order(
        self,
        topic_id: TopicId,
        first: int,
        replicas: Sequence[tuple[BrokerId, ...]],
        last: Sequence[Put],
        *,
        guards: Sequence[Compare],
    ) -> Sequence[Transaction]:
        """Partitions first, in as few transactions as the limit allows; what makes them visible comes with the rest.
        Each is made when its turn to be written has come, and compares what the image shows then.
        """
        text, count = topic_id_text(topic_id), max(1, -(-len(replicas) // WRITES_MAX))

        def make(at: int) -> Transaction:
            start = at * WRITES_MAX
            staying = {broker.id for broker in self._image.staying_brokers()}
            puts = [
                Put(self._keys.partition(text, first + index), encode(_first_record(replicas[index], staying)))
                for index in range(start, min(start + WRITES_MAX, len(replicas)))
            ]
            always, mark = self._mark_guards(topic_id, is_needed=count > 1)
            if at < count - 1:
                return Transaction(compares=(*always, *self._as_they_were(topic_id, puts)), puts=tuple(puts))
            compares = (*always, *guards, *self._as_they_were(topic_id, puts))
            return Transaction(compares=compares, puts=(*puts, *last), deletes=mark)

        return LazyTransactions(count, make)

    def _mark_guards(self, topic_id: TopicId, *, is_needed: bool) -> tuple[tuple[Compare, ...], tuple[Delete, ...]]:
        if self._stands_alone:
            return (self._as_controller(),), ()
        key, mark = self._keys.creating(topic_id_text(topic_id)), self._image.marks.creating.get(topic_id)
        if mark is not None:
            return (self._as_controller(), created_at(key, mark.revision)), (Delete(key),) if is_needed else ()
        if is_needed:
            raise RequestTimedOut("the mark under which the topic was written is gone; try again")
        return (self._as_controller(), absent(key)), ()

    def _as_they_were(self, topic_id: TopicId, puts: Sequence[Put]) -> Iterator[Compare]:
        """Another broker may have added the same partitions meanwhile, or left them behind earlier."""
        if not self._stands_alone:
            aside = self._image.leftovers.get(topic_id, {})
            for put in puts:
                left = aside.get(int(put.key.rpartition("/")[2]))
                yield unchanged_since(put.key, NO_REVISION if left is None else left.revision)

    def _collision_key(self, name: str) -> str | None:
        """The key that keeps two brokers from creating, at once, topics whose names collide."""
        if self._stands_alone or not ("." in name or "_" in name):
            return None
        return self._keys.collision(collision_key(name))

    def _as_controller(self) -> Compare:
        return created_at(self._keys.controller, Revision(self._image.controller_epoch))


class LazyTransactions(Sequence[Transaction]):
    def __init__(self, count: int, make: Callable[[int], Transaction]) -> None:
        self._count = count
        self._make = make

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, at: int) -> Transaction: ...

    @overload
    def __getitem__(self, at: slice) -> list[Transaction]: ...

    def __getitem__(self, at: int | slice) -> Transaction | list[Transaction]:
        places = range(self._count)[at]
        return self._make(places) if isinstance(places, int) else [self._make(place) for place in places]


def _first_record(replicas: tuple[BrokerId, ...], staying: Set[BrokerId]) -> PartitionRecord:
    """A new partition: empty everywhere, so every replica that is there is in sync and the first of them leads. Where
    all have gone since they were chosen, it is as if they went afterwards.
    """
    in_sync = tuple(broker for broker in replicas if broker in staying) or replicas
    return PartitionRecord(replicas=replicas, leader=in_sync[0], leader_epoch=LeaderEpoch(0), in_sync=in_sync)


def _elected(partition: PartitionImage, leader: BrokerId, latest_epoch: int) -> PartitionRecord:
    return PartitionRecord(
        replicas=partition.replicas,
        leader=leader,
        leader_epoch=LeaderEpoch(max(partition.leader_epoch, latest_epoch) + 1),
        in_sync=partition.in_sync,
        eligible=partition.eligible,
        adding=partition.adding,
        removing=partition.removing,
    )


def _batches(items: Sequence[_Item], size: int) -> Iterator[Sequence[_Item]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
