"""The largest batch that may be taken goes wherever a batch goes: into a request, to followers, through compaction."""

from pathlib import Path

from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from tests.support.batches import Rec, batch, describe
from tests.support.clients import WITHIN_S, read_to_end
from tests.support.faults import Client, now_ms, one
from tests.support.programs import ClusterOfPrograms
from tests.support.reassigning import reassign

from penstock.settings import Config
from penstock.settings.batch_size import batch_bytes_max

INVALID_CONFIG, TOO_LARGE = 40, 10
LARGEST = batch_bytes_max(Config.for_broker())
SETTINGS = {
    # Nobody is killed here: a broker that a busy machine keeps waiting is not to lose what it leads.
    "penstock.broker.lease.ms": "60000",
    "penstock.broker.heartbeats.missed.max": "1000",
    "auto.leader.rebalance.enable": "false",
    "replica.lag.time.max.ms": "600000",
    "log.cleaner.backoff.ms": "100",
}
COMPACTED = {
    "max.message.bytes": str(LARGEST),
    "cleanup.policy": "compact",
    "min.cleanable.dirty.ratio": "0",
    "segment.bytes": str(LARGEST + 1000),
    "min.insync.replicas": "2",
}


def of_size(size: int, digit: bytes) -> bytes:
    """A batch of one record with the key `large`."""
    now = now_ms()
    beside = len(batch([Rec(digit * size, key=b"large")], base_timestamp=now)) - size
    made = batch([Rec(digit * (size - beside), key=b"large")], base_timestamp=now)
    assert len(made) == size
    return made


def test_the_largest_batch_is_replicated_and_compacted_and_other_partitions_go_on(tmp_path: Path) -> None:
    with ClusterOfPrograms(tmp_path, SETTINGS, brokers=3, etcd=1) as cluster:
        admin = AdminClient({"bootstrap.servers": cluster.bootstrap})
        wanted = [
            NewTopic("large", 1, replica_assignment=[[1, 2]], config=COMPACTED),
            NewTopic("other", 1, replica_assignment=[[1, 3]], config={"min.insync.replicas": "2"}),
        ]
        for created in admin.create_topics(wanted).values():
            created.result(WITHIN_S)
        with Client(cluster[1]) as client:
            too_large = client.create_topic("never", max_message_bytes=str(LARGEST + 1))
            assert too_large == INVALID_CONFIG
            assert client.produce("large", of_size(LARGEST + 1, b"0"))["error_code"] == TOO_LARGE
            for number, digit in enumerate((b"1", b"2")):
                assert client.produce("large", of_size(LARGEST, digit))["base_offset"] == number
            assert client.produce("large", one(b"x" * 1000, b"small"))["base_offset"] == 2
            assert client.produce("other", one(b"first"))["error_code"] == 0
            cluster.wait(lambda: "log compacted" in cluster.logs(1), "the first of the two is taken out")
            client.alter_topic("large", max_message_bytes="5000")

            reassign(cluster, "large", [1, 2, 3])
            assert client.produce("other", one(b"second"))["error_code"] == 0
            cluster.wait(lambda: cluster.in_sync("large") == {1, 2, 3}, "a new follower has what the leader has")
            left = client.fetch("large", 1, partition_max_bytes=1)
            (found,) = describe(left["records"]) or []
            assert found["crc_ok"] and found["base_offset"] == 1 and len(left["records"]) == LARGEST
        assert [record.value() for record in read_to_end(cluster.bootstrap, "other")] == [b"first", b"second"]
