"""Several listeners: whoever comes in through one is told the addresses advertised under its name, and can use them."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from tests.support.clients import make_topic, read_to_end
from tests.support.raw import RawClient

from penstock.testing import RunningBroker, broker

COORDINATOR_NOT_AVAILABLE = 15
NAMES = ("INSIDE", "OUTSIDE", "BEHIND_NAT")


def has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as sock:
            sock.bind(("::1", 0))
    except OSError:
        return False
    return True


@pytest.fixture(scope="module")
def running() -> Iterator[RunningBroker]:
    settings = {
        "listeners": "INSIDE://127.0.0.1:0,OUTSIDE://127.0.0.1:0,BEHIND_NAT://0.0.0.0:0",
        "advertised.listeners": "INSIDE://127.0.0.1:0,OUTSIDE://localhost:0,BEHIND_NAT://broker.example:0",
        "listener.security.protocol.map": ",".join(f"{name}:PLAINTEXT" for name in NAMES),
    }
    with broker(settings) as made:
        yield made


@pytest.fixture(scope="module")
def ports(running: RunningBroker) -> dict[str, int]:
    """By listener. A port of 0 is any free one, and is advertised as the one that it became."""
    told = json.loads((running.data_dir / "penstock.addresses.json").read_bytes())["listeners"]
    return {name: int(address.rpartition(":")[2]) for name, address in told.items()}


def test_each_listener_has_a_free_port_of_its_own(ports: dict[str, int]) -> None:
    assert set(ports) == set(NAMES)
    assert len(set(ports.values())) == 3 and 0 not in ports.values()


@pytest.mark.parametrize(
    ("listener", "host"), [("INSIDE", "127.0.0.1"), ("OUTSIDE", "localhost"), ("BEHIND_NAT", "broker.example")]
)
def test_a_client_is_told_the_address_of_the_listener_that_it_came_in_on(
    ports: dict[str, int], listener: str, host: str
) -> None:
    with RawClient(ports[listener]) as client:
        metadata = client.request("Metadata", 12, {"topics": [], "allow_auto_topic_creation": False})
        cluster = client.request("DescribeCluster", 0, {"include_cluster_authorized_operations": False})
        asked = {"key_type": 0, "coordinator_keys": ["readers"]}
        while (found := client.request("FindCoordinator", 4, asked)["coordinators"][0])["error_code"]:
            assert found["error_code"] == COORDINATOR_NOT_AVAILABLE, "its topic is being made"
    for answer in (metadata, cluster):
        assert [(node["host"], node["port"]) for node in answer["brokers"]] == [(host, ports[listener])]
    assert (found["host"], found["port"]) == (host, ports[listener])


@pytest.mark.parametrize(("listener", "host"), [("INSIDE", "127.0.0.1"), ("OUTSIDE", "localhost")])
def test_records_go_in_and_out_through_each_listener(ports: dict[str, int], listener: str, host: str) -> None:
    bootstrap = f"127.0.0.1:{ports[listener]}"
    (node,) = AdminClient({"bootstrap.servers": bootstrap}).list_topics(timeout=60).brokers.values()
    assert f"{node.host}:{node.port}" == f"{host}:{ports[listener]}"
    topic = make_topic(bootstrap, f"through-{listener}")
    producer = Producer({"bootstrap.servers": bootstrap})
    producer.produce(topic, b"a record")
    assert producer.flush(60) == 0
    assert [message.value() for message in read_to_end(bootstrap, topic)] == [b"a record"]


def test_what_is_written_through_one_listener_is_read_through_another(ports: dict[str, int]) -> None:
    inside, outside = (f"127.0.0.1:{ports[name]}" for name in ("INSIDE", "OUTSIDE"))
    topic = make_topic(inside, "across")
    producer = Producer({"bootstrap.servers": inside})
    producer.produce(topic, b"a record")
    assert producer.flush(60) == 0
    assert [message.value() for message in read_to_end(outside, topic)] == [b"a record"]


@pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")
def test_ipv6_is_listened_on_and_advertised_without_its_brackets() -> None:
    settings = {
        "listeners": "PLAINTEXT://[::1]:0,V4://127.0.0.1:0",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,V4:PLAINTEXT",
    }
    with broker(settings) as running:
        assert running.bootstrap.startswith("[::1]:")
        port = int(running.bootstrap.rpartition(":")[2])
        with RawClient(port, host="::1") as client:
            answer = client.request("Metadata", 12, {"topics": [], "allow_auto_topic_creation": False})
        assert [(node["host"], node["port"]) for node in answer["brokers"]] == [("::1", port)]
        topic = make_topic(running.bootstrap, "six")
        producer = Producer({"bootstrap.servers": running.bootstrap})
        producer.produce(topic, b"a record")
        assert producer.flush(60) == 0
        running.restart()
        assert [message.value() for message in read_to_end(running.bootstrap, topic)] == [b"a record"]


def test_a_port_that_is_taken_is_named_and_nothing_is_left_listening() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        settings = {
            "listeners": f"INSIDE://127.0.0.1:0,OUTSIDE://127.0.0.1:{port}",
            "listener.security.protocol.map": "INSIDE:PLAINTEXT,OUTSIDE:PLAINTEXT",
        }
        with pytest.raises(RuntimeError, match=f"OUTSIDE://127.0.0.1:{port}"), broker(settings):
            pass
