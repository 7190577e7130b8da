"""What a resource's settings become when a client changes them, and whether they may."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from penstock.cluster import dead_letter_topics, names, schedule_topics, views
from penstock.cluster.commands import Operation, SettingChange
from penstock.cluster.describing import require_this_broker
from penstock.cluster.image.image import ClusterImage
from penstock.cluster.resources import Resource, ResourceType
from penstock.errors import InvalidConfig, InvalidRequest, UnknownTopicOrPartition
from penstock.model import BrokerId
from penstock.settings.broker_log import MIN_INSYNC_REPLICAS
from penstock.settings.config import Config, row_of
from penstock.settings.setting import Scope
from penstock.settings.types import Kind
from penstock.settings.validation import check_broker, check_client_metrics, check_group, check_topic

SETTINGS_CHARACTERS_MAX = 128 * 1024
"""What all settings of one resource may take, names and values together: written as JSON, a character may become six
bytes, and a transaction of the metastore is bounded."""

RESOURCE_NAME_MAX = 32_767
"""Characters in the name of a group or subscription; the name becomes part of a key."""

_SCOPES = {
    ResourceType.TOPIC: Scope.TOPIC,
    ResourceType.BROKER: Scope.BROKER,
    ResourceType.GROUP: Scope.GROUP,
    ResourceType.CLIENT_METRICS: Scope.CLIENT_METRICS,
}


def current(image: ClusterImage, resource: Resource) -> Mapping[str, str]:
    if resource.type is ResourceType.TOPIC:
        topic = image.topics.get(resource.name)
        return {} if topic is None else topic.overrides
    return image.settings.get(resource, {})


def altered(resource: Resource, before: Mapping[str, str], changes: Sequence[SettingChange]) -> dict[str, str]:
    """The settings after each change in turn; not yet checked as a whole."""
    require_well_formed(changes)
    after = dict(before)
    for change in changes:
        match change.operation:
            case Operation.SET:
                after[change.name] = change.value or ""
            case Operation.DELETE:
                after.pop(change.name, None)
            case Operation.APPEND:
                there = _entries(resource, change, before)
                added = [entry for entry in (change.value or "").split(",") if entry not in there]
                after[change.name] = ",".join([*there, *dict.fromkeys(added)])
            case Operation.SUBTRACT:
                taken = (change.value or "").split(",")
                there = _entries(resource, change, before)
                after[change.name] = ",".join(entry for entry in there if entry not in taken)
            case unknown:
                raise no_such_operation(unknown)
    return after


def no_such_operation(number: int) -> InvalidRequest:
    return InvalidRequest(f"{number} is no operation: {', '.join(f'{one.value} is {one.name}' for one in Operation)}")


def replaced(settings: Iterable[tuple[str, str | None]]) -> dict[str, str]:
    """Settings that come as a whole (AlterConfigs)."""
    given = [SettingChange(name, Operation.SET, value) for name, value in settings]
    require_well_formed(given)
    return {change.name: change.value or "" for change in given}


def require_alterable(resource: Resource, type_number: int, *, broker_id: BrokerId) -> None:
    """Whether this broker takes changes of the resource; of single brokers it takes only its own."""
    if resource.type not in _SCOPES:
        raise _not_alterable(type_number)
    if resource.type is ResourceType.BROKER and resource.name:
        require_this_broker(resource.name, broker_id)


def _not_alterable(type_number: int) -> InvalidRequest:
    those = ", ".join(f"{one.name} ({one.value})" for one in _SCOPES)
    return InvalidRequest(f"settings of resource type {type_number} cannot be altered, only those of {those}")


def require_well_formed(changes: Sequence[SettingChange]) -> None:
    twice = [name for name, times in Counter(change.name for change in changes).items() if times > 1]
    if twice:
        raise InvalidRequest(f"{twice[0][:100]} comes more than once in the request: give each setting one change")
    without = [change.name for change in changes if change.value is None and change.operation != Operation.DELETE]
    if without:
        raise InvalidRequest(f"no value is given for {', '.join(without)}")


def _entries(resource: Resource, change: SettingChange, before: Mapping[str, str]) -> list[str]:
    """The list that a setting holds now: only lists can be added to and taken from."""
    row = row_of(_SCOPES[resource.type], change.name)
    if row is None or row.kind is not Kind.LIST:
        name = Operation(change.operation).name
        raise InvalidConfig(f"{name} is for settings that are lists, and {change.name} is none: use SET")
    text = before.get(change.name)
    if text is None:
        text = row.format(row.default) or ""
    return [entry for entry in text.split(",") if entry]


def require_moderate_size(settings: Mapping[str, str]) -> None:
    if sum(len(name) + len(value) for name, value in settings.items()) > SETTINGS_CHARACTERS_MAX:
        raise InvalidConfig(f"the settings of one resource may have {SETTINGS_CHARACTERS_MAX} characters together")


def check(
    image: ClusterImage,
    config: Config,
    resource: Resource,
    *,
    before: Mapping[str, str],
    after: Mapping[str, str],
) -> None:
    """Raise the refusal that Kafka would give for these settings of this resource."""
    require_moderate_size(after)
    if len(resource.name) > RESOURCE_NAME_MAX:
        raise InvalidRequest(f"a name may have {RESOURCE_NAME_MAX} characters")
    match resource.type:
        case ResourceType.TOPIC:
            if not resource.name:
                raise InvalidRequest("name a topic: what holds for all topics is set on the broker")
            names.check(resource.name)
            check_topic(after, config, before=before)
            _check_state_is_kept(resource.name, before=before, after=after)
            schedule_topics.check_altered(before, after)
            if resource.name not in image.topics:
                raise UnknownTopicOrPartition(f"there is no topic {resource.name}")
            views.check_settings(resource.name, before=before, after=after)
        case ResourceType.BROKER:
            changed = {name: value for name, value in after.items() if before.get(name) != value}
            _check_min_in_sync(resource, before=before, after=after)
            check_broker(changed, config, cluster_wide=not resource.name)
        case ResourceType.GROUP:
            if not resource.name:
                raise InvalidRequest("name a group: what holds for all groups is set on the broker")
            check_group(after, config)
            dead_letter_topics.check_group(before, after, image, config)
            schedule_topics.check_group(resource.name, after, image)
        case ResourceType.CLIENT_METRICS:
            if not resource.name:
                raise InvalidRequest("name a client metrics subscription")
            check_client_metrics(after)
        case _:
            raise _not_alterable(resource.type)


def _check_state_is_kept(topic: str, *, before: Mapping[str, str], after: Mapping[str, str]) -> None:
    if topic != names.SHARE_GROUP_STATE:
        return
    for name, value in names.SHARE_STATE_IS_KEPT.items():
        if after.get(name) not in (value, before.get(name)):
            raise InvalidConfig(f"{name} of {topic} stays {value}: records that were acknowledged would come again")


def _check_min_in_sync(resource: Resource, *, before: Mapping[str, str], after: Mapping[str, str]) -> None:
    """It is one number for the whole cluster (`agreeing`): no broker has one of its own, and nobody removes it."""
    name = MIN_INSYNC_REPLICAS.name
    if resource.name and name in after and after[name] != before.get(name):
        raise InvalidConfig(f"{name} is one number for the whole cluster: set it for all brokers, or for a topic")
    if not resource.name and name in before and name not in after:
        raise InvalidConfig(f"{name} is one number for the whole cluster, which cannot be removed: set another")
