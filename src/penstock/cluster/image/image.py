"""The cluster as one broker knows it: what the metastore holds, in the shape in which requests are answered.

One instance lives as long as the broker and is changed in place by `apply`, once for each transaction, never in
between: whoever reads without awaiting sees one moment. `apply` looks at nothing but its argument, so that every broker
that saw the same events holds the same image.

A topic is shown once its own key is there, which is written after its partitions: it exists whole or not at all. Keys
of partitions that no topic owns are kept aside as leftovers, for the controller to sweep (RULES 14).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from operator import itemgetter

from penstock.cluster.features import FeaturesImage
from penstock.cluster.image import changes as news
from penstock.cluster.image.entries import Entries
from penstock.cluster.image.marks import Marks
from penstock.cluster.image.shapes import (
    NO_LEADER,
    BrokerImage,
    PartitionImage,
    TopicImage,
    broker_from,
    partition_from,
    partition_without_key,
)
from penstock.cluster.image.subscribers import Subscriber
from penstock.cluster.keys import Keys, entry_at, resource_at
from penstock.cluster.names import collision_key, is_internal
from penstock.cluster.records import Decoders, TopicRecord
from penstock.cluster.resources import Resource
from penstock.metastore import NO_REVISION, Changes, Deleted, Event, KeyValue, Listing, Revision, Written
from penstock.model import BrokerId, PartitionIndex, TopicId, topic_id_from_text, topic_id_text
from penstock.settings.topic import PENSTOCK_VIEW_OF

_topic_id = lru_cache(maxsize=1_024)(topic_id_from_text)
"""Partitions of one topic come together, so most keys name an id that was just read."""

Callback = Callable[[Sequence[news.ImageChange]], None]


class ClusterImage:
    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self._subscribers: list[tuple[Subscriber, Callback]] = []
        self.hidden: BrokerId | None = None
        """This broker itself, while it is cut off: the store has nothing to do with it, but clients are not sent to a
        broker that others have replaced (see `Isolation`)."""
        self._reset()

    def _reset(self) -> None:
        self.revision = NO_REVISION
        self.cluster_id = ""
        self.controller_id = NO_LEADER
        self.controller_epoch = NO_REVISION
        self.brokers: dict[BrokerId, BrokerImage] = {}
        self.topics: dict[str, TopicImage] = {}
        self.topics_by_id: dict[TopicId, TopicImage] = {}
        self.settings: dict[Resource, dict[str, str]] = {}
        self.settings_revisions: dict[Resource, Revision] = {}
        self.features = FeaturesImage(finalized={}, epoch=NO_REVISION)
        self.producer_id_next = 0
        self.producer_ids_revision = NO_REVISION
        self.leftovers: dict[TopicId, dict[int, PartitionImage]] = {}
        self.marks = Marks()
        self.entries = Entries()
        self._collisions: dict[str, set[str]] = {}

    def subscribe(self, callback: Callback, subscriber: Subscriber = Subscriber.OBSERVERS) -> None:
        """Call back, on the loop and at once, after each transaction that changed something here, when it is the
        subscriber's turn.

        Whoever waits for a transaction to show in the image goes on only after all callbacks have returned.
        """
        self._subscribers = sorted([*self._subscribers, (subscriber, callback)], key=itemgetter(0))

    def colliding_with(self, name: str) -> str | None:
        """A topic whose name differs from this one only in '.' and '_'."""
        return min(self._collisions.get(collision_key(name), set()) - {name}, default=None)

    def staying_brokers(self) -> list[BrokerImage]:
        """Those on which something new may be placed."""
        return [broker for broker in self.brokers.values() if not broker.is_stopping]

    def away_brokers(self) -> set[BrokerId]:
        """Those of which it is known that they belong to the cluster, and that are not there or about to go."""
        return self.known_brokers() - {broker.id for broker in self.staying_brokers()}

    def known_brokers(self) -> set[BrokerId]:
        """All that ever registered, but those that were unregistered."""
        return {*self.brokers, *self.marks.identities}

    def partitions(self) -> Iterator[tuple[TopicImage, PartitionImage]]:
        """Each once, under the topic whose records it holds."""
        for topic in self.topics.values():
            if topic.source is None:
                for partition in topic.partitions:
                    yield topic, partition

    def knows(self, item: KeyValue) -> bool:
        """Whether it is a partition that is shown here as it is there: most of what is listed anew."""
        match self._keys.parts(item.key):
            case ["partitions", id_text, index]:
                topic, number = self.topics_by_id.get(_topic_id(id_text)), int(index)
                if topic is not None and number < len(topic.partitions):
                    return topic.partitions[number].revision == item.mod_revision
        return False

    def load(self, listing: Listing) -> list[news.ImageChange]:
        """Begin, or begin anew, with all that there is, or all that is not known. What went while nobody watched is
        told as gone.
        """
        present = {item.key for item in listing.items}
        gone = [
            self._keys.controller,
            *(self._keys.topic(name) for name in self.topics),
            *(self._keys.broker(broker) for broker in self.brokers),
            *(self._keys.settings(resource) for resource in self.settings),
            *(self._keys.entry(kind, name) for kind, name in self.entries.all()),
            *("/".join((self._keys.prefix.rstrip("/"), *steps)) for steps in self.marks.steps()),
            *(
                self._keys.partition(topic_id_text(id_), index)
                for id_, left in self.leftovers.items()
                for index in left
            ),
        ]
        events: list[Event] = [Deleted(key, listing.revision) for key in gone if key not in present]
        events += [Written(item) for item in listing.items]
        made = self._apply(events)
        self.revision = listing.revision
        self._tell(made)
        return made

    def apply(self, changes: Changes) -> list[news.ImageChange]:
        made = self._apply(changes.events)
        self.revision = changes.revision
        self._tell(made)
        return made

    def _tell(self, made: list[news.ImageChange]) -> None:
        if made:
            for _, callback in self._subscribers:
                callback(made)

    def _apply(self, events: Iterable[Event]) -> list[news.ImageChange]:
        """Partitions first, so that a topic finds its own; they are shown, or kept aside, when topics are known."""
        made: list[news.ImageChange] = []
        written: dict[tuple[TopicId, int], PartitionImage] = {}
        topics: list[tuple[str, KeyValue | None]] = []
        for event in events:
            key = event.item.key if isinstance(event, Written) else event.key
            item = event.item if isinstance(event, Written) else None
            match self._keys.parts(key):
                case ["partitions", id_text, index]:
                    topic_id = _topic_id(id_text)
                    if item is not None:
                        written[topic_id, int(index)] = partition_from(int(index), item)
                    else:
                        self._forget(topic_id, int(index))
                case ["topics", name]:
                    topics.append((name, item))
                case ["brokers", id_text]:
                    made += self._apply_broker(BrokerId(int(id_text)), item)
                case ["settings", folder, name]:
                    resource = resource_at(folder, name)
                    made += [] if resource is None else self._apply_settings(resource, item)
                case ["identities" | "suspects" | "creating" as folder, name]:
                    if self.marks.apply(folder, name, item):
                        made.append(news.MarkChanged(folder, name))
                case [folder, name] if (entry := entry_at(folder, name)) is not None:
                    if self.entries.apply(*entry, item):
                        made.append(news.EntryChanged(*entry))
                case [single]:
                    made += self._apply_single(single, item)
                case _:
                    pass  # written by a newer version for its own use
        self._keep_aside(written)
        made += self._apply_topics(topics)
        for topic_id in dict.fromkeys(topic_id for topic_id, _ in written):
            made += self._show(topic_id)
        return made

    def _keep_aside(self, written: dict[tuple[TopicId, int], PartitionImage]) -> None:
        for (topic_id, index), partition in written.items():
            self.leftovers.setdefault(topic_id, {})[index] = partition

    def _forget(self, topic_id: TopicId, index: int) -> None:
        aside = self.leftovers.get(topic_id)
        if aside is not None:
            aside.pop(index, None)
            if not aside:
                del self.leftovers[topic_id]

    def _show(self, topic_id: TopicId) -> list[news.ImageChange]:
        """Put into its topic what was kept aside and belongs there."""
        topic = self.topics_by_id.get(topic_id)
        aside = self.leftovers.get(topic_id)
        if topic is None or not aside:
            return []
        made: list[news.ImageChange] = []
        for index in sorted(index for index in aside if index < len(topic.partitions)):
            before, partition = topic.partitions[index], aside[index]
            self._forget(topic_id, index)
            if before != partition:
                topic.partitions[index] = partition
                made.append(news.PartitionChanged(topic, before=before, partition=partition))
        return made

    def _apply_topics(self, topics: Iterable[tuple[str, KeyValue | None]]) -> list[news.ImageChange]:
        """Views after all others, among which is what they show."""
        made: list[news.ImageChange] = []
        views: list[tuple[str, KeyValue, TopicRecord]] = []
        for name, item in topics:
            record = None if item is None else Decoders.topic.decode(item.value)
            if item is not None and record is not None and record.is_view:
                views.append((name, item, record))
            else:
                made += self._apply_topic(name, item, record)
        for name, item, record in views:
            made += self._apply_view(name, item, record)
        return made

    def _apply_view(self, name: str, item: KeyValue, record: TopicRecord) -> list[news.ImageChange]:
        made: list[news.ImageChange] = []
        view, source = self.topics.get(name), self.topics.get(record.settings[PENSTOCK_VIEW_OF.name])
        if view is not None and (view.topic_id != topic_id_from_text(record.id) or view.source is not source):
            made.append(self._remove_topic(view))
            view = None
        if source is None:
            return made  # nobody deletes a topic that has views: a hand has been at the store
        if view is None:
            made.append(self._add_view(name, record, source, item.mod_revision))
            return made
        view.revision = item.mod_revision
        if record.settings != view.overrides:
            view.overrides = record.settings
            made.append(news.ViewAltered(view))
        return made

    def _add_view(self, name: str, record: TopicRecord, source: TopicImage, revision: Revision) -> news.ViewCreated:
        view = TopicImage(
            name,
            topic_id_from_text(record.id),
            source.partitions,
            record.settings,
            is_internal=False,
            revision=revision,
            source=source,
        )
        source.views.append(view)
        self._name(view)
        return news.ViewCreated(view)

    def _apply_topic(self, name: str, item: KeyValue | None, record: TopicRecord | None) -> list[news.ImageChange]:
        made: list[news.ImageChange] = []
        topic = self.topics.get(name)
        if topic is not None and (record is None or topic_id_from_text(record.id) != topic.topic_id):
            made.append(self._remove_topic(topic))
            topic = None
        if item is None or record is None:
            return made
        if topic is None:
            made.append(self._add_topic(name, record, item.mod_revision))
            return made
        topic.revision = item.mod_revision
        if record.partitions > len(topic.partitions):
            first_new = PartitionIndex(len(topic.partitions))
            topic.partitions += self._take(topic.topic_id, first_new, record.partitions)
            made.append(news.TopicGrown(topic, first_new=first_new))
        if record.settings != topic.overrides:
            topic.overrides = record.settings
            made.append(news.TopicSettingsChanged(topic))
        return made

    def _add_topic(self, name: str, record: TopicRecord, revision: Revision) -> news.TopicCreated:
        topic_id = topic_id_from_text(record.id)
        partitions = self._take(topic_id, 0, record.partitions)
        topic = TopicImage(name, topic_id, partitions, record.settings, is_internal(name), revision)
        self._name(topic)
        return news.TopicCreated(topic)

    def _name(self, topic: TopicImage) -> None:
        self.topics[topic.name] = self.topics_by_id[topic.topic_id] = topic
        self._collisions.setdefault(collision_key(topic.name), set()).add(topic.name)

    def _remove_topic(self, topic: TopicImage) -> news.TopicDeleted | news.ViewDeleted:
        del self.topics[topic.name], self.topics_by_id[topic.topic_id]
        names = self._collisions[collision_key(topic.name)]
        names.discard(topic.name)
        if not names:
            del self._collisions[collision_key(topic.name)]
        if topic.source is not None:
            topic.source.views.remove(topic)
            return news.ViewDeleted(topic)
        return news.TopicDeleted(topic)

    def _take(self, topic_id: TopicId, start: int, stop: int) -> list[PartitionImage]:
        aside = self.leftovers.get(topic_id, {})
        taken = []
        for index in range(start, stop):
            # Written before its topic, so always there; if a hand has been at the store, nobody leads the partition.
            taken.append(aside.get(index) or partition_without_key(index))
            self._forget(topic_id, index)
        return taken

    def _apply_broker(self, broker_id: BrokerId, item: KeyValue | None) -> list[news.ImageChange]:
        if item is None:
            gone = self.brokers.pop(broker_id, None)
            return [] if gone is None else [news.BrokerGone(gone)]
        broker = broker_from(broker_id, item)
        if self.brokers.get(broker_id) == broker:
            return []
        self.brokers[broker_id] = broker
        return [news.BrokerRegistered(broker)]

    def _apply_settings(self, resource: Resource, item: KeyValue | None) -> list[news.ImageChange]:
        before = self.settings.get(resource, {})
        if item is None:
            self.settings.pop(resource, None)
            self.settings_revisions.pop(resource, None)
        else:
            self.settings[resource] = Decoders.settings.decode(item.value).settings
            self.settings_revisions[resource] = item.mod_revision
        return [] if self.settings.get(resource, {}) == before else [news.SettingsChanged(resource)]

    def _apply_single(self, name: str, item: KeyValue | None) -> list[news.ImageChange]:
        match name:
            case "cluster" if item is not None:
                self.cluster_id = Decoders.cluster.decode(item.value).id
            case "controller":
                before = self.controller_epoch
                self.controller_id = NO_LEADER if item is None else Decoders.controller.decode(item.value).broker
                self.controller_epoch = NO_REVISION if item is None else item.create_revision
                return [news.ControllerChanged(self.controller_id)] if self.controller_epoch != before else []
            case "features" if item is not None:
                self.features = FeaturesImage(Decoders.features.decode(item.value).levels, item.mod_revision)
                return [news.FeaturesChanged()]
            case "secret" if item is not None:
                return [news.SecretChanged(item.value)]
            case "producer-ids" if item is not None:
                self.producer_id_next = Decoders.producer_ids.decode(item.value).next
                self.producer_ids_revision = item.mod_revision
        return []
