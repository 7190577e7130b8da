"""Which topics share groups may have their dead letters written to. Pure.

Its owner lets a topic be one (errors.deadletterqueue.group.enable); the group names it. Brokers write to it then.
"""

from collections.abc import Mapping
from typing import Final

from penstock.cluster import names
from penstock.cluster.commands import CreateTopic
from penstock.cluster.image.image import ClusterImage
from penstock.errors import InvalidConfig
from penstock.settings.broker import ERRORS_DEADLETTERQUEUE_TOPIC_NAME_PREFIX
from penstock.settings.config import Config
from penstock.settings.group import ERRORS_DEADLETTERQUEUE_TOPIC_NAME
from penstock.settings.topic import CLEANUP_POLICY, ERRORS_DEADLETTERQUEUE_GROUP_ENABLE, PENSTOCK_SCHEDULE_TARGET

_NAME: Final = ERRORS_DEADLETTERQUEUE_TOPIC_NAME.name


def check_group(before: Mapping[str, str], after: Mapping[str, str], image: ClusterImage, config: Config) -> None:
    """Whether a group may name its topic; that it does not exist yet, or does not let it, may change."""
    name = after.get(_NAME, "")
    if not name or name == before.get(_NAME):
        return
    prefix = config[ERRORS_DEADLETTERQUEUE_TOPIC_NAME_PREFIX]
    if not name.startswith(prefix):
        raise InvalidConfig(f"{_NAME}: {name} does not begin with {prefix!r}")
    problem = names.what_is_wrong_with(name) or why_none(name, image, config)
    if problem is not None:
        raise InvalidConfig(f"{_NAME}: {problem}")


def why_none(name: str, image: ClusterImage, config: Config) -> str | None:
    """Why this topic takes no dead letters, whatever its owner allows; None where it may, or is not there."""
    topic = image.topics.get(name)
    if names.is_internal(name):
        return f"{name} is the brokers' own"
    if topic is None:
        return None
    if topic.source is not None:
        return f"{name} is a view, which has no records of its own"
    settings = config.for_topic(topic.overrides)
    if settings[PENSTOCK_SCHEDULE_TARGET]:
        return f"{name} is a schedule topic, whose records say when they are due"
    if "compact" in settings[CLEANUP_POLICY]:
        return f"{name} is compacted, and would keep one dead letter of each key"
    return None


def why_not_now(name: str, image: ClusterImage, config: Config) -> str | None:
    """Why no dead letter can be written there at this moment."""
    topic = image.topics.get(name)
    if topic is None:
        return f"there is no topic {name}"
    if not config.for_topic(topic.overrides)[ERRORS_DEADLETTERQUEUE_GROUP_ENABLE]:
        return f"{name} does not let groups write dead letters: {ERRORS_DEADLETTERQUEUE_GROUP_ENABLE.name} is false"
    return why_none(name, image, config)


def to_create(name: str) -> CreateTopic:
    """With as many partitions and replicas as any topic has that does not say."""
    enabled = (ERRORS_DEADLETTERQUEUE_GROUP_ENABLE.name, "true")
    return CreateTopic(name, partitions=-1, replication_factor=-1, settings=(enabled,))
