"""The settings of a resource, explained: each one's value and where it comes from."""

from penstock.cluster import names
from penstock.cluster.image import ClusterImage
from penstock.cluster.resources import Resource, ResourceType
from penstock.errors import InvalidRequest, UnknownTopicOrPartition
from penstock.model import BrokerId
from penstock.settings.config import Config, Explanation, Overrides
from penstock.settings.setting import Scope, settings_of


def explain(resource: Resource, image: ClusterImage, config: Config, *, broker_id: BrokerId) -> list[Explanation]:
    """Every setting of the resource; in Kafka's words where there is no such resource, or not on this broker."""
    match resource.type:
        case ResourceType.TOPIC:
            names.check(resource.name)
            topic = image.topics.get(resource.name)
            if topic is None:
                raise UnknownTopicOrPartition
            return _all(config.for_topic(topic.overrides))
        case ResourceType.BROKER if not resource.name:
            table = settings_of(Scope.BROKER)
            return [config.explain_cluster_default(table[name]) for name in sorted(config.dynamic_defaults)]
        case ResourceType.BROKER:
            if broker_number(resource.name) != broker_id:
                raise InvalidRequest(
                    f"Unexpected broker id, expected {broker_id} or empty string, but received {resource.name}"
                )
            return [config.explain(setting) for setting in config.settings()]
        case ResourceType.GROUP:
            if not resource.name:
                raise InvalidRequest("Group name must not be empty")
            return _all(config.for_group(image.settings.get(resource, {})))
        case ResourceType.CLIENT_METRICS:
            if not resource.name:
                raise InvalidRequest("Client metrics subscription name must not be empty")
            return _all(config.for_client_metrics(image.settings.get(resource, {})))
        case _:
            raise InvalidRequest(f"Unsupported resource type: {resource.type.name}")


def broker_number(name: str) -> int:
    try:
        return int(name)
    except ValueError:
        raise InvalidRequest(f"Broker id must be an integer, but it is: {name}") from None


def _all(settings: Overrides) -> list[Explanation]:
    return [settings.explain(setting) for setting in settings.settings()]
