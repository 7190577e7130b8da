"""How an API that changes something is told in the audit log: a row of the table in this package."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from penstock.access.audit import Activity
from penstock.access.quotas.altering import quotas_in
from penstock.access.quotas.entities import entity, entry_name
from penstock.access.rights import Right
from penstock.access.tokens.tokens import id_of
from penstock.access.users.records import decode_user
from penstock.cluster import ClusterImage, EntryKind, Resource, ResourceType
from penstock.errors import Refusal
from penstock.model import TopicId
from penstock.settings import Config, Scope, settings_of
from penstock.settings.setting import broker_row

HIDDEN: Final = "(hidden)"
"""In place of a value that nobody is to read: a password, or of a setting that nobody knows."""

Key = tuple[str, str]
"""A resource's type and name."""

Outcome = tuple[int, str | None]
"""An error code and what was said about it."""


class Subject(NamedTuple):
    """Something that a request is about."""

    type: str
    name: str
    look: Callable[[], Any] | None = None
    """Its state now, in plain values without secrets; asked before and after."""
    asked: Any = None
    """What was asked for, where its state cannot be looked at."""

    @property
    def key(self) -> Key:
        return self.type, self.name


class Row(NamedTuple):
    activity: Activity
    subjects: "Callable[[Any, State], Sequence[Subject]]"
    """What a request is about."""
    outcomes: Callable[[Any, Any, Sequence[Subject]], Mapping[Key, Outcome]]
    """What became of each by the response. What is not named here shares the request's own error code."""
    refused: Callable[[Any, Refusal], Any] | None = None
    """The response that refuses all of a request; None where a refusal that is raised comes to that."""
    values: Callable[[Any, Any, Sequence[Subject]], Mapping[Key, tuple[Any, Any]]] | None = None
    """Values before and after that only the response tells."""
    only_answered: bool = False
    """Whether what the response does not name had nothing done to it."""
    takes: Callable[[Any], Right | None] | None = None
    """The right without which nothing is looked at: for a request that names nothing and is about all there is."""
    is_brokers_own: bool = False
    """Whether other brokers also send it, in the course of their work; that is not told."""


class State:
    """What can be looked at before and after a request."""

    def __init__(self, image: ClusterImage, config: Config) -> None:
        self._image = image
        self._config = config

    def topic_named(self, topic_id: bytes) -> str | None:
        topic = self._image.topics_by_id.get(TopicId(topic_id))
        return None if topic is None else topic.name

    def all_partitions(self) -> list[tuple[str, int]]:
        return [(topic.name, partition.index) for topic, partition in self._image.partitions()]

    def topic(self, name: str) -> Any:
        topic = self._image.topics.get(name)
        if topic is None:
            return None
        factor = len(topic.partitions[0].replicas) if topic.partitions else 0
        settings = _shown(topic.overrides, Scope.TOPIC)
        return {"partitions": len(topic.partitions), "replication_factor": factor, "settings": settings}

    def replicas(self, name: str, index: int) -> Any:
        topic = self._image.topics.get(name)
        if topic is None or index not in range(len(topic.partitions)):
            return None
        partition = topic.partitions[index]
        return {
            "leader": partition.leader,
            "replicas": partition.replicas,
            "adding": partition.adding,
            "removing": partition.removing,
        }

    def settings(self, resource: Resource) -> Any:
        if resource.type is ResourceType.TOPIC:
            topic = self._image.topics.get(resource.name)
            return None if topic is None else _shown(topic.overrides, Scope.TOPIC)
        return _shown(self._image.settings.get(resource, {}), SCOPES.get(resource.type))

    def feature(self, name: str) -> Any:
        return self._image.features.finalized.get(name)

    def quota(self, whom: Iterable[tuple[str, str | None]]) -> Any:
        entry = self._image.entries.of(EntryKind.QUOTAS).get(entry_name(entity(whom)))
        return None if entry is None else quotas_in(entry.value)

    def user(self, name: str) -> Any:
        """How it may log in, without the keys."""
        entry = self._image.entries.of(EntryKind.USERS).get(name)
        if entry is None:
            return None
        user = decode_user(entry.value)
        scram = {mechanism: {"iterations": keys.iterations} for mechanism, keys in user.scram.items()}
        return {"scram": scram, "groups": user.groups}

    def token(self, secret: bytes) -> str:
        """The id of the delegation token that has this HMAC; nothing where none has."""
        return id_of(secret, self._image.entries.of(EntryKind.TOKENS)) or ""

    def broker(self, broker_id: int) -> Any:
        known = next((each for each in self._image.known_brokers() if each == broker_id), None)
        return None if known is None else {"registered": known in self._image.brokers}


SCOPES = {
    ResourceType.BROKER: Scope.BROKER,
    ResourceType.GROUP: Scope.GROUP,
    ResourceType.CLIENT_METRICS: Scope.CLIENT_METRICS,
}


def _shown(settings: Mapping[str, str], scope: Scope | None) -> dict[str, str]:
    return {name: shown_value(name, value, scope) for name, value in settings.items()}


def shown_value(name: str, value: str, scope: Scope | None) -> str:
    if scope is None:
        return HIDDEN
    row = broker_row(name) if scope is Scope.BROKER else settings_of(scope).get(name)
    return HIDDEN if row is None or row.sensitive else value


def of_partitions(
    topics: Any, *, name: str = "name", partitions: str = "partitions", index: str = "partition_index"
) -> dict[Key, Outcome]:
    """Outcomes as most responses tell those of partitions: topics, and in each a list."""
    return {
        ("partition", f"{getattr(topic, name)}-{getattr(each, index)}"): (
            each.error_code,
            getattr(each, "error_message", None),
        )
        for topic in topics
        for each in getattr(topic, partitions)
    }


def none_of_its_own(_request: Any, _response: Any, _subjects: Sequence[Subject]) -> dict[Key, Outcome]:
    """All share the request's error code."""
    return {}
