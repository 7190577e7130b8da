"""State of share groups on one broker as it is installed: through kill -9, and as Kafka's own formatter reads it."""

from __future__ import annotations

import threading
from typing import Any

from tests.support.coordinators import ask_until_ready
from tests.support.faults import Client, eventually, metric
from tests.support.kept import kept_of
from tests.support.raw import ConnectionEnded

from penstock.coordinators.shares.service import partition_of
from penstock.coordinators.shares.states import SharePartitionKey
from penstock.model import TopicId
from penstock.testing import RunningBroker
from penstock.testing.plugin import BrokerFactory
from penstock.wire.messages.write_share_group_state_request import (
    PartitionData,
    StateBatch,
    WriteShareGroupStateRequest,
    WriteStateData,
)

TOPIC, GROUP = "orders", "workers"
ACKNOWLEDGED, AVAILABLE, ARCHIVING = 2, 0, 3
STATE_TOPIC = "__share_group_state"
FORMATTER = "group.share.ShareGroupStateMessageFormatter"
FORBIDDEN = {"topic": 29, "internal": 17, "request": 42, "setting": 40}


class Group:
    """What a broker says of one share partition, over a raw socket."""

    def __init__(self, client: Client, partition: int = 0) -> None:
        self.client = client
        self.topic_id = client.request("Metadata", 12, metadata_of(TOPIC))["topics"][0]["topic_id"]
        self.partition = partition

    @property
    def key(self) -> SharePartitionKey:
        return SharePartitionKey(GROUP, TopicId(self.topic_id), self.partition)

    def ask(self, api: str, version: int, **part: Any) -> dict[str, Any]:
        ask_until_ready(self.client, "FindCoordinator", 6, {"key_type": 2, "coordinator_keys": [str(self.key)]})
        asked = {"topic_id": self.topic_id, "partitions": [{"partition": self.partition, **part}]}
        answer = ask_until_ready(self.client, api, version, {"group_id": GROUP, "topics": [asked]})
        (result,) = answer["results"]
        (told,) = result["partitions"]
        assert told["error_code"] == 0, told
        return dict(told)

    def initialize(self, *, start: int = 0, epoch: int = 1) -> None:
        self.ask("InitializeShareGroupState", 0, state_epoch=epoch, start_offset=start)

    def write(
        self, *rows: StateBatch, start: int = -1, leader_epoch: int = 0, complete: int = 3, relay: bytes = b""
    ) -> None:
        """In our own codec: the raw client knows Kafka's fields only."""
        part = PartitionData(self.partition, 1, leader_epoch, start, complete, list(rows), relay)
        request = WriteShareGroupStateRequest(GROUP, [WriteStateData(self.topic_id, [part])])
        (result,) = ask_until_ready(self.client, "WriteShareGroupState", 1, request.encode(1))["results"]
        assert result["partitions"] == [{"partition": self.partition, "error_code": 0, "error_message": None}]

    def offsets(self, *, leader_epoch: int = 0) -> set[int]:
        rows = self.ask("ReadShareGroupState", 0, leader_epoch=leader_epoch)["state_batches"]
        return {offset for row in rows for offset in range(row["first_offset"], row["last_offset"] + 1)}


def metadata_of(topic: str) -> dict[str, Any]:
    return {
        "topics": [{"topic_id": bytes(16), "name": topic}],
        "include_topic_authorized_operations": False,
        "allow_auto_topic_creation": False,
    }


def test_what_was_answered_outlives_kills_and_cuts_of_the_log(penstock_broker_factory: BrokerFactory) -> None:
    broker = penstock_broker_factory(
        {
            "share.coordinator.state.topic.num.partitions": "2",
            "share.coordinator.snapshot.update.records.per.snapshot": "20",
            "share.coordinator.state.topic.prune.interval.ms": "50",
            "share.coordinator.cold.partition.snapshot.interval.ms": "200",
        }
    )
    with Client(broker) as client:
        assert client.create_topic(TOPIC, partitions=2) == 0
        for partition in (0, 1):
            Group(client, partition).initialize()
        Group(client, 1).write(StateBatch(7, 7, AVAILABLE, 2))
    answered: set[int] = set()
    stopping = threading.Event()

    def work() -> None:
        number = 0
        while not stopping.is_set():
            try:
                with Client(broker) as client:
                    group = Group(client)
                    while not stopping.is_set():
                        group.write(StateBatch(2 * number, 2 * number, ACKNOWLEDGED, 1), start=0)
                        answered.add(2 * number)
                        number += 1
            except (ConnectionEnded, OSError):
                pass  # killed; the write may have been done, and is repeated

    worker = threading.Thread(target=work)
    worker.start()
    try:
        for round_ in range(3):
            enough = len(answered) + 100
            eventually(lambda enough=enough: len(answered) > enough, f"round {round_} gets going")  # type: ignore[misc]
            broker.kill()
            broker.start()
        eventually(lambda: len(answered) > enough + 100, "it goes on after the last kill")
    finally:
        stopping.set()
        worker.join()
    with Client(broker) as client:
        lost = answered - Group(client).offsets()
        assert not lost, f"answered and gone: {sorted(lost)[:5]}"
        assert Group(client, 1).offsets() == {7}
    eventually(lambda: metric(broker, "penstock_share_state_pruned_records_total") > 0, "the log is cut")


