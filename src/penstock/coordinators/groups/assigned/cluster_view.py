"""The cluster image as groups see it (`Environment`): facts of topics, worked out once a change, and the
settings of groups.
"""

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

from penstock.cluster import (
    BrokerGone,
    BrokerRegistered,
    ClusterImage,
    ImageChange,
    PartitionChanged,
    Resource,
    ResourceType,
    SettingsChanged,
    Subscriber,
    TopicCreated,
    TopicDeleted,
    TopicGrown,
    TopicImage,
    ViewCreated,
    ViewDeleted,
)
from penstock.coordinators.groups.assigned.environment import GroupSettings, TopicFacts
from penstock.model import TopicId
from penstock.settings import Config, GroupConfig
from penstock.settings import group as group_settings
from penstock.settings.setting import Setting


class ClusterView:
    def __init__(self, image: ClusterImage, config: Config) -> None:
        self._image = image
        self._facts: dict[str, TopicFacts] = {}
        self._of_consumers = _SettingsOfKind(_CONSUMER, image, config)
        self._of_shares = _SettingsOfKind(_SHARE, image, config)
        self.topics_changed_at = self.topics_created_at = int(image.revision)
        image.subscribe(self._image_changed, Subscriber.GROUP_VIEW)

    def _image_changed(self, changes: Sequence[ImageChange]) -> None:
        for change in changes:
            match change:
                case TopicCreated(topic) | ViewCreated(topic):
                    self.topics_created_at = int(self._image.revision)
                    self._forget(topic)
                case TopicDeleted(topic) | TopicGrown(topic) | ViewDeleted(topic):
                    self._forget(topic)
                case PartitionChanged(topic, before, partition) if before.replicas != partition.replicas:
                    self._forget(topic)
                case BrokerRegistered() | BrokerGone():
                    self._facts.clear()  # it may have another rack
                    self.topics_changed_at = int(self._image.revision)
                case SettingsChanged():
                    self._of_consumers.forget()
                    self._of_shares.forget()
                case _:
                    pass

    def _forget(self, topic: TopicImage) -> None:
        for each in (topic, *topic.views):
            self._facts.pop(each.name, None)
        self.topics_changed_at = int(self._image.revision)

    # Topics -----------------------------------------------------------------------------------------------------

    @property
    def revision(self) -> int:
        return int(self._image.revision)

    def topic_named(self, name: str) -> TopicFacts | None:
        known = self._facts.get(name)
        if known is None:
            topic = self._image.topics.get(name)
            if topic is not None:
                known = self._facts[name] = self._facts_of(topic)
        return known

    def topic_with(self, topic_id: TopicId) -> TopicFacts | None:
        topic = self._image.topics_by_id.get(topic_id)
        return None if topic is None else self.topic_named(topic.name)

    def topic_names(self) -> list[str]:
        return list(self._image.topics)

    def _facts_of(self, topic: TopicImage) -> TopicFacts:
        rack_of = {broker.id: broker.rack for broker in self._image.brokers.values() if broker.rack is not None}
        racks: tuple[frozenset[str], ...] = ()
        if rack_of:
            racks = tuple(
                frozenset(rack_of[broker] for broker in partition.replicas if broker in rack_of)
                for partition in topic.partitions
            )
        digest = blake2b(topic.topic_id + len(topic.partitions).to_bytes(4, "big"), digest_size=16)
        for partition_racks in racks:
            digest.update(b"\0".join(rack.encode() for rack in sorted(partition_racks)) + b"\0\0")
        return TopicFacts(topic.name, topic.topic_id, len(topic.partitions), racks, digest.digest())

    # Settings ---------------------------------------------------------------------------------------------------

    def settings_of(self, group_id: str) -> GroupSettings:
        return self._of_consumers.of(group_id)

    def share_settings_of(self, group_id: str) -> GroupSettings:
        return self._of_shares.of(group_id)


class _Rows(NamedTuple):
    """Where a kind of group has its settings."""

    session_timeout_ms: Setting[int]
    heartbeat_interval_ms: Setting[int]
    assignment_interval_ms: Setting[int]


_CONSUMER = _Rows(
    group_settings.CONSUMER_SESSION_TIMEOUT_MS,
    group_settings.CONSUMER_HEARTBEAT_INTERVAL_MS,
    group_settings.CONSUMER_ASSIGNMENT_INTERVAL_MS,
)
_SHARE = _Rows(
    group_settings.SHARE_SESSION_TIMEOUT_MS,
    group_settings.SHARE_HEARTBEAT_INTERVAL_MS,
    group_settings.SHARE_ASSIGNMENT_INTERVAL_MS,
)


class _SettingsOfKind:
    """Read again only when they have changed: every heartbeat asks."""

    def __init__(self, rows: _Rows, image: ClusterImage, config: Config) -> None:
        self._rows = rows
        self._image = image
        self._config = config
        self._version = -1
        self._default = GroupSettings()
        self._known: dict[str, GroupSettings] = {}

    def forget(self) -> None:
        self._known.clear()

    def of(self, group_id: str) -> GroupSettings:
        if self._config.version != self._version:
            self._version = self._config.version
            self._known.clear()
            self._default = self._read(self._config.for_group())
        overrides = self._image.settings.get(Resource(ResourceType.GROUP, group_id))
        if not overrides:
            return self._default
        known = self._known.get(group_id)
        if known is None:
            known = self._known[group_id] = self._read(self._config.for_group(overrides))
        return known

    def _read(self, config: GroupConfig) -> GroupSettings:
        rows = self._rows
        return GroupSettings(
            session_timeout_ms=config[rows.session_timeout_ms],
            heartbeat_interval_ms=config[rows.heartbeat_interval_ms],
            assignment_interval_ms=config[rows.assignment_interval_ms],
        )
