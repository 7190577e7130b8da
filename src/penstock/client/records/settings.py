"""What a producer and a consumer are told once."""

from typing import Final

import msgspec

ACKS_ALL: Final = -1


class ProducerSettings(msgspec.Struct, frozen=True, kw_only=True):
    acks: int = ACKS_ALL
    """Who must have a record before it counts as written: -1 all in-sync replicas, 1 the leader, 0 nobody."""
    compression: str = "none"
    """none, gzip, snappy, lz4 or zstd."""
    linger_s: float = 0.005
    """How long a batch that is not full waits for more records."""
    batch_bytes: int = 256 * 1024
    buffer_bytes: int = 32 * 1024 * 1024
    """Of records that are not written yet; `send` waits while there are more."""
    delivery_timeout_s: float = 120.0
    """From `send` until a record is given up."""
    create_topics: bool = True
    """Let brokers make a missing topic, where they are set to."""

    @property
    def is_idempotent(self) -> bool:
        """Repeated attempts write a record once: brokers keep a producer's sequence numbers where all replicas do."""
        return self.acks == ACKS_ALL


class ConsumerSettings(msgspec.Struct, frozen=True, kw_only=True):
    read_committed: bool = True
    """Leave out records of aborted transactions, and stop before those of open ones."""
    reset: str | None = "earliest"
    """Where to begin without a position, or when it is gone: earliest, latest, or None to raise OffsetOutOfRange."""
    fetch_wait_s: float = 0.5
    """How long a broker may wait for records before it answers without any."""
    fetch_bytes_min: int = 1
    fetch_bytes: int = 16 * 1024 * 1024
    """Of one answer, of each broker: what is not handed out yet is at most so much, times the brokers."""
    partition_bytes: int = 1024 * 1024
    """Of one partition in an answer. A single batch may be larger."""
    group: str | None = None
    """Read as a member of this group: the broker shares out the partitions of `topics` (KIP-848)."""
    topics: tuple[str, ...] = ()
    auto_commit: bool = True
    """With a group: what `poll` handed out is committed by a later `poll`, and by `close`."""
    auto_commit_s: float = 5.0
    connection_name: str = "fetch"
    """Consumers of one client that share it wait for each other's fetches. `close` ends the connections of a name that
    is not this one."""
    instance_id: str | None = None
    """A member that comes back under its name keeps its partitions."""
    rebalance_timeout_s: float = 300.0
    """How long this member may take to give up a partition: between two polls, at most so long."""


class ShareConsumerSettings(msgspec.Struct, frozen=True, kw_only=True):
    group: str
    topics: tuple[str, ...]
    auto_accept: bool = True
    """What `poll` handed out is accepted by the next `poll`, `commit` or `close`, unless something else was said of it.
    Off: what nothing is said of stays lent until its time is over."""
    fetch_wait_s: float = 0.5
    """How long a broker may wait for records before it answers without any. What is acknowledged waits as long."""
    fetch_bytes_min: int = 1
    fetch_bytes: int = 16 * 1024 * 1024
    fetch_records: int = 500
    """How many records a broker shall lend at once, about: batches come whole."""
    is_strict: bool = False
    """Never more than that, though it costs the broker more (Kafka 4.2 and later)."""
    rack: str | None = None