def test_kafkas_formatter_reads_the_topic_and_passes_over_our_own_fields(
    penstock_broker_factory: BrokerFactory,
) -> None:
    broker = penstock_broker_factory({"share.coordinator.snapshot.update.records.per.snapshot": "2"})
    with Client(broker) as client:
        assert client.create_topic(TOPIC) == 0
        group = Group(client)
        group.initialize(start=10, epoch=1)
        waiting = StateBatch(14, 15, AVAILABLE, 2, not_before_ms=1_700_000_000_000)
        letter = StateBatch(13, 13, ARCHIVING, 1, dead_letter_reason=2)
        group.write(StateBatch(11, 12, ACKNOWLEDGED, 1), letter, waiting, relay=b"on its way")
        group.ask("ReadShareGroupState", 0, leader_epoch=3)
        later = StateBatch(20, 20, AVAILABLE, 1, not_before_ms=1_800_000_000_000)
        group.write(later, start=12, leader_epoch=3, complete=1)
        assert group.offsets(leader_epoch=3) == {12, 13, 14, 15, 20}
        group.ask("DeleteShareGroupState", 0)
        index = partition_of(str(group.key), 50)
    kept = kept_of(broker.bootstrap, STATE_TOPIC, FORMATTER, str(group.key), partition=index)
    assert [each["key"]["type"] for each in kept] == [0, 1, 1, 0, 0]
    assert {each["key"]["data"]["groupId"] for each in kept} == {GROUP}
    begun, first, led, snapshot, deleted = (each["value"] for each in kept)
    assert deleted is None
    assert begun["data"]["startOffset"] == 10 and begun["data"]["stateEpoch"] == 1
    assert begun["data"]["createTimestamp"] == begun["data"]["writeTimestamp"] > 0
    assert first["data"]["deliveryCompleteCount"] == 3 and first["data"]["startOffset"] == -1
    assert first["data"]["stateBatches"] == [
        row(11, 12, ACKNOWLEDGED, 1),
        row(13, 13, ARCHIVING, 1),
        row(14, 15, AVAILABLE, 2),
    ]
    assert led["data"]["leaderEpoch"] == 3 and led["data"]["stateBatches"] == []
    assert (snapshot["data"]["snapshotEpoch"], snapshot["data"]["startOffset"]) == (1, 12)
    assert snapshot["data"]["stateBatches"] == [
        row(12, 12, ACKNOWLEDGED, 1),
        row(13, 13, ARCHIVING, 1),
        row(14, 15, AVAILABLE, 2),
        row(20, 20, AVAILABLE, 1),
    ]


def row(first: int, last: int, state: int, count: int) -> dict[str, int]:
    return {"firstOffset": first, "lastOffset": last, "deliveryState": state, "deliveryCount": count}


def test_clients_neither_make_the_topic_nor_change_what_keeps_its_records(penstock_broker: RunningBroker) -> None:
    with Client(penstock_broker) as client:
        assert client.create_topic(STATE_TOPIC) == FORBIDDEN["request"]
        assert client.create_topic(TOPIC) == 0
        Group(client).initialize()
        records = client.request(
            "DeleteRecords",
            2,
            {"topics": [{"name": STATE_TOPIC, "partitions": [{"partition_index": 0, "offset": -1}]}],
             "timeout_ms": 1_000},
        )  # fmt: skip
        assert records["topics"][0]["partitions"][0]["error_code"] == FORBIDDEN["internal"]
        for name, value in (("cleanup.policy", "compact"), ("retention.ms", "1"), ("retention.bytes", "1")):
            change = {"name": name, "config_operation": 0, "value": value}
            altered = client.request(
                "IncrementalAlterConfigs",
                1,
                {"resources": [{"resource_type": 2, "resource_name": STATE_TOPIC, "configs": [change]}],
                 "validate_only": False},
            )  # fmt: skip
            assert altered["responses"][0]["error_code"] == FORBIDDEN["setting"], name
