"""The cluster image as consumer groups see it (`Environment`): facts of topics, worked out once a change, and the
settings of groups.
"""

from collections.abc import Sequence
from hashlib import blake2b

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
)
from penstock.coordinators.groups.consumer.environment import ConsumerLimits, ConsumerSettings, TopicFacts
from penstock.model import TopicId
from penstock.settings import Config, GroupConfig
from penstock.settings import broker as settings
from penstock.settings import group as group_settings


class ClusterView:
    def __init__(self, image: ClusterImage, config: Config) -> None:
        self._image = image
        self._config = config
        self._facts: dict[str, TopicFacts] = {}
        self._settings: dict[str, ConsumerSettings] = {}
        self._default_settings = ConsumerSettings()
        self._settings_version = -1
        self.topics_changed_at = self.topics_created_at = int(image.revision)
        image.subscribe(self._image_changed, Subscriber.GROUP_VIEW)

    def _image_changed(self, changes: Sequence[ImageChange]) -> None:
        for change in changes:
            match change:
                case TopicCreated(topic):
                    self.topics_created_at = int(self._image.revision)
                    self._forget(topic)
                case TopicDeleted(topic) | TopicGrown(topic):
                    self._forget(topic)
                case PartitionChanged(topic, before, partition) if before.replicas != partition.replicas:
                    self._forget(topic)
                case BrokerRegistered() | BrokerGone():
                    self._facts.clear()  # it may have another rack
                    self.topics_changed_at = int(self._image.revision)
                case SettingsChanged():
                    self._settings.clear()
                case _:
                    pass

    def _forget(self, topic: TopicImage) -> None:
        self._facts.pop(topic.name, None)
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

    def settings_of(self, group_id: str) -> ConsumerSettings:
        if self._config.version != self._settings_version:
            self._settings_version = self._config.version
            self._settings.clear()
            self._default_settings = _settings(self._config.for_group())
        overrides = self._image.settings.get(Resource(ResourceType.GROUP, group_id))
        if not overrides:
            return self._default_settings
        known = self._settings.get(group_id)
        if known is None:
            known = self._settings[group_id] = _settings(self._config.for_group(overrides))
        return known


def _settings(config: GroupConfig) -> ConsumerSettings:
    return ConsumerSettings(
        session_timeout_ms=config[group_settings.CONSUMER_SESSION_TIMEOUT_MS],
        heartbeat_interval_ms=config[group_settings.CONSUMER_HEARTBEAT_INTERVAL_MS],
        assignment_interval_ms=config[group_settings.CONSUMER_ASSIGNMENT_INTERVAL_MS],
    )


def consumer_limits_of(config: Config) -> ConsumerLimits:
    policy = config[settings.GROUP_CONSUMER_MIGRATION_POLICY].lower()
    return ConsumerLimits(
        members_max=config[settings.GROUP_CONSUMER_MAX_SIZE],
        classic_members_max=config[settings.GROUP_MAX_SIZE],
        assignors=config[settings.GROUP_CONSUMER_ASSIGNORS],
        upgrades=policy in ("upgrade", "bidirectional"),
        downgrades=policy in ("downgrade", "bidirectional"),
        pattern_refresh_interval_ms=config[settings.GROUP_CONSUMER_REGEX_REFRESH_INTERVAL_MS],
    )
