"""What describe says about topics' settings, asked of the cluster in as few requests as it takes."""

from dataclasses import dataclass
from typing import Final

from penstock.cli.client import Cluster
from penstock.client import Resource, ResourceType

DEFAULT_SOURCE: Final = 5
_SOURCES: Final = {
    1: "topic",
    2: "broker, dynamic",
    3: "cluster default",
    4: "broker's file",
    DEFAULT_SOURCE: "default",
}
"""By what DescribeConfigs calls the source of a setting."""


@dataclass(frozen=True)
class SettingFact:
    name: str
    value: str | None
    source: str
    is_default: bool


def topic_settings(cluster: Cluster, topics: list[str]) -> dict[str, list[SettingFact]]:
    outcomes = cluster.client().describe_configs([Resource(ResourceType.TOPIC, name) for name in topics])
    found = {}
    for resource, outcome in outcomes.items():
        settings = cluster.value(outcome, doing=f"read the settings of {resource.name}")
        found[resource.name] = [
            SettingFact(
                each.name,
                each.value,
                _SOURCES.get(each.config_source, f"source {each.config_source}"),
                each.config_source == DEFAULT_SOURCE,
            )
            for _, each in sorted(settings.items())
        ]
    return found
