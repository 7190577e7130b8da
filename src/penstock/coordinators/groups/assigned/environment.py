"""What groups see of the cluster around them: topics, and the settings of a group. A port, so that the machine stays a
function of what it is given; the service gives it the cluster image.
"""

from typing import Protocol

import msgspec

from penstock.model import TopicId


class TopicFacts(msgspec.Struct, frozen=True):
    name: str
    topic_id: TopicId
    partitions: int
    racks: tuple[frozenset[str], ...] = ()
    """Where each partition's replicas are; empty where brokers have no rack."""
    digest: bytes = b""
    """Another one whenever anything above is another."""


class GroupSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What a group may set for itself."""

    session_timeout_ms: int = 45_000
    heartbeat_interval_ms: int = 5_000
    assignment_interval_ms: int = 1_000


class Environment(Protocol):
    @property
    def revision(self) -> int:
        """Of the cluster image."""

    @property
    def topics_changed_at(self) -> int:
        """The revision at which a topic last came, went or grew, or its racks changed."""

    @property
    def topics_created_at(self) -> int: ...

    def topic_named(self, name: str) -> TopicFacts | None: ...

    def topic_with(self, topic_id: TopicId) -> TopicFacts | None: ...

    def topic_names(self) -> list[str]: ...

    def settings_of(self, group_id: str) -> GroupSettings: ...

    def share_settings_of(self, group_id: str) -> GroupSettings:
        """The same for a share group."""


class NoTopics:
    """No topics, and settings at their defaults."""

    revision = topics_changed_at = topics_created_at = 0

    def topic_named(self, name: str) -> TopicFacts | None:
        return None

    def topic_with(self, topic_id: TopicId) -> TopicFacts | None:
        return None

    def topic_names(self) -> list[str]:
        return []

    def settings_of(self, group_id: str) -> GroupSettings:
        return GroupSettings()

    share_settings_of = settings_of
