"""Several listeners: each client is told the address by which it came, or the one advertised for it (RULES 35)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.support.clients import make_topic, read_to_end
from tests.support.kafka import free_ports
from tests.support.raw import RawClient

from penstock.testing import broker

INSIDE, OUTSIDE, BEHIND = 0, 1, 2


@pytest.fixture(scope="module")
def ports() -> Iterator[list[int]]:
    """A broker inside a network, outside of it by another name, and behind a port that is forwarded."""
    inside, outside, behind = free_ports(3)
    settings = {
        "listeners": f"INSIDE://127.0.0.1:{inside},OUTSIDE://127.0.0.1:{outside},BEHIND://127.0.0.1:{behind}",
        "advertised.listeners": f"INSIDE://127.0.0.1:{inside},OUTSIDE://localhost:{outside},BEHIND://example.org:443",
        "listener.security.protocol.map": "INSIDE:PLAINTEXT,OUTSIDE:PLAINTEXT,BEHIND:PLAINTEXT",
        "inter.broker.listener.name": "INSIDE",
    }
    with broker(settings, mode="process"):
        yield [inside, outside, behind]


def told_by_metadata(port: int) -> list[tuple[str, int]]:
    with RawClient(port) as client:
        answer = client.request("Metadata", 12, {"topics": []})
    return [(each["host"], each["port"]) for each in answer["brokers"]]


def told_by_describe_cluster(port: int) -> list[tuple[str, int]]:
    with RawClient(port) as client:
        answer = client.request("DescribeCluster", 1, {})
    return [(each["host"], each["port"]) for each in answer["brokers"]]


def test_each_listener_tells_its_own_address(ports: list[int]) -> None:
    for told in (told_by_metadata, told_by_describe_cluster):
        assert told(ports[INSIDE]) == [("127.0.0.1", ports[INSIDE])]
        assert told(ports[OUTSIDE]) == [("localhost", ports[OUTSIDE])]
        assert told(ports[BEHIND]) == [("example.org", 443)]


def test_clients_of_two_listeners_share_the_topics(ports: list[int]) -> None:
    topic = make_topic(f"127.0.0.1:{ports[INSIDE]}", "shared")
    assert read_to_end(f"localhost:{ports[OUTSIDE]}", topic) == []
