"""When a fetch waits for more and when it does not. Whoever waits here waits for ten minutes: a test that should not
have waited ends with the client's patience."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.support.batches import Rec, batch
from tests.support.clients import fresh_name
from tests.support.faults import Client, eventually, fetch_body, metric

from penstock.testing import RunningBroker, broker

PATIENCE_S = 120.0
TEN_MINUTES_MS = 600_000
VALUE = b"x" * 50_000
BATCH_BYTES = len(batch([Rec(VALUE)]))
MIB = 1 << 20


@pytest.fixture(scope="module")
def running() -> Iterator[RunningBroker]:
    with broker() as made:
        yield made


@pytest.fixture
def client(running: RunningBroker) -> Iterator[Client]:
    with Client(running, timeout_s=PATIENCE_S) as made:
        yield made


def a_topic(client: Client, records: int, **configs: str) -> str:
    name = fresh_name("waiting")
    assert client.create_topic(name, partitions=1, timeout_ms=60_000, **configs) == 0
    for _ in range(records):
        assert client.produce(name, batch([Rec(VALUE)]))["error_code"] == 0
    return name


def fetched(client: Client, topic: str, offset: int, **more: Any) -> int:
    answer = client.fetch(topic, offset, max_wait_ms=TEN_MINUTES_MS, **more)
    assert answer["error_code"] == 0
    return len(answer["records"] or b"")


def test_what_a_partition_may_give_counts_whole_though_a_batch_does_not_fit(client: Client) -> None:
    topic = a_topic(client, 30)
    assert fetched(client, topic, 0, min_bytes=1_000_000, partition_max_bytes=1_000_000) == 19 * BATCH_BYTES


def test_nobody_waits_for_more_than_the_answer_may_hold(client: Client) -> None:
    topic = a_topic(client, 30)
    assert fetched(client, topic, 0, min_bytes=2_000_000, max_bytes=1_000_000) == 19 * BATCH_BYTES


def test_nobody_waits_at_the_end_of_a_closed_segment(client: Client) -> None:
    topic = a_topic(client, 30, segment_bytes=str(MIB))
    assert fetched(client, topic, 19, min_bytes=8 * BATCH_BYTES) == BATCH_BYTES


def test_a_fetch_waits_until_its_minimum_is_there(running: RunningBroker, client: Client) -> None:
    topic = a_topic(client, 1)
    with Client(running, timeout_s=PATIENCE_S) as waiting:
        body = fetch_body(topic, 0, max_wait_ms=TEN_MINUTES_MS, min_bytes=3 * BATCH_BYTES)
        waiting.send("Fetch", 11, body)
        for _ in range(2):
            assert client.produce(topic, batch([Rec(VALUE)]))["error_code"] == 0
        assert len(waiting.receive_frame()) > 3 * BATCH_BYTES


def test_a_fetcher_that_has_parted_from_the_log_is_told_at_once(running: RunningBroker) -> None:
    with Client(running, timeout_s=PATIENCE_S) as client:
        topic = a_topic(client, 3)
    running.restart()
    with Client(running, timeout_s=PATIENCE_S) as client:
        assert client.produce(topic, batch([Rec(VALUE)] * 2))["error_code"] == 0
        body = fetch_body(topic, 5, max_wait_ms=TEN_MINUTES_MS)
        body["topics"][0]["partitions"][0] |= {"last_fetched_epoch": 0, "current_leader_epoch": -1}
        (partition,) = client.request("Fetch", 12, body)["responses"][0]["partitions"]
        assert partition["diverging_epoch"]["end_offset"] == 3


def test_a_fetcher_who_goes_while_it_waits_leaves_nothing_behind_whatever_had_to_be_read_first(
    running: RunningBroker,
) -> None:
    with Client(running, timeout_s=PATIENCE_S) as client:
        topic = a_topic(client, 2)
    running.restart()

    def connections() -> float:
        return metric(running, "kafka_server_socket_server_metrics_connection_count")

    with Client(running, timeout_s=PATIENCE_S) as waiting:
        waiting.send("Fetch", 11, fetch_body(topic, 0, max_wait_ms=TEN_MINUTES_MS, min_bytes=8 * BATCH_BYTES))
        eventually(lambda: connections() == 1, "the fetcher is connected")
    eventually(lambda: connections() == 0, "the fetcher's connection is closed")
