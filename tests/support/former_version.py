"""What a former version leaves behind, and what must still be there under this one.

`fill` writes it (tools/former_version.py has a release do so, once), `found` tells what a client sees of it.
"""

from __future__ import annotations

import hashlib
import json
import tarfile
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition

from penstock.client import Change, Client, NewTopic, QuotaOf, Resource, ResourceType, place
from penstock.processes.cluster import member_settings
from penstock.processes.etcd import EtcdCluster
from penstock.testing.process import ProcessBroker
from penstock.testing.running_cluster import RunningCluster
from penstock.wire.messages.alter_user_scram_credentials_request import ScramCredentialUpsertion
from penstock.wire.messages.create_acls_request import AclCreation

WITHIN_S = 120.0
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
TOPICS: dict[str, dict[str, str]] = {"orders": {}, "prices": {"cleanup.policy": "compact"}, "payments": {}}
PARTITIONS = 2
GROUP, TRANSACTIONAL_ID, LEFT_OPEN_ID = "billing", "payer", "payer-that-was-cut-off"
ORDERS = Resource(ResourceType.TOPIC, "orders")
SECRETS_KEY, FOUND = "secrets.key", "found.json"
BROKERS = 3


def settings(folder: Path) -> dict[str, str]:
    """Of every broker, whose data lie below that folder."""
    return {
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:ANONYMOUS",
        "penstock.secrets.key.file": str(folder / SECRETS_KEY),
        "offsets.topic.num.partitions": "4",
        "transaction.state.log.num.partitions": "4",
        "log.retention.ms": "-1",  # what was kept is years old some day
        "offsets.retention.minutes": "2147483647",
    }


def lone_broker(folder: Path) -> ProcessBroker:
    return ProcessBroker(folder / "broker-1", settings(folder))


def cluster(folder: Path) -> RunningCluster:
    etcd = EtcdCluster(folder / "etcd")
    brokers = {
        number: ProcessBroker(
            folder / f"broker-{number}", member_settings(number, etcd, settings(folder), brokers=BROKERS)
        )
        for number in range(1, BROKERS + 1)
    }
    return RunningCluster(folder, etcd, brokers)


def unpack(archive: Path, folder: Path) -> Any:
    """Gives what clients of that version found there."""
    with tarfile.open(archive) as kept:
        kept.extractall(folder, filter="data")
    return json.loads((folder / FOUND).read_text())


def fill(bootstrap: str, *, replicas: int) -> None:
    with Client(bootstrap, timeout_s=WITHIN_S) as client:
        client.create_topics([NewTopic(name, PARTITIONS, replicas, own) for name, own in TOPICS.items()]).all()
        for codec in CODECS:
            produce(bootstrap, "orders", 40, codec)
        for _ in range(3):
            produce(bootstrap, "prices", 20, "lz4")
        _transactions(bootstrap)
        client.commit_offsets(GROUP, {place("orders", 0): 17, place("orders", 1): 4}).all()
        _set_up_access(client)
        client.alter_configs({ORDERS: [("max.message.bytes", Change.SET, "1000001")]}).all()


def produce(bootstrap: str, topic: str, count: int, codec: str) -> None:
    producer = Producer({"bootstrap.servers": bootstrap, "compression.type": codec, "enable.idempotence": True})
    for number in range(count):
        headers: list[tuple[str, str | bytes | None]] = [("codec", codec.encode())]
        producer.produce(topic, f"{codec} {number}", f"key {number}", partition=number % PARTITIONS, headers=headers)
    assert producer.flush(WITHIN_S) == 0


def _transactions(bootstrap: str) -> None:
    producer = transactional_producer(bootstrap, TRANSACTIONAL_ID)
    for number, commits in enumerate((True, False, True)):
        producer.begin_transaction()
        for index in range(6):
            producer.produce("payments", f"transaction {number}, record {index}", partition=index % PARTITIONS)
        producer.commit_transaction(WITHIN_S) if commits else producer.abort_transaction(WITHIN_S)
    cut_off = transactional_producer(bootstrap, LEFT_OPEN_ID)
    cut_off.begin_transaction()
    cut_off.produce("payments", "never committed", partition=1)
    assert cut_off.flush(WITHIN_S) == 0


def transactional_producer(bootstrap: str, transactional_id: str) -> Producer:
    producer = Producer({"bootstrap.servers": bootstrap, "transactional.id": transactional_id})
    producer.init_transactions(WITHIN_S)
    return producer


def _set_up_access(client: Client) -> None:
    salt = b"0123456789abcdef"
    salted = hashlib.pbkdf2_hmac("sha256", b"a password", salt, 4096)
    client.alter_scram(put=[ScramCredentialUpsertion("alice", 1, 4096, salt, salted)]).all()
    may_read_orders = AclCreation(2, "orders", 3, "User:alice", "*", 3, 3)
    client.create_acls([may_read_orders]).all()
    client.alter_quotas({(QuotaOf("user", "alice"),): {"producer_byte_rate": 1_000_000.0}}).all()


def found(bootstrap: str) -> dict[str, Any]:
    """In values that JSON has. Nothing here changes while nobody writes, whatever day it is."""
    with Client(bootstrap, timeout_s=WITHIN_S) as client:
        topics = client.describe_topics(list(TOPICS)).all()
        return {
            "topic ids": {name: topic.id.hex() for name, topic in topics.items()},
            "largest batch": client.describe_configs([ORDERS]).all()[ORDERS]["max.message.bytes"].value,
            "records": {name: records(bootstrap, name) for name in TOPICS},
            "committed": {str(at): kept.offset for at, kept in client.committed_offsets(GROUP).all().items()},
            "users": {user: [each.iterations for each in kept] for user, kept in client.describe_scram().all().items()},
            "rules": [[each.resource_name, each.acls[0].principal] for each in client.describe_acls()],
            "quotas": list(client.describe_quotas().values()),
        }


def records(bootstrap: str, topic: str) -> list[list[Any]]:
    """What a consumer of committed records sees, in order of partition and offset."""
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "who looks",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "isolation.level": "read_committed",
        }
    )
    try:
        consumer.assign([TopicPartition(topic, index, 0) for index in range(PARTITIONS)])
        seen: list[Message] = []
        ends = 0
        while ends < PARTITIONS:
            message = consumer.poll(WITHIN_S)
            assert message is not None, f"no end of {topic} within {WITHIN_S:g} s"
            error = message.error()
            if error is None:
                seen.append(message)
            else:
                assert error.code() == KafkaError._PARTITION_EOF, error
                ends += 1
    finally:
        consumer.close()
    return sorted(_told(message) for message in seen)


def _told(message: Message) -> list[Any]:
    value = message.value()
    assert isinstance(value, bytes)
    headers = [[header[0], _text(header[1])] for header in message.headers() or []]
    return [
        message.partition(),
        message.offset(),
        _text(message.key()),
        value.decode(),
        message.timestamp()[1],
        headers,
    ]


def _text(content: str | bytes | None) -> str | None:
    return content.decode() if isinstance(content, bytes) else content
