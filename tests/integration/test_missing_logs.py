"""Brokers that come back without some of their logs: acknowledged records are still there, and nobody leads without."""

import re
import shutil
from pathlib import Path

import pytest
from confluent_kafka import Consumer, ElectionType, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from tests.support.faults import Client, eventually, health, one
from tests.support.programs import ClusterOfPrograms

from penstock.testing import BrokerFailed, RunningBroker

RECORDS = 100


def create(cluster: ClusterOfPrograms, topic: str, *, partitions: int = 1, **settings: str) -> None:
    config = {name.replace("_", "."): value for name, value in settings.items()}
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap})
    admin.create_topics([NewTopic(topic, partitions, 3, config=config)])[topic].result(60)
    cluster.wait_until_in_sync(topic)


def write(cluster: ClusterOfPrograms, topic: str, *, partitions: int = 1) -> None:
    errors: list[object] = []
    producer = Producer({"bootstrap.servers": cluster.bootstrap, "acks": "all"})
    for number in range(RECORDS):
        for partition in range(partitions):
            value = str(number)
            producer.produce(topic, value, partition=partition, on_delivery=lambda error, _: errors.append(error))
    assert producer.flush(60) == 0
    assert errors == [None] * (RECORDS * partitions)


def read(cluster: ClusterOfPrograms, topic: str, *, partitions: int = 1) -> int:
    """How many records there are, of all that should be."""
    consumer = Consumer({"bootstrap.servers": cluster.bootstrap, "group.id": "readers", "log_level": 0})
    consumer.assign([TopicPartition(topic, partition, 0) for partition in range(partitions)])
    count = 0
    while count < RECORDS * partitions:
        record = consumer.poll(60)
        assert record is not None and record.error() is None, (count, record and record.error())
        count += 1
    consumer.close()
    return count


def incomplete(broker: RunningBroker) -> list[str]:
    return [each["name"] for each in health(broker).page["incomplete_logs"]]


def test_a_disk_that_is_not_there_is_missed_and_a_new_one_in_its_place_costs_no_record(tmp_path: Path) -> None:
    cluster = ClusterOfPrograms(tmp_path, brokers=3)
    for number, broker in cluster.brokers.items():
        broker.settings["log.dirs"] = f"{broker.data_dir},{tmp_path / f'second-{number}'}"
    with cluster:
        create(cluster, "orders", partitions=4)
        write(cluster, "orders", partitions=4)
        for number in (2, 3, 1):
            cluster.kill(number)
        second = tmp_path / "second-1"
        on_second = sorted(path.name for path in second.glob("orders-*"))
        assert len(on_second) == 2
        second.rename(tmp_path / "unplugged")
        with pytest.raises(BrokerFailed, match="is no data folder yet") as refused:
            cluster.start(1)
        assert not second.exists() or not list(second.iterdir())
        accept = re.search(r"penstock\.log\.dirs\.accept=(\S+?);", str(refused.value))
        assert accept is not None and accept[1].startswith(f"{second},")
        cluster[1].settings["penstock.log.dirs.accept"] = accept[1]
        cluster.start(1)
        assert incomplete(cluster[1]) == on_second
        for number in (2, 3):
            cluster.start(number)
        cluster.wait_until_in_sync("orders")
        assert read(cluster, "orders", partitions=4) == 4 * RECORDS
        eventually(lambda: incomplete(cluster[1]) == [], "all have caught up")
        cluster.restart(1)  # what was accepted may stay in the settings
        assert incomplete(cluster[1]) == []


def test_the_last_in_sync_replica_that_comes_back_without_its_log_leads_nobody_to_cut_theirs(tmp_path: Path) -> None:
    """Of `safe` those who went first are known to have all that was acknowledged. Of the others nobody is: of `loose`
    somebody decides for what is left, of `found` the log is put back.
    """
    with ClusterOfPrograms(tmp_path, brokers=3) as cluster:
        create(cluster, "safe", min_insync_replicas="2")
        topics = ("safe", "loose", "found")
        for topic in topics[1:]:
            create(cluster, topic, min_insync_replicas="1")
        for topic in topics:
            write(cluster, topic)
        for number in (1, 2):
            cluster.kill(number)
            eventually(lambda n=number: all(n not in cluster.in_sync(each) for each in topics), "it is missed")  # type: ignore[misc]
        cluster.kill(3)
        data = cluster[3].data_dir
        for topic in topics:
            (data / f"{topic}-0").rename(tmp_path / f"{topic}-0")
        cluster.start(3)
        assert "logs missing" in cluster.logs(3)
        assert incomplete(cluster[3]) == ["found-0", "loose-0", "safe-0"]
        for number in (1, 2):
            cluster.start(number)
        cluster.wait_until_in_sync("safe")
        assert read(cluster, "safe") == RECORDS
        assert incomplete(cluster[3]) == ["found-0", "loose-0"]
        assert cluster.leader("loose") == cluster.leader("found") == -1
        admin = AdminClient({"bootstrap.servers": cluster.bootstrap})
        admin.elect_leaders(ElectionType.UNCLEAN, [TopicPartition("loose", 0)]).result(60)
        cluster.stop(3)
        shutil.rmtree(data / "found-0")
        (tmp_path / "found-0").rename(data / "found-0")
        cluster.start(3)
        cluster.wait_until_in_sync("loose", "found")
        assert read(cluster, "loose") == read(cluster, "found") == RECORDS
        assert incomplete(cluster[3]) == []


def test_a_broker_by_itself_comes_back_without_a_log_and_says_so(penstock_broker: RunningBroker) -> None:
    """Nothing of it had been flushed, and nobody else has it: there is nothing to wait for."""
    with Client(penstock_broker) as client:
        for topic in ("orders", "payments"):
            client.create_topic(topic)
        for topic in ("orders", "payments"):
            assert client.produce(topic, one(b"first"))["base_offset"] == 0
    penstock_broker.restart()  # no topic is new any more
    penstock_broker.kill()
    (penstock_broker.data_dir / "recovery-point-offset-checkpoint").write_text("0\n0\n")
    shutil.rmtree(penstock_broker.data_dir / "orders-0")
    penstock_broker.start()
    assert health(penstock_broker).page["incomplete_logs"] == [
        {"name": "orders-0", "reason": "was missing at the start, and had records up to 1"}
    ]
    with Client(penstock_broker) as client:
        assert client.produce("orders", one(b"next"))["base_offset"] == 0
        assert client.produce("payments", one(b"next"))["base_offset"] == 1
    penstock_broker.restart()
    assert health(penstock_broker).status == 200
