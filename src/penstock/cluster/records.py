"""What is kept in the metastore: one Struct a kind of key, as JSON. Fields are added, never renamed or reused."""

import msgspec

from penstock.metastore import NO_REVISION, Revision
from penstock.model import BrokerId, LeaderEpoch
from penstock.settings.topic import PENSTOCK_VIEW_OF

NO_LEADER = BrokerId(-1)


class ClusterRecord(msgspec.Struct, frozen=True):
    """`cluster`: the cluster's id, which every data folder of its brokers carries too."""

    id: str


class ControllerRecord(msgspec.Struct, frozen=True):
    """`controller`: who decides. Its create revision is the controller epoch."""

    broker: BrokerId


class Endpoint(msgspec.Struct, frozen=True):
    """Where clients of one listener find the broker."""

    host: str
    port: int
    security_protocol: str = "PLAINTEXT"


class BrokerRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """`brokers/<id>`: a live broker. Its create revision is the broker epoch."""

    endpoints: dict[str, Endpoint]
    """By listener name, in the order of the broker's own configuration."""
    folder_id: str
    incarnation: str
    """New with every start of the process."""
    boot_id: str = ""
    """The kernel's: when it changes, page cache was lost (RULES 4)."""
    machine: str = ""
    rack: str | None = None
    peer_listener: str = ""
    """The listener that other brokers use; empty is the first one."""
    is_stopping: bool = False
    """It is on its way out: others take over what it leads, and nobody counts it in sync any more."""
    features: dict[str, tuple[int, int]] = {}
    """The lowest and the highest level of each feature that it can live with."""
    folders: tuple[str, ...] = ()
    """The ids of all its data folders, of which `folder_id` is the first (KIP-858); empty in older records."""


class IdentityRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """`identities/<id>`: who was last registered under this id. It outlives the registration, so that an empty disk
    cannot pass for the one that is missed (RULES 3), nor a machine that was restarted for one that was not (RULES 4).
    """

    folder_id: str
    incarnation: str = ""
    boot_id: str = ""
    machine: str = ""
    endpoints: dict[str, Endpoint] = {}
    """Where it was to be found, for those who ask about brokers that are away."""
    rack: str | None = None
    folders: tuple[str, ...] = ()
    """The ids of all its data folders: one that is not there any more is missed (RULES 46)."""


class SuspectRecord(msgspec.Struct, frozen=True):
    """`suspects/<id>`: a connection to this broker was refused or reset; the controller looks after it. It stays when
    the broker was lost for that, until it is back.
    """

    reporter: BrokerId
    epoch: Revision = NO_REVISION
    """The suspected registration's."""


class CreatingRecord(msgspec.Struct, frozen=True):
    """`creating/<topic id>`, under the creator's lease: partitions that no topic shows yet are being written."""

    broker: BrokerId


class CollisionRecord(msgspec.Struct, frozen=True):
    """`names/<collision key>`: which topic has taken the one name that metrics would know it by."""

    topic: str


class TopicRecord(msgspec.Struct, frozen=True):
    """`topics/<name>`: the topic exists, with this many partitions, each of which was written before."""

    id: str
    partitions: int
    """A view has none of its own."""
    settings: dict[str, str]

    @property
    def is_view(self) -> bool:
        return PENSTOCK_VIEW_OF.name in self.settings


class PartitionRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """`partitions/<topic id>/<n>`. A leader of -1 means that none could be elected."""

    replicas: tuple[BrokerId, ...]
    leader: BrokerId
    leader_epoch: LeaderEpoch
    in_sync: tuple[BrokerId, ...]
    eligible: tuple[BrokerId, ...] = ()
    adding: tuple[BrokerId, ...] = ()
    removing: tuple[BrokerId, ...] = ()
    last_leader: BrokerId = NO_LEADER
    """Who led before nobody did: the last resort where no replica is known to be complete (RULES 4)."""
    without_log: tuple[BrokerId, ...] = ()
    """Replicas that counted, found no log of theirs at a start, and have not been in sync since (RULES 46)."""


class SettingsRecord(msgspec.Struct, frozen=True):
    """`settings/<kind>/<name>`: what was set, as it was written by whoever set it."""

    settings: dict[str, str]


class FeaturesRecord(msgspec.Struct, frozen=True):
    """`features`: the finalized level of each feature. The key's mod revision is the features epoch."""

    levels: dict[str, int]


class ProducerIdsRecord(msgspec.Struct, frozen=True):
    """`producer-ids`: the first producer id that no broker has been given."""

    next: int


class SecretRecord(msgspec.Struct, frozen=True):
    """`secret`: by what brokers know each other, in base64; while it is exchanged also the one to come, or to go."""

    secret: str
    next: str = ""
    previous: str = ""


def encode(record: msgspec.Struct) -> bytes:
    return msgspec.json.encode(record)


class Decoders:
    """One decoder a record type, made once."""

    cluster = msgspec.json.Decoder(ClusterRecord)
    controller = msgspec.json.Decoder(ControllerRecord)
    broker = msgspec.json.Decoder(BrokerRecord)
    identity = msgspec.json.Decoder(IdentityRecord)
    suspect = msgspec.json.Decoder(SuspectRecord)
    creating = msgspec.json.Decoder(CreatingRecord)
    topic = msgspec.json.Decoder(TopicRecord)
    partition = msgspec.json.Decoder(PartitionRecord)
    settings = msgspec.json.Decoder(SettingsRecord)
    features = msgspec.json.Decoder(FeaturesRecord)
    producer_ids = msgspec.json.Decoder(ProducerIdsRecord)
    secret = msgspec.json.Decoder(SecretRecord)
