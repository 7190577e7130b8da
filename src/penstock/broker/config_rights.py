"""Which right the settings of a resource take: a topic's and a group's their own, all else one of the cluster."""

from collections.abc import Iterable, Mapping
from typing import Final

from penstock.access.authorizer import CLUSTER_NAME, Authorizer
from penstock.access.rights import (
    ALTER_CLUSTER_CONFIGS,
    ALTER_GROUP_CONFIGS,
    ALTER_TOPIC_CONFIGS,
    DESCRIBE_CLUSTER_CONFIGS,
    DESCRIBE_GROUP_CONFIGS,
    DESCRIBE_TOPIC_CONFIGS,
    READ_TOPIC,
    WRITE_TOPIC,
    Right,
)
from penstock.access.subject import Subject
from penstock.cluster import ClusterImage, Resource, ResourceType
from penstock.settings.group import ERRORS_DEADLETTERQUEUE_TOPIC_NAME

_ALTER: Final[Mapping[ResourceType, Right]] = {
    ResourceType.TOPIC: ALTER_TOPIC_CONFIGS,
    ResourceType.GROUP: ALTER_GROUP_CONFIGS,
}
_DESCRIBE: Final[Mapping[ResourceType, Right]] = {
    ResourceType.TOPIC: DESCRIBE_TOPIC_CONFIGS,
    ResourceType.GROUP: DESCRIBE_GROUP_CONFIGS,
}


def require_to_alter(authorizer: Authorizer, subject: Subject, resource_type: int, name: str) -> None:
    _require(authorizer, subject, _ALTER.get(ResourceType(resource_type)), ALTER_CLUSTER_CONFIGS, name)


def require_to_alter_view(authorizer: Authorizer, subject: Subject, image: ClusterImage, resource: Resource) -> None:
    """What a view shows is changed only by who may read its source: else a right on the view would be one on that."""
    topic = image.topics.get(resource.name) if resource.type is ResourceType.TOPIC else None
    if topic is not None and topic.source is not None:
        authorizer.require(subject, READ_TOPIC, topic.source.name)


def require_to_name_topics(
    authorizer: Authorizer, subject: Subject, resource: Resource, values: Iterable[tuple[str, str | None]]
) -> None:
    """Brokers write a group's dead letters where it says: only who could write there may say so."""
    if resource.type is ResourceType.GROUP:
        for name, topic in values:
            if name == ERRORS_DEADLETTERQUEUE_TOPIC_NAME.name and topic:
                authorizer.require(subject, WRITE_TOPIC, topic)


def require_to_describe(authorizer: Authorizer, subject: Subject, resource_type: int, name: str) -> None:
    _require(authorizer, subject, _DESCRIBE.get(ResourceType(resource_type)), DESCRIBE_CLUSTER_CONFIGS, name)


def _require(authorizer: Authorizer, subject: Subject, own: Right | None, clusters: Right, name: str) -> None:
    authorizer.require(subject, own or clusters, CLUSTER_NAME if own is None else name)
