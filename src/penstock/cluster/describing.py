"""The settings of a resource, explained: each one's value and where it comes from."""

from penstock.cluster import names
from penstock.cluster.image.image import ClusterImage
from penstock.cluster.resources import Resource, ResourceType
from penstock.cluster.views import OWN_SETTINGS
from penstock.errors import InvalidRequest, UnknownTopicOrPartition
from penstock.model import BrokerId
from penstock.settings.config import Config, Explanation, Overrides, row_of
from penstock.settings.setting import Scope


def explain(resource: Resource, image: ClusterImage, config: Config, *, broker_id: BrokerId) -> list[Explanation]:
    """Every setting of the resource; a refusal where there is no such resource, or not on this broker."""
    match resource.type:
        case ResourceType.TOPIC:
            names.check(resource.name)
            topic = image.topics.get(resource.name)
            if topic is None:
                raise UnknownTopicOrPartition
            explained = _all(config.for_topic(topic.overrides))
            return explained if topic.source is None else [one for one in explained if one.setting.name in OWN_SETTINGS]
        case ResourceType.BROKER if not resource.name:
            rows = (row_of(Scope.BROKER, name) for name in sorted(config.dynamic_defaults))
            return [config.explain_cluster_default(row) for row in rows if row is not None]
        case ResourceType.BROKER:
            require_this_broker(resource.name, broker_id)
            return [config.explain(setting) for setting in config.settings()]
        case ResourceType.GROUP:
            if not resource.name:
                raise InvalidRequest("name a group")
            return _all(config.for_group(image.settings.get(resource, {})))
        case ResourceType.CLIENT_METRICS:
            if not resource.name:
                raise InvalidRequest("name a client metrics subscription")
            return _all(config.for_client_metrics(image.settings.get(resource, {})))
        case _:
            raise InvalidRequest(f"nothing can be configured of resource type {resource.type.name}")


def require_this_broker(name: str, broker_id: BrokerId) -> None:
    """A single broker's settings and loggers are told, and taken, by itself only."""
    try:
        number = int(name)
    except ValueError:
        raise InvalidRequest("a broker is named by its id, which is a whole number") from None
    if number != broker_id:
        raise InvalidRequest(f"this is broker {broker_id}: broker {number} answers for its own settings itself")


def _all(settings: Overrides) -> list[Explanation]:
    return [settings.explain(setting) for setting in settings.settings()]
