"""A sector of one log that the disk does not give back, or the end of one file that is gone: others go on as before."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from tests.support.bad_sectors import SECTOR, BadSectors
from tests.support.batches import describe
from tests.support.clients import WITHIN_S, read_to_end
from tests.support.faults import CORRUPT, Client, eventually, fetch_body, health, metric, one, program, segments_of
from tests.support.programs import ClusterOfPrograms
from tests.support.raw import ConnectionEnded
from tests.support.reassigning import reassign

RECORDS = 300
VALUES = [b"%04d " % number + b"." * 1000 for number in range(RECORDS)]
SETTINGS = {
    # Nobody is killed here: a broker that a busy machine keeps waiting is not to lose what it leads.
    "penstock.broker.lease.ms": "60000",
    "penstock.broker.heartbeats.missed.max": "1000",
    "auto.leader.rebalance.enable": "false",
    # What a follower does not take for so long stops producers as well: it is not what is waited for here.
    "replica.lag.time.max.ms": "600000",
}

Hurt = Callable[[BadSectors, Path], None]


def bad_sector(bad: BadSectors, segment: Path) -> None:
    bad.add(segment, 5 * SECTOR)


def short_file(_bad: BadSectors, segment: Path) -> None:
    os.truncate(segment, 5 * SECTOR)


def create(cluster: ClusterOfPrograms, topic: str, replicas: list[int]) -> None:
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap})
    config = {"internal.segment.bytes": "50000", "min.insync.replicas": "2"}
    admin.create_topics([NewTopic(topic, 1, replica_assignment=[replicas], config=config)])[topic].result(WITHIN_S)


def write(cluster: ClusterOfPrograms, topic: str, values: list[bytes]) -> None:
    producer = Producer({"bootstrap.servers": cluster.bootstrap, "linger.ms": 0, "batch.num.messages": 1})
    failed: list[str] = []
    for value in values:
        producer.produce(topic, value, on_delivery=lambda error, _: failed.append(str(error)) if error else None)
    assert producer.flush(WITHIN_S) == 0 and not failed, failed


@pytest.mark.parametrize("hurt", [bad_sector, short_file])
def test_a_leader_that_cannot_read_a_part_of_one_log_goes_on_with_all_others_and_is_mended(
    tmp_path: Path, hurt: Hurt
) -> None:
    """A new follower asks for the log from its beginning, on the connection by which it follows another topic too."""
    bad = BadSectors(tmp_path / "bad-sectors")
    with ClusterOfPrograms(tmp_path, SETTINGS, brokers=3, etcd=1, under=lambda _: bad.under) as cluster:
        create(cluster, "hurt", [1, 2])
        create(cluster, "other", [1, 3])
        write(cluster, "hurt", VALUES)
        write(cluster, "other", VALUES[:1])
        cluster.wait_until_in_sync("hurt", "other")
        segment = segments_of(cluster[1], "hurt")[1]
        hurt(bad, segment)

        reassign(cluster, "hurt", [1, 2, 3])
        cluster.wait(lambda: "log could not be sent" in cluster.logs(1), "the follower comes to it")
        write(cluster, "other", VALUES[1:])

        cluster.wait(lambda: "damaged batch mended" in cluster.logs(1), "it is mended")
        cluster.wait(lambda: cluster.in_sync("hurt") == {1, 2, 3}, "the new follower has everything")
        assert cluster.leader("hurt") == cluster.leader("other") == 1
        assert segment.read_bytes() == segments_of(cluster[2], "hurt")[1].read_bytes()
        assert metric(cluster[1], "penstock_log_unsent_slices_total", topic="hurt") >= 1
        cluster.wait(lambda: health(cluster[1]).status == 200, "nothing is damaged any more")
        for topic in ("hurt", "other"):
            assert [record.value() for record in read_to_end(cluster.bootstrap, topic)] == VALUES


def test_a_consumer_of_two_topics_gets_one_and_an_error_for_the_other(tmp_path: Path) -> None:
    """Nobody else has the records: where the damage is they are refused, before it and after it they are given."""
    bad = BadSectors(tmp_path / "bad-sectors")
    with program(tmp_path / "broker", under=bad.under) as broker:
        with Client(broker) as client:
            for topic in ("hurt", "other"):
                assert client.create_topic(topic, index_interval_bytes="0") == 0
                for value in VALUES[:100]:
                    assert client.produce(topic, one(value))["error_code"] == 0
        bad.add(segments_of(broker, "hurt")[0], 5 * SECTOR)
        body = fetch_body("hurt", 0)
        body["topics"] += fetch_body("other", 0)["topics"]
        with Client(broker) as client, pytest.raises(ConnectionEnded):
            client.request("Fetch", 11, body)  # its size was promised before it was known
        with Client(broker) as client:
            answer = client.request("Fetch", 11, body)
            before, other = (row["partitions"][0] for row in answer["responses"])
            batches = describe(before["records"]) or []
            values = [value for batch in batches for value in batch["values"]]
            assert all(batch["crc_ok"] for batch in batches)
            assert values == VALUES[: len(values)] and 10 < len(values) < 30
            assert len(describe(other["records"]) or []) == 100

            body["topics"][0]["partitions"][0]["fetch_offset"] = len(values)
            answer = client.request("Fetch", 11, body)
            lost, other = (row["partitions"][0] for row in answer["responses"])
            assert lost["error_code"] == CORRUPT and not lost["records"]
            assert len(describe(other["records"]) or []) == 100
            assert client.values("hurt", len(values) + 6) == VALUES[len(values) + 6 : 100]
        bad.clear()
        with Client(broker) as client:
            eventually(lambda: client.fetch("hurt", len(values))["error_code"] == 0, "it is served again")
            assert client.values("hurt") == VALUES[:100]
