"""A stop with clients connected: clean, soon, and without a stack trace, whatever they are waiting for."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import pytest
from tests.support.batches import Rec, batch
from tests.support.faults import Client, fetch_body

from penstock.testing import RunningBroker, broker

REQUEST_TIMED_OUT = 7
TEN_MINUTES_MS = 600_000


@pytest.fixture
def running() -> Iterator[RunningBroker]:
    """It would wait ten minutes for answers under way: a stop that waits at all fails."""
    with broker({"penstock.shutdown.timeout.ms": TEN_MINUTES_MS}) as made:
        yield made


def test_a_stop_leaves_topics_half_made_and_the_next_start_finishes_them(running: RunningBroker) -> None:
    names = [f"unfinished-{number}" for number in range(4)]
    with Client(running) as client:
        for name in names:
            assert client.create_topic(name, partitions=300, timeout_ms=1) == REQUEST_TIMED_OUT
    running.restart()
    with Client(running) as client:
        topics = client.request("Metadata", 4, {"topics": None, "allow_auto_topic_creation": False})["topics"]
        assert {topic["name"] for topic in topics} == set(names)
        for topic in topics:
            assert len(topic["partitions"]) == 300
            assert client.offset(topic["name"], -1, partition=299)["error_code"] == 0
    assert "Traceback" not in running.log_tail(10_000)


def test_a_stop_waits_neither_for_long_polls_nor_for_half_a_frame_nor_for_a_client_that_does_not_read(
    running: RunningBroker,
) -> None:
    with Client(running) as polling, Client(running) as beginning, Client(running) as deaf:
        assert [polling.create_topic(name) for name in ("quiet", "loud")] == [0, 0]
        for _ in range(20):
            assert polling.produce("loud", batch([Rec(b"x" * 900_000)]))["error_code"] == 0
        for _ in range(3):
            polling.send("Fetch", 11, fetch_body("quiet", 0, max_wait_ms=TEN_MINUTES_MS))
        beginning.send_bytes(struct.pack(">i", 1000) + b"half of it")
        for _ in range(3):
            deaf.send("Fetch", 11, fetch_body("loud", 0))
        deaf.receive_frame()
        running.stop()
    assert "Traceback" not in running.log_tail(10_000)
    assert (running.data_dir / ".kafka_cleanshutdown").exists()
