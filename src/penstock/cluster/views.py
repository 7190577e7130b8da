"""Which views there may be, and what may be done with them (docs/adr/0077). Pure."""

from collections.abc import Mapping
from typing import Final

from penstock.cluster.commands import CreateTopic
from penstock.cluster.image.image import ClusterImage
from penstock.cluster.image.shapes import TopicImage
from penstock.cluster.names import is_internal
from penstock.cluster.records import TopicRecord
from penstock.errors import (
    InvalidConfig,
    InvalidPartitions,
    InvalidReplicationFactor,
    InvalidRequest,
    PolicyViolation,
    UnknownTopicOrPartition,
)
from penstock.model import topic_id_text
from penstock.settings.topic import PENSTOCK_VIEW_FILTER, PENSTOCK_VIEW_OF

OWN_SETTINGS: Final = (PENSTOCK_VIEW_OF.name, PENSTOCK_VIEW_FILTER.name)
VIEWS_MAX: Final = 1_000
"""Of one topic."""


def is_view(settings: Mapping[str, str | None]) -> bool:
    return PENSTOCK_VIEW_OF.name in settings


def source_of(command: CreateTopic, settings: Mapping[str, str], image: ClusterImage) -> TopicImage:
    """What a view is to show, or why it cannot."""
    name = settings[PENSTOCK_VIEW_OF.name]
    source = image.topics.get(name)
    if source is None:
        raise UnknownTopicOrPartition(f"{command.name} cannot be a view of {name}: there is no such topic")
    if is_internal(name):
        raise PolicyViolation(f"{command.name} cannot be a view of {name}, which the broker keeps for itself")
    if source.source is not None:
        raise PolicyViolation(
            f"{command.name} cannot be a view of {name}, which is a view itself: make one of the topic that it shows"
        )
    if len(source.views) >= VIEWS_MAX:
        raise PolicyViolation(f"{name} has {VIEWS_MAX} views, and no topic may have more")
    _require_own_settings(command.name, settings)
    _require_shape_of(source, command)
    return source


def _require_shape_of(source: TopicImage, command: CreateTopic) -> None:
    count, factor = len(source.partitions), len(source.partitions[0].replicas)
    if command.assignments:
        raise InvalidRequest(f"{command.name} has its replicas where {source.name} has them: do not assign any")
    if command.partitions not in (-1, count):
        raise InvalidPartitions(f"{command.name} has the {count} partitions of {source.name}: leave their number at -1")
    if command.replication_factor not in (-1, factor):
        raise InvalidReplicationFactor(
            f"{command.name} has the replicas of {source.name}, {factor} each: leave their number at -1"
        )


def check_settings(name: str, *, before: Mapping[str, str], after: Mapping[str, str]) -> None:
    """Of a topic that is there: a view stays one, of the same topic, and no other becomes one."""
    of = PENSTOCK_VIEW_OF.name
    if before.get(of) != after.get(of):
        raise InvalidConfig(f"{of} is given when a topic is created, and never changed")
    if of in after:
        _require_own_settings(name, after)
    elif PENSTOCK_VIEW_FILTER.name in after:
        raise InvalidConfig(f"{PENSTOCK_VIEW_FILTER.name} is for views, and {name} is none: it has no {of}")


def _require_own_settings(name: str, settings: Mapping[str, str]) -> None:
    others = sorted(settings.keys() - set(OWN_SETTINGS))
    if others:
        raise InvalidConfig(f"{name} is a view, and has no {others[0]}: only {' and '.join(OWN_SETTINGS)}")


def require_no_view(topic: TopicImage, what: str) -> None:
    if topic.source is not None:
        raise PolicyViolation(f"{topic.name} is a view: {what}")  # of what, not everybody may know


def require_no_views(topic: TopicImage) -> None:
    """Before it is deleted: a view shows nothing without it."""
    if topic.views:
        names = sorted(view.name for view in topic.views)
        shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
        raise PolicyViolation(f"{topic.name} is shown by views: delete them first ({shown})")


def record_of(topic: TopicImage, settings: Mapping[str, str], *, count: int | None = None) -> TopicRecord:
    """What is kept of it, but with these settings, and this count of partitions."""
    own = len(topic.partitions) if count is None else count
    return TopicRecord(topic_id_text(topic.topic_id), 0 if topic.source is not None else own, dict(settings))
