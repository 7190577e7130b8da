"""What is kept in the metastore: one Struct a kind of key, as JSON. Fields are added, never renamed or reused."""

import msgspec

from penstock.model import BrokerId, LeaderEpoch


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


class TopicRecord(msgspec.Struct, frozen=True):
    """`topics/<name>`: the topic exists, with this many partitions, each of which was written before."""

    id: str
    partitions: int
    settings: dict[str, str]


class PartitionRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """`partitions/<topic id>/<n>`. A leader of -1 means that none could be elected."""

    replicas: tuple[BrokerId, ...]
    leader: BrokerId
    leader_epoch: LeaderEpoch
    in_sync: tuple[BrokerId, ...]
    eligible: tuple[BrokerId, ...] = ()
    adding: tuple[BrokerId, ...] = ()
    removing: tuple[BrokerId, ...] = ()


class SettingsRecord(msgspec.Struct, frozen=True):
    """`settings/<kind>/<name>`: what was set, as it was written by whoever set it."""

    settings: dict[str, str]


class FeaturesRecord(msgspec.Struct, frozen=True):
    """`features`: the finalized level of each feature. The key's mod revision is the features epoch."""

    levels: dict[str, int]


class ProducerIdsRecord(msgspec.Struct, frozen=True):
    """`producer-ids`: the first producer id that no broker has been given."""

    next: int


def encode(record: msgspec.Struct) -> bytes:
    return msgspec.json.encode(record)


class Decoders:
    """One decoder a record type, made once."""

    cluster = msgspec.json.Decoder(ClusterRecord)
    controller = msgspec.json.Decoder(ControllerRecord)
    broker = msgspec.json.Decoder(BrokerRecord)
    topic = msgspec.json.Decoder(TopicRecord)
    partition = msgspec.json.Decoder(PartitionRecord)
    settings = msgspec.json.Decoder(SettingsRecord)
    features = msgspec.json.Decoder(FeaturesRecord)
    producer_ids = msgspec.json.Decoder(ProducerIdsRecord)
