"""Access rules on a real broker: what they take away stops at once, and the tools that people have work on them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.support import java
from tests.support.batches import batch
from tests.support.faults import eventually
from tests.support.raw import RawClient
from tests.support.ruled import PASSWORD, ruled_broker

from penstock.access.rights import Operation, ResourceKind
from penstock.client import Client, Sasl
from penstock.errors import TopicAuthorizationFailed
from penstock.wire.messages.create_acls_request import AclCreation
from penstock.wire.messages.delete_acls_request import DeleteAclsFilter

PATIENCE_S = 60.0
TOPIC_FAILED, GROUP_FAILED, CLUSTER_FAILED, TRANSACTION_FAILED, UNKNOWN_TOPIC_ID = 29, 30, 31, 53, 100
LITERAL, PREFIXED, ANY, DENY, ALLOW = 3, 4, 1, 2, 3


class Broker:
    def __init__(self, port: int, registry: Any) -> None:
        self.port = port
        self.running = registry

    def connect(self, user: str) -> RawClient:
        client = RawClient(self.port, timeout_s=PATIENCE_S)
        client.request("SaslHandshake", 1, {"mechanism": "PLAIN"})
        login = {"auth_bytes": f"\0{user}\0{PASSWORD}".encode()}
        assert client.request("SaslAuthenticate", 2, login)["error_code"] == 0
        return client

    def as_(self, user: str) -> Client:
        return Client(f"127.0.0.1:{self.port}", timeout_s=PATIENCE_S, sasl=Sasl(user, PASSWORD, "PLAIN"))

    def allow(self, user: str, operation: Operation, kind: ResourceKind, name: str, **more: Any) -> None:
        with self.as_("root") as client:
            client.create_acls([rule(user, operation, kind, name, **more)]).all()

    def take_away(self, user: str) -> None:
        with self.as_("root") as client:
            client.delete_acls([DeleteAclsFilter(ANY, None, ANY, f"User:{user}", None, ANY, ANY)]).all()

    def topic(self, name: str) -> bytes:
        with self.connect("root") as client:
            created = {"name": name, "num_partitions": 1, "replication_factor": 1}
            (topic,) = client.request("CreateTopics", 7, {"topics": [created], "timeout_ms": 60_000})["topics"]
            assert topic["error_code"] == 0
            topic_id: bytes = topic["topic_id"]
            return topic_id


def rule(
    user: str,
    operation: Operation,
    kind: ResourceKind,
    name: str,
    *,
    pattern: int = LITERAL,
    permission: int = ALLOW,
    host: str = "*",
    principal: str = "",
) -> AclCreation:
    return AclCreation(kind, name, pattern, principal or f"User:{user}", host, operation, permission)


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    users = ("alice", "bert", "carol", "dora", "emil", "frida", "gina")
    with ruled_broker(tmp_path_factory.mktemp("users"), *users) as (port, running):
        yield Broker(port, running)


def fetched(topic: str, *, wait_ms: int = 0, session: tuple[int, int] = (0, -1), named: bool = True) -> dict[str, Any]:
    part = {"partition": 0, "fetch_offset": 0, "partition_max_bytes": 1 << 20}
    topics = [{"topic": topic, "partitions": [part]}] if named else []
    body = {"max_wait_ms": wait_ms, "min_bytes": 1 if wait_ms else 0, "topics": topics}
    return body | {"session_id": session[0], "session_epoch": session[1]}


def produced(topic: str) -> dict[str, Any]:
    part = {"index": 0, "records": batch()}
    data = [{"name": topic, "partition_data": [part]}]
    return {"transactional_id": None, "acks": 1, "timeout_ms": 60_000, "topic_data": data}


def test_an_open_session_gives_no_more_records_when_the_right_is_gone(broker: Broker) -> None:
    broker.topic("of-alice")
    broker.allow("alice", Operation.READ, ResourceKind.TOPIC, "of-alice")
    with broker.connect("alice") as alice, broker.connect("root") as root:
        begun = alice.request("Fetch", 12, fetched("of-alice", session=(0, 0)))
        session = begun["session_id"]
        assert session and begun["responses"][0]["partitions"][0]["error_code"] == 0
        broker.take_away("alice")
        root.request("Produce", 9, produced("of-alice"))
        answer = alice.request("Fetch", 12, fetched("of-alice", session=(session, 1), named=False))
        (part,) = answer["responses"][0]["partitions"]
        assert (part["error_code"], part["records"]) == (TOPIC_FAILED, b"")
        broker.allow("alice", Operation.READ, ResourceKind.TOPIC, "of-alice")
        answer = alice.request("Fetch", 12, fetched("of-alice", session=(session, 2), named=False))
        (part,) = answer["responses"][0]["partitions"]
        assert part["error_code"] == 0 and part["records"]


def test_a_fetch_that_waits_is_told_when_the_right_is_gone(broker: Broker) -> None:
    broker.topic("of-bert")
    broker.allow("bert", Operation.READ, ResourceKind.TOPIC, "of-bert")
    with broker.connect("bert") as bert, broker.connect("root") as root, ThreadPoolExecutor(1) as pool:
        assert bert.request("Fetch", 12, fetched("of-bert"))["error_code"] == 0
        waiting = pool.submit(bert.request, "Fetch", 12, fetched("of-bert", wait_ms=60_000))
        broker.take_away("bert")
        # Whichever comes first, the fetch or the end of the right: nothing that was written after it is given away.
        root.request("Produce", 9, produced("of-bert"))
        (part,) = waiting.result(PATIENCE_S)["responses"][0]["partitions"]
        assert (part["error_code"], part["records"]) == (TOPIC_FAILED, b"")


def test_settings_are_not_for_whoever_may_only_touch_topics(broker: Broker) -> None:
    """A user who owns topics can neither let himself in by a setting nor by a rule."""
    for operation in (Operation.ALL,):
        broker.allow("carol", operation, ResourceKind.TOPIC, "*")
        broker.allow("carol", operation, ResourceKind.GROUP, "*")
    with broker.connect("carol") as carol:
        changes = [
            {"name": name, "config_operation": 0, "value": value}
            for name, value in (("penstock.authorizer.dry.run", "true"), ("super.users", "User:carol"))
        ]
        for kind, name in ((4, ""), (4, "1"), (8, "1"), (16, "metrics")):
            named: dict[str, Any] = {"resource_type": kind, "resource_name": name}
            asked = named | {"configs": changes}
            (answer,) = carol.request("IncrementalAlterConfigs", 1, {"resources": [asked]})["responses"]
            assert answer["error_code"] == CLUSTER_FAILED
            asked["configs"] = [{"name": each["name"], "value": each["value"]} for each in changes]
            (answer,) = carol.request("AlterConfigs", 1, {"resources": [asked]})["responses"]
            assert answer["error_code"] == CLUSTER_FAILED
            (answer,) = carol.request("DescribeConfigs", 4, {"resources": [named | {"configuration_keys": None}]})[
                "results"
            ]
            assert (answer["error_code"], answer["configs"]) == (CLUSTER_FAILED, [])
        mine = {"resource_type": 2, "resource_name": "*", "resource_pattern_type": 3, "principal": "User:carol"}
        mine |= {"host": "*", "operation": 2, "permission_type": 3}
        (answer,) = carol.request(
            "CreateAcls", 2, {"creations": [mine | {"resource_type": 4, "resource_name": "kafka-cluster"}]}
        )["results"]
        assert answer["error_code"] == CLUSTER_FAILED
        anything = {"resource_type_filter": 1, "resource_name_filter": None, "pattern_type_filter": 1}
        anything |= {"principal_filter": None, "host_filter": None, "operation": 1, "permission_type": 1}
        (answer,) = carol.request("DeleteAcls", 2, {"filters": [anything]})["filter_results"]
        assert (answer["error_code"], answer["matching_acls"]) == (CLUSTER_FAILED, [])


def test_a_dry_run_begins_and_ends_while_the_broker_runs(broker: Broker) -> None:
    broker.topic("only-tried")
    asked = {"topics": [{"name": "only-tried"}], "allow_auto_topic_creation": False}
    with broker.connect("emil") as emil, broker.connect("root") as root:
        for value, code in (("true", 0), ("false", TOPIC_FAILED)):
            change = {"name": "penstock.authorizer.dry.run", "config_operation": 0, "value": value}
            resource = {"resource_type": 4, "resource_name": "", "configs": [change]}
            (changed,) = root.request("IncrementalAlterConfigs", 1, {"resources": [resource]})["responses"]
            assert changed["error_code"] == 0
            (topic,) = emil.request("Metadata", 12, asked)["topics"]
            assert topic["error_code"] == code


def test_internal_topics_are_closed_to_writers_who_may_everything_on_topics(broker: Broker) -> None:
    broker.allow("dora", Operation.ALL, ResourceKind.TOPIC, "*")
    with broker.connect("root") as root:
        eventually(
            lambda: root.request("FindCoordinator", 3, {"key": "g", "key_type": 0})["error_code"] == 0, "a coordinator"
        )
    with broker.connect("dora") as dora:
        (topic,) = dora.request("Produce", 9, produced("__consumer_offsets"))["responses"]
        assert topic["partition_responses"][0]["error_code"] == 17


def test_a_transaction_gets_no_partition_that_its_producer_may_not_write(broker: Broker) -> None:
    """From Produce v12 on the broker itself adds partitions to a transaction."""
    for topic in ("ginas", "not-ginas"):
        broker.topic(topic)
    broker.allow("gina", Operation.WRITE, ResourceKind.TOPIC, "ginas")
    broker.allow("gina", Operation.WRITE, ResourceKind.TRANSACTIONAL_ID, "gina-", pattern=PREFIXED)
    with broker.connect("gina") as gina, broker.connect("root") as root:
        looked = {"key": "gina-1", "key_type": 1}
        eventually(lambda: gina.request("FindCoordinator", 3, looked)["error_code"] == 0, "a coordinator")
        begun: dict[str, Any] = {}

        def begins() -> bool:
            asked = {"transactional_id": "gina-1", "transaction_timeout_ms": 60_000}
            begun.update(gina.request("InitProducerId", 4, asked))
            return not begun["error_code"]

        eventually(begins, "a producer id")
        producer = {"producer_id": begun["producer_id"], "producer_epoch": begun["producer_epoch"]}
        records = batch(attributes=0x10, sequence=0, **producer)
        data = [{"name": name, "partition_data": [{"index": 0, "records": records}]} for name in ("not-ginas", "ginas")]
        asked = {"transactional_id": "gina-1", "acks": -1, "timeout_ms": 60_000, "topic_data": data}
        answered = gina.request("Produce", 12, asked)["responses"]
        codes = {each["name"]: each["partition_responses"][0]["error_code"] for each in answered}
        assert codes == {"not-ginas": TOPIC_FAILED, "ginas": 0}
        (state,) = root.request("DescribeTransactions", 0, {"transactional_ids": ["gina-1"]})["transaction_states"]
        assert [topic["topic"] for topic in state["topics"]] == ["ginas"]
        asked["transactional_id"] = "not-ginas"
        answered = gina.request("Produce", 12, asked)["responses"]
        assert {each["partition_responses"][0]["error_code"] for each in answered} == {TRANSACTION_FAILED}


def test_names_are_not_given_away_by_ids(broker: Broker) -> None:
    topic_id = broker.topic("secret-plans")
    with broker.connect("emil") as emil:
        by_id = {"topics": [{"topic_id": topic_id, "name": None}]}
        (topic,) = emil.request("Metadata", 12, by_id)["topics"]
        assert (topic["error_code"], topic["name"], topic["partitions"]) == (TOPIC_FAILED, None, [])
        (topic,) = emil.request(
            "DeleteTopics", 6, {"topics": [{"name": None, "topic_id": topic_id}], "timeout_ms": 60_000}
        )["responses"]
        assert (topic["error_code"], topic["name"]) == (TOPIC_FAILED, None)
        (topic,) = emil.request("Metadata", 12, {"topics": [{"topic_id": bytes(15) + b"\1", "name": None}]})["topics"]
        assert topic["error_code"] == UNKNOWN_TOPIC_ID


def test_a_denied_host_and_a_range_of_hosts(broker: Broker) -> None:
    broker.topic("from-here")
    broker.allow("frida", Operation.READ, ResourceKind.TOPIC, "from-", pattern=PREFIXED, host="10.0.0.0/8")
    with broker.connect("frida") as frida:
        asked = {"topics": [{"name": "from-here"}], "allow_auto_topic_creation": False}
        assert frida.request("Metadata", 12, asked)["topics"][0]["error_code"] == TOPIC_FAILED
        broker.allow("frida", Operation.READ, ResourceKind.TOPIC, "from-", pattern=PREFIXED, host="127.0.0.0/8")
        assert frida.request("Metadata", 12, asked)["topics"][0]["error_code"] == 0
        broker.allow("frida", Operation.DESCRIBE, ResourceKind.TOPIC, "*", permission=DENY, host="127.0.0.1")
        assert frida.request("Metadata", 12, asked)["topics"][0]["error_code"] == TOPIC_FAILED


def test_ten_thousand_rules_come_and_go_while_others_are_served(broker: Broker) -> None:
    stopped, worst = threading.Event(), [0]

    def others() -> None:
        with broker.connect("root") as client:
            while not stopped.is_set():
                client.request("Metadata", 12, {"topics": []})
                worst[0] += 1

    with ThreadPoolExecutor(1) as pool, broker.as_("root") as client:
        asking = pool.submit(others)
        many = [rule(f"n{number}", Operation.READ, ResourceKind.TOPIC, f"t-{number}") for number in range(10_000)]
        client.create_acls(many).all()
        before = worst[0]
        found = DeleteAclsFilter(int(ResourceKind.TOPIC), None, ANY, None, None, int(Operation.READ), ANY)
        assert sum(len(client.describe_acls()) for _ in range(1)) >= 10_000
        (deleted,) = client.delete_acls([found]).all().values()
        assert len(deleted) >= 10_000
        stopped.set()
        asking.result(PATIENCE_S)
        assert worst[0] > before, "others were served meanwhile"


def test_kafkas_command_adds_lists_and_removes_rules(broker: Broker, tmp_path: Path) -> None:
    login = "org.apache.kafka.common.security.plain.PlainLoginModule"
    config = tmp_path / "client.properties"
    config.write_text(
        "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\n"
        f'sasl.jaas.config={login} required username="root" password="{PASSWORD}";\n'
    )

    def acls(*arguments: str) -> str:
        where = ("--bootstrap-server", f"127.0.0.1:{broker.port}", "--command-config", str(config))
        return java.run("org.apache.kafka.tools.AclCommand", *where, *arguments).stdout

    who = ("--allow-principal", "User:java", "--topic", "java-")
    acls("--add", *who, "--resource-pattern-type", "prefixed", "--producer")
    listed = acls("--list", "--topic", "java-", "--resource-pattern-type", "prefixed")
    assert "User:java" in listed and "WRITE" in listed and "CREATE" in listed
    acls("--remove", *who, "--resource-pattern-type", "prefixed", "--producer", "--force")
    assert "User:java" not in acls("--list", "--topic", "java-", "--resource-pattern-type", "prefixed")


def test_confluents_client_describes_creates_and_deletes_rules(broker: Broker) -> None:
    import confluent_kafka.admin as confluent

    kafka: Any = confluent  # its stubs lack half of it
    login = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN", "sasl.username": "root"}
    admin = kafka.AdminClient({"bootstrap.servers": f"127.0.0.1:{broker.port}", "sasl.password": PASSWORD, **login})
    binding = kafka.AclBinding(
        kafka.ResourceType.TOPIC,
        "confluent",
        kafka.ResourcePatternType.LITERAL,
        "User:c",
        "*",
        kafka.AclOperation.READ,
        kafka.AclPermissionType.ALLOW,
    )
    for outcome in admin.create_acls([binding]).values():
        outcome.result(PATIENCE_S)
    wanted = kafka.AclBindingFilter(
        kafka.ResourceType.TOPIC,
        "confluent",
        kafka.ResourcePatternType.ANY,
        None,
        None,
        kafka.AclOperation.ANY,
        kafka.AclPermissionType.ANY,
    )
    assert admin.describe_acls(wanted).result(PATIENCE_S) == [binding]
    (deleted,) = admin.delete_acls([wanted]).values()
    assert deleted.result(PATIENCE_S) == [binding]
    assert admin.describe_acls(wanted).result(PATIENCE_S) == []


def test_a_client_without_rights_is_told_which_topic(broker: Broker) -> None:
    broker.topic("not-for-emil")
    with broker.as_("emil") as emil:
        assert "not-for-emil" not in emil.list_topics()
        with pytest.raises(TopicAuthorizationFailed):
            emil.describe_topics(["not-for-emil"]).all()
