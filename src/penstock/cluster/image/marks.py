"""The small keys around membership, as the image holds them: identities, suspects, and topics being created."""

from typing import NamedTuple

from penstock.cluster.records import Decoders, IdentityRecord, SuspectRecord
from penstock.metastore import KeyValue, Revision
from penstock.model import BrokerId, TopicId, topic_id_from_text, topic_id_text


class Creating(NamedTuple):
    broker: BrokerId
    revision: Revision
    """The mark's create revision: whoever shows the topic compares it, whoever sweeps compares that it is gone."""


class Marks:
    def __init__(self) -> None:
        self.identities: dict[BrokerId, IdentityRecord] = {}
        self.identity_revisions: dict[BrokerId, Revision] = {}
        self.suspects: dict[BrokerId, SuspectRecord] = {}
        self.creating: dict[TopicId, Creating] = {}

    def steps(self) -> list[tuple[str, str]]:
        """Where each mark is kept: the two steps of its key."""
        return [
            *(("identities", str(broker)) for broker in self.identities),
            *(("suspects", str(broker)) for broker in self.suspects),
            *(("creating", topic_id_text(topic_id)) for topic_id in self.creating),
        ]

    def apply(self, folder: str, name: str, item: KeyValue | None) -> bool:
        """Take one key's word; True where it is news to the controller."""
        match folder:
            case "identities":
                self._apply_identity(BrokerId(int(name)), item)
                return False
            case "suspects":
                self._apply_suspect(BrokerId(int(name)), item)
                return item is not None
            case "creating":
                self._apply_creating(topic_id_from_text(name), item)
                return item is None
            case _:
                return False

    def _apply_identity(self, broker: BrokerId, item: KeyValue | None) -> None:
        if item is None:
            self.identities.pop(broker, None)
            self.identity_revisions.pop(broker, None)
        else:
            self.identities[broker] = Decoders.identity.decode(item.value)
            self.identity_revisions[broker] = item.mod_revision

    def _apply_suspect(self, broker: BrokerId, item: KeyValue | None) -> None:
        if item is None:
            self.suspects.pop(broker, None)
        else:
            self.suspects[broker] = Decoders.suspect.decode(item.value)

    def _apply_creating(self, topic_id: TopicId, item: KeyValue | None) -> None:
        if item is None:
            self.creating.pop(topic_id, None)
        else:
            self.creating[topic_id] = Creating(Decoders.creating.decode(item.value).broker, item.create_revision)
