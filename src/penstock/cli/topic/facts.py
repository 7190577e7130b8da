"""What describe says about topics' settings, asked of the cluster in as few requests as it takes."""

from dataclasses import dataclass

from penstock.cli.client import Cluster
from penstock.cli.kafka_names import AdminClient, ConfigResource, ConfigSource, ResourceType


@dataclass(frozen=True)
class SettingFact:
    name: str
    value: str | None
    source: str
    is_default: bool


_SOURCES = {
    ConfigSource.DYNAMIC_TOPIC_CONFIG: "topic",
    ConfigSource.DYNAMIC_BROKER_CONFIG: "broker, dynamic",
    ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG: "cluster default",
    ConfigSource.STATIC_BROKER_CONFIG: "broker's file",
    ConfigSource.DEFAULT_CONFIG: "default",
}


def topic_settings(admin: AdminClient, cluster: Cluster, topics: list[str]) -> dict[str, list[SettingFact]]:
    resources = [ConfigResource(ResourceType.TOPIC, name) for name in topics]
    futures = admin.describe_configs(resources, request_timeout=cluster.timeout_s)
    found = {}
    for resource, future in futures.items():
        entries = cluster.wait(future, doing=f"read the settings of {resource.name}")
        found[resource.name] = sorted(
            (_fact(entry.name, entry.value, entry.source, entry.is_default) for entry in entries.values()),
            key=lambda fact: fact.name,
        )
    return found


def _fact(name: str, value: str | None, source: object, is_default: bool) -> SettingFact:
    code = ConfigSource(source) if isinstance(source, int) else source
    known = _SOURCES.get(code, str(code)) if isinstance(code, ConfigSource) else str(code)
    return SettingFact(name, value, known, is_default)
