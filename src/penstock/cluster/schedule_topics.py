"""Which schedule topics there may be: their settings, partitions and targets. Pure.

Where brokers may make them on first use, three names mean one: `orders.later`; `_delay.30s.orders` for records that
wait 30 seconds without saying so; and `_retry.billing.orders` for what the group `billing` failed on, which goes on to
`orders.retry.billing`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from penstock.cluster.commands import CreateTopic
from penstock.cluster.image.image import ClusterImage
from penstock.cluster.image.shapes import TopicImage
from penstock.cluster.names import is_internal
from penstock.cluster.resources import ResourceType
from penstock.errors import InvalidConfig, InvalidPartitions, InvalidReplicaAssignment, PolicyViolation
from penstock.settings.broker import PENSTOCK_SCHEDULE_AUTO_CREATE_ENABLE
from penstock.settings.config import Config
from penstock.settings.group_retries import RETRY_TOPIC_NAME
from penstock.settings.topic import PENSTOCK_RETRY_GROUP, PENSTOCK_SCHEDULE_DELAY_MS, PENSTOCK_SCHEDULE_TARGET

LATER: Final = ".later"
_DELAY: Final = re.compile(r"_delay\.(\d{1,9})(ms|s|m|h|d)\.(.+)")
_UNITS: Final = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_RETRY: Final = "_retry."
_RETRIED: Final = ".retry."
_TARGET: Final = PENSTOCK_SCHEDULE_TARGET.name
_GROUP: Final = PENSTOCK_RETRY_GROUP.name
_DELAY_MS: Final = PENSTOCK_SCHEDULE_DELAY_MS.name
_GIVEN_ONCE: Final = {_TARGET: "", _GROUP: "", _DELAY_MS: "-1"}
"""What waits follows from the log and from these (S4); with what they are where nobody says."""
_STAMPED: Final = ("message.timestamp.type", "LogAppendTime")
"""Of retry topics: a consumer may hand on the timestamp that a record had, which is no time to count from."""


def completed(command: CreateTopic, image: ClusterImage, config: Config) -> CreateTopic:
    """With as many partitions and replicas as its target, unless others are asked for."""
    if _goes_by_name(command, config):
        command = _by_name(command, image)
    given = dict(command.settings)
    if given.get(_GROUP) and _STAMPED[0] not in given:
        command = msgspec.structs.replace(command, settings=(*command.settings, _STAMPED))
    target = image.topics.get(dict(command.settings).get(_TARGET) or "")
    if target is None or command.assignments:
        return command
    count, factor = len(target.partitions), len(target.partitions[0].replicas)
    return msgspec.structs.replace(
        command,
        partitions=count if command.partitions == -1 else command.partitions,
        replication_factor=factor if command.replication_factor == -1 else command.replication_factor,
    )


def targets(command: CreateTopic, config: Config) -> Sequence[str]:
    """Where its records would go on to, whether or not there is such a topic: whoever makes it may write there."""
    if _goes_by_name(command, config):
        return [target for target, _ in _named(command.name)]
    target = dict(command.settings).get(_TARGET)
    return [target] if target else []


def _goes_by_name(command: CreateTopic, config: Config) -> bool:
    is_on_demand = not command.settings and command.partitions == command.replication_factor == -1
    return is_on_demand and not command.assignments and config[PENSTOCK_SCHEDULE_AUTO_CREATE_ENABLE]


def _by_name(command: CreateTopic, image: ClusterImage) -> CreateTopic:
    name = command.name
    retried = _retried(name, image)
    if retried is not None:  # what is tried again comes there: it has the partitions of the topic where it failed
        first = image.topics[retried].partitions
        return msgspec.structs.replace(command, partitions=len(first), replication_factor=len(first[0].replicas))
    retry = _retry(name, image)
    if retry is not None:
        stands_for_group, topic = retry
        group = (_GROUP, _group_of(stands_for_group, image))
        target = (_TARGET, f"{topic}{_RETRIED}{stands_for_group}")
        return msgspec.structs.replace(command, settings=(target, group))
    if name.startswith(_RETRY):
        return command  # of which topic, nobody knows
    for target_name, delay_ms in _named(name):
        if _may_be_target(target_name, image):
            delay = () if delay_ms is None else ((_DELAY_MS, str(delay_ms)),)
            return msgspec.structs.replace(command, settings=((_TARGET, target_name), *delay))
    return command


def _named(name: str) -> Iterator[tuple[str, int | None]]:
    """What its name may say: the target, and for how long records wait."""
    base = name.removesuffix(LATER)
    if base != name:
        yield base, None
    delay = _DELAY.fullmatch(name)
    if delay is not None:
        yield delay[3], int(delay[1]) * _UNITS[delay[2]]
    for stands_for_group, topic in _ways(name):
        yield f"{topic}{_RETRIED}{stands_for_group}", None


def needed_first(names: Iterable[str], image: ClusterImage, config: Config) -> list[str]:
    """Targets of retry topics that are made on first use: they are made so as well."""
    if not config[PENSTOCK_SCHEDULE_AUTO_CREATE_ENABLE]:
        return []
    pairs = [found for name in names if (found := _retry(name, image)) is not None]
    targets = [f"{topic}{_RETRIED}{stands_for_group}" for stands_for_group, topic in pairs]
    return [target for target in dict.fromkeys(targets) if target not in image.topics]


def _retry(name: str, image: ClusterImage) -> tuple[str, str] | None:
    """What stands for the group, and the topic, of `_retry.GROUP.TOPIC`. Both may have dots: the topic that is there
    tells. None where two are.
    """
    found = [(group, topic) for group, topic in _ways(name) if _may_be_target(topic, image)]
    return found[0] if len(found) == 1 else None


def _ways(name: str) -> list[tuple[str, str]]:
    if not name.startswith(_RETRY):
        return []
    words = name.removeprefix(_RETRY).split(".")
    ways = [(".".join(words[:place]), ".".join(words[place:])) for place in range(1, len(words))]
    return [(group, topic) for group, topic in ways if group and topic]


def _retried(name: str, image: ClusterImage) -> str | None:
    """The topic whose records come to `TOPIC.retry.GROUP` again."""
    topic, found, group = name.rpartition(_RETRIED)
    return topic if found and group and _may_be_target(topic, image) else None


def _group_of(stands_for_group: str, image: ClusterImage) -> str:
    for resource, settings in image.settings.items():
        if resource.type is ResourceType.GROUP and settings.get(RETRY_TOPIC_NAME.name) == stands_for_group:
            return resource.name
    return stands_for_group


def _may_be_target(name: str, image: ClusterImage) -> bool:
    topic = image.topics.get(name)
    return topic is not None and not is_internal(name) and topic.source is None and _TARGET not in topic.overrides


def check_new(command: CreateTopic, settings: Mapping[str, str], image: ClusterImage) -> None:
    name = settings.get(_TARGET)
    if not name:
        if settings.get(_GROUP):
            raise InvalidConfig(f"{_GROUP} goes with {_TARGET}, the topic that takes what is tried again")
        if settings.get(_DELAY_MS, "-1") != "-1":
            raise InvalidConfig(f"{_DELAY_MS} is for schedule topics: without {_TARGET} no record waits")
        return
    if settings.get(_GROUP) and settings.get(_DELAY_MS, "-1") != "-1":
        raise InvalidConfig(
            f"{_GROUP} and {_DELAY_MS} exclude each other: how long a record waits is the group's to say"
        )
    if not _may_be_target(name, image):
        what = "is no topic that takes records: none, one of the brokers' own, a view, or a schedule topic itself"
        raise InvalidConfig(f"{_TARGET}: {name} {what}")
    target = image.topics[name]
    if command.assignments:
        if len(command.assignments) > len(target.partitions):
            raise InvalidReplicaAssignment(_too_many(name, target))
    elif command.partitions > len(target.partitions):
        raise InvalidPartitions(_too_many(name, target))


def check_growth(topic: TopicImage, count: int, image: ClusterImage) -> None:
    target = image.topics.get(topic.overrides.get(_TARGET, ""))
    if target is not None and count > len(target.partitions):
        raise InvalidPartitions(_too_many(target.name, target))


def _too_many(name: str, target: TopicImage) -> str:
    return f"a schedule topic has at most as many partitions as its target {name}, which has {len(target.partitions)}"


def check_group(group_id: str, after: Mapping[str, str], image: ClusterImage) -> None:
    """A topic that is made on first use belongs to one group."""
    name = after.get(RETRY_TOPIC_NAME.name, "")
    others = (
        other.name
        for other, settings in image.settings.items()
        if other.type is ResourceType.GROUP and settings.get(RETRY_TOPIC_NAME.name) == name and other.name != group_id
    )
    if name and (other := next(others, None)) is not None:
        raise InvalidConfig(f"{RETRY_TOPIC_NAME.name}: {name} stands for the group {other} already")


def check_altered(before: Mapping[str, str], after: Mapping[str, str]) -> None:
    for name, default in _GIVEN_ONCE.items():
        if before.get(name, default) != after.get(name, default):
            raise InvalidConfig(f"{name} is given when a topic is made, and not altered: make another topic")


def check_deletion(topic: TopicImage, image: ClusterImage) -> None:
    """S8: nobody takes the target away without hearing of what waits for it."""
    schedules = sorted(other.name for other in image.topics.values() if other.overrides.get(_TARGET) == topic.name)
    if schedules:
        raise PolicyViolation(f"records wait for {topic.name} in {', '.join(schedules)}: delete those topics first")
