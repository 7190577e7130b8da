"""Whose settings a broker takes changes of."""

import pytest

from penstock.cluster.alterations import require_alterable
from penstock.cluster.resources import Resource, ResourceType
from penstock.errors import InvalidRequest, Refusal
from penstock.model import BrokerId


@pytest.mark.parametrize(
    "resource",
    [Resource(ResourceType.TOPIC, "orders"), Resource(ResourceType.BROKER, ""), Resource(ResourceType.BROKER, "1")],
)
def test_settings_of_topics_of_all_brokers_and_of_this_one_can_be_altered(resource: Resource) -> None:
    require_alterable(resource, resource.type.value, broker_id=BrokerId(1))


def test_another_brokers_settings_are_its_own() -> None:
    with pytest.raises(Refusal):
        require_alterable(Resource(ResourceType.BROKER, "2"), ResourceType.BROKER.value, broker_id=BrokerId(1))


def test_what_has_no_settings_is_refused_by_its_number() -> None:
    with pytest.raises(InvalidRequest, match="type 77"):
        require_alterable(Resource(ResourceType.UNKNOWN, "x"), 77, broker_id=BrokerId(1))
