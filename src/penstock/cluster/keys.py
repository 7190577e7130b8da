"""Where each part of the metadata is kept: `/penstock/<cluster>/...` (the table in the design)."""

from urllib.parse import quote, unquote

from penstock.cluster.image.entries import EntryKind
from penstock.cluster.resources import BROKER_DEFAULTS, Resource, ResourceType

_FOLDERS = {ResourceType.BROKER: "brokers", ResourceType.GROUP: "groups", ResourceType.CLIENT_METRICS: "client-metrics"}
_TYPES = {folder: type_ for type_, folder in _FOLDERS.items()}
_DEFAULTS = "default"
_ENTRY_FOLDERS = frozenset(EntryKind)


class Keys:
    """The keys of one cluster. A store may hold several clusters, told apart by name."""

    def __init__(self, cluster: str) -> None:
        self.prefix = f"/penstock/{quote(cluster, safe='')}/"
        self.cluster = self.prefix + "cluster"
        self.controller = self.prefix + "controller"
        self.features = self.prefix + "features"
        self.producer_ids = self.prefix + "producer-ids"
        self.secret = self.prefix + "secret"

    def broker(self, broker_id: int) -> str:
        return f"{self.prefix}brokers/{broker_id}"

    def identity(self, broker_id: int) -> str:
        return f"{self.prefix}identities/{broker_id}"

    def barrier(self, broker_id: int) -> str:
        """Written to see how far the image is; it holds nothing."""
        return f"{self.prefix}barriers/{broker_id}"

    def suspect(self, broker_id: int) -> str:
        return f"{self.prefix}suspects/{broker_id}"

    def creating(self, topic_id: str) -> str:
        return f"{self.prefix}creating/{topic_id}"

    def collision(self, collision_key: str) -> str:
        return f"{self.prefix}names/{collision_key}"

    def topic(self, name: str) -> str:
        return f"{self.prefix}topics/{name}"

    def partition(self, topic_id: str, index: int) -> str:
        return f"{self.prefix}partitions/{topic_id}/{index}"

    def partitions_of(self, topic_id: str) -> str:
        """The prefix under which all partitions of a topic are."""
        return f"{self.prefix}partitions/{topic_id}/"

    def settings(self, resource: Resource) -> str:
        """A topic's settings are in the topic itself; every other resource has a key of its own."""
        name = _DEFAULTS if resource == BROKER_DEFAULTS else quote(resource.name, safe="")
        return f"{self.prefix}settings/{_FOLDERS[resource.type]}/{name}"

    def from_files(self, setting: str) -> str:
        """What brokers' settings files last made the cluster's value of a setting that all must agree on."""
        return f"{self.prefix}from-files/{setting}"

    def entry(self, kind: EntryKind, name: str) -> str:
        return f"{self.prefix}{kind}/{quote(name, safe='')}"

    def parts(self, key: str) -> list[str]:
        """The steps of a key below the prefix: ["topics", "orders"]."""
        return key.removeprefix(self.prefix).split("/")


def entry_at(folder: str, name: str) -> tuple[EntryKind, str] | None:
    """Which entry is kept in <folder>/<name>; None where that is no folder of entries."""
    return (EntryKind(folder), unquote(name)) if folder in _ENTRY_FOLDERS else None


def resource_at(folder: str, name: str) -> Resource | None:
    """The other way round: whose settings are kept in settings/<folder>/<name>. None for a kind of a newer version."""
    type_ = _TYPES.get(folder)
    if type_ is None:
        return None
    if type_ is ResourceType.BROKER and name == _DEFAULTS:
        return BROKER_DEFAULTS
    return Resource(type_, unquote(name))
