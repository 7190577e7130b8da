"""Three brokers, and a stranger with a socket: what only brokers may say, and who is told to go elsewhere."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer
from tests.support import java
from tests.support.command import PATIENT
from tests.support.nodes import Nodes, some_nodes
from tests.support.raw import RawClient
from tests.support.schema import messages

from penstock.errors import (
    ClusterAuthorizationFailed,
    IllegalSaslState,
    NetworkFailure,
    NotCoordinator,
    NotLeaderOrFollower,
    UnknownTopicOrPartition,
)
from penstock.model import BrokerId
from penstock.replication import Peers
from penstock.wire.messages.fetch_request import FetchRequest
from penstock.wire.messages.list_groups_request import ListGroupsRequest

QUICK = {
    "penstock.broker.lease.ms": "1500",
    "penstock.broker.heartbeat.ms": "300",
    "transaction.state.log.num.partitions": "1",
    "offsets.topic.num.partitions": "1",
}
WITHIN_S = 120.0
TOPIC = "orders"
TRANSACTIONS = "org.apache.kafka.tools.TransactionsCommand"


@pytest.fixture
async def nodes(tmp_path: Path) -> AsyncIterator[Nodes]:
    async with some_nodes(tmp_path, 3, QUICK) as running:
        await running.create_topic(TOPIC, replicas=(1, 2))
        yield running


async def ask(nodes: Nodes, at: int, api: str, version: int, body: dict[str, Any]) -> dict[str, Any]:
    """As a stranger, of broker `at`."""

    def work() -> dict[str, Any]:
        with RawClient(nodes[at].endpoints["PLAINTEXT"].port) as client:
            return client.request(api, version, body)

    return await asyncio.wait_for(asyncio.to_thread(work), WITHIN_S)


def fetch_of(nodes: Nodes, *, replica: int = -1, offset: int = 0) -> dict[str, Any]:
    """A fetch by a consumer, or one that says all that a follower's would."""
    is_replica = replica >= 0
    partition = {
        "partition": 0,
        "current_leader_epoch": nodes.state(TOPIC).leader_epoch if is_replica else -1,
        "fetch_offset": offset,
        "last_fetched_epoch": nodes.state(TOPIC).leader_epoch if is_replica else -1,
        "log_start_offset": 0,
        "partition_max_bytes": 1 << 20,
    }
    return {
        "replica_state": {
            "replica_id": replica,
            "replica_epoch": nodes.image().brokers[BrokerId(replica)].epoch if is_replica else -1,
        },
        "max_wait_ms": 0,
        "min_bytes": 0,
        "max_bytes": 1 << 20,
        "isolation_level": 0,
        "session_id": 0,
        "session_epoch": 0 if is_replica else -1,
        "topics": [{"topic_id": nodes.image().topics[TOPIC].topic_id, "partitions": [partition]}],
        "forgotten_topics_data": [],
        "rack_id": "",
    }


async def test_a_strangers_fetch_with_a_replica_id_moves_no_high_watermark(nodes: Nodes) -> None:
    leader, fetchers, peers = nodes.partition(TOPIC, at=1), nodes.services(2).fetchers, nodes.services(2).peers
    fetchers.stop()
    producer = Producer({"bootstrap.servers": nodes.bootstrap, "acks": 1, "linger.ms": 0})
    producer.produce(TOPIC, b"one", partition=0)
    await asyncio.to_thread(producer.flush, WITHIN_S)
    assert (leader.high_watermark, leader.log.end_offset, set(leader.in_sync)) == (0, 1, {1, 2})
    said = fetch_of(nodes, replica=2, offset=1)
    answer = await ask(nodes, 1, "Fetch", 17, said)
    assert (answer["error_code"], answer["responses"]) == (ClusterAuthorizationFailed.code, [])
    assert leader.high_watermark == 0
    # The same words from broker 2 itself count.
    request = FetchRequest.decode(messages()["FetchRequest"].encode(said, 17), 17)
    assert (await peers.ask(BrokerId(1), request, version=17, timeout_s=WITHIN_S)).error_code == 0
    assert leader.high_watermark == 1


def begin(bootstrap: str) -> Producer:
    """A transaction with a record, open for as long as its producer is kept."""
    producer = Producer({"bootstrap.servers": bootstrap, "transactional.id": "t", "linger.ms": 0})
    producer.init_transactions(WITHIN_S)
    producer.begin_transaction()
    producer.produce(TOPIC, b"one", partition=0)
    producer.flush(WITHIN_S)
    return producer


@pytest.mark.parametrize("commits", [True, False])
async def test_a_stranger_may_abort_what_is_open_and_commit_nothing(nodes: Nodes, commits: bool) -> None:
    _producer = await asyncio.to_thread(begin, nodes.bootstrap)
    log = nodes.partition(TOPIC, at=1).log
    (open_one,) = log.producers.describe()
    marker = {
        "producer_id": open_one.producer_id,
        "producer_epoch": open_one.epoch,
        "transaction_result": commits,
        "topics": [{"name": TOPIC, "partition_indexes": [0]}],
        "coordinator_epoch": 1_000_000,
    }
    answer = await ask(nodes, 1, "WriteTxnMarkers", 1, {"markers": [marker]})
    (result,) = answer["markers"][0]["topics"][0]["partitions"]
    assert result["error_code"] == (ClusterAuthorizationFailed.code if commits else 0)
    (left,) = log.producers.describe()
    assert (left.transaction_first_offset >= 0) == commits
    assert left.coordinator_epoch < 1_000_000  # or the coordinator's own markers would be refused from now on
    again = await ask(nodes, 1, "WriteTxnMarkers", 1, {"markers": [marker | {"producer_id": 999_999}]})
    assert again["markers"][0]["topics"][0]["partitions"][0]["error_code"] == ClusterAuthorizationFailed.code


@pytest.mark.parametrize("by", ["penstock", "kafka"])
async def test_an_operator_ends_what_hangs_with_either_tool(nodes: Nodes, by: str) -> None:
    def abort() -> None:
        where = ("--topic", TOPIC, "--partition", "0")
        if by == "kafka":
            java.run(TRANSACTIONS, "--bootstrap-server", nodes.bootstrap, "abort", *where, "--start-offset", "0")
        else:
            command = (sys.executable, "-m", "penstock.cli", "txn", "abort", "--bootstrap", nodes.bootstrap)
            subprocess.run((*command, *where, "--offset", "0", "--yes", *PATIENT), check=True, timeout=2 * WITHIN_S)

    _producer = await asyncio.to_thread(begin, nodes.bootstrap)
    partition = nodes.partition(TOPIC, at=1)
    assert partition.last_stable_offset == 0
    await asyncio.to_thread(abort)
    assert partition.last_stable_offset == 2


async def test_a_stranger_asks_no_coordinator_in_a_brokers_name(nodes: Nodes) -> None:
    transaction = {
        "transactional_id": "t",
        "producer_id": 1,
        "producer_epoch": 0,
        "verify_only": True,
        "topics": [{"name": TOPIC, "partitions": [0]}],
    }
    answer = await ask(nodes, 1, "AddPartitionsToTxn", 5, {"transactions": [transaction]})
    assert answer["error_code"] == ClusterAuthorizationFailed.code


async def test_clients_are_told_that_nobody_authenticates_here(nodes: Nodes) -> None:
    answer = await ask(nodes, 1, "SaslHandshake", 1, {"mechanism": "PLAIN"})
    assert (answer["error_code"], answer["mechanisms"]) == (IllegalSaslState.code, [])
    answer = await ask(nodes, 1, "SaslAuthenticate", 2, {"auth_bytes": b"\0me\0secret"})
    assert answer["error_code"] == IllegalSaslState.code


# Who asks the wrong broker ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("at", [pytest.param(2, id="a follower"), pytest.param(3, id="a broker that keeps nothing")])
async def test_a_broker_that_does_not_lead_says_who_does(nodes: Nodes, at: int) -> None:
    leader, topic_id = nodes[1].endpoints["PLAINTEXT"], nodes.image().topics[TOPIC].topic_id
    epoch = nodes.state(TOPIC).leader_epoch
    produced = await ask(
        nodes,
        at,
        "Produce",
        13,
        {
            "transactional_id": None,
            "acks": -1,
            "timeout_ms": 1000,
            "topic_data": [{"topic_id": topic_id, "partition_data": [{"index": 0, "records": b"\0" * 100}]}],
        },
    )
    (part,) = produced["responses"][0]["partition_responses"]
    assert part["error_code"] == NotLeaderOrFollower.code
    assert part["current_leader"] == {"leader_id": 1, "leader_epoch": epoch}
    (node,) = produced["node_endpoints"]
    assert (node["node_id"], node["host"], node["port"]) == (1, leader.host, leader.port)
    if at == 3:  # a follower may be read from (KIP-392)
        fetched = await ask(nodes, at, "Fetch", 17, fetch_of(nodes))
        (part,) = fetched["responses"][0]["partitions"]
        assert part["error_code"] == NotLeaderOrFollower.code
        assert part["current_leader"] == {"leader_id": 1, "leader_epoch": epoch}
        (node,) = fetched["node_endpoints"]
        assert (node["node_id"], node["port"]) == (1, leader.port)


@pytest.mark.parametrize("at", [2, 3])
@pytest.mark.parametrize("index", [0, 1])
async def test_other_questions_are_for_the_leader_too(nodes: Nodes, at: int, index: int) -> None:
    expected = (NotLeaderOrFollower if index == 0 else UnknownTopicOrPartition).code
    asked: dict[str, tuple[int, dict[str, Any]]] = {
        "ListOffsets": (
            8,
            {
                "replica_id": -1,
                "isolation_level": 0,
                "topics": [
                    {
                        "name": TOPIC,
                        "partitions": [{"partition_index": index, "current_leader_epoch": -1, "timestamp": -1}],
                    }
                ],
            },
        ),
        "OffsetForLeaderEpoch": (
            4,
            {
                "replica_id": -1,
                "topics": [
                    {
                        "topic": TOPIC,
                        "partitions": [{"partition": index, "current_leader_epoch": -1, "leader_epoch": 0}],
                    }
                ],
            },
        ),
        "DeleteRecords": (
            2,
            {"timeout_ms": 1000, "topics": [{"name": TOPIC, "partitions": [{"partition_index": index, "offset": 0}]}]},
        ),
    }
    for api, (version, body) in asked.items():
        answer = await ask(nodes, at, api, version, body)
        (part,) = answer["topics"][0]["partitions"]
        assert part["error_code"] == expected, api


@pytest.mark.parametrize("at", [2, 3])
async def test_producers_are_told_of_by_every_broker_that_has_the_replica(nodes: Nodes, at: int) -> None:
    """As Kafka has it: whoever looks for hanging transactions asks each broker about what it keeps."""
    _producer = await asyncio.to_thread(begin, nodes.bootstrap)
    if at == 2:
        await nodes.until(lambda: nodes.partition(TOPIC, at=2).log.end_offset == 1)
    answer = await ask(nodes, at, "DescribeProducers", 0, {"topics": [{"name": TOPIC, "partition_indexes": [0]}]})
    (part,) = answer["topics"][0]["partitions"]
    started_at = [producer["current_txn_start_offset"] for producer in part["active_producers"]]
    assert (part["error_code"], started_at) == ((0, [0]) if at == 2 else (NotLeaderOrFollower.code, []))


async def test_coordinators_send_away_who_is_not_theirs(nodes: Nodes) -> None:
    found: dict[str, int] = {}
    for key_type, name in ((0, "group"), (1, "transaction")):
        answer = await ask(nodes, 3, "FindCoordinator", 4, {"key_type": key_type, "coordinator_keys": ["k"]})
        (coordinator,) = answer["coordinators"]
        assert coordinator["error_code"] == 0
        found[name] = coordinator["node_id"]
        assert coordinator["port"] == nodes[found[name]].endpoints["PLAINTEXT"].port
    wrong = next(broker for broker in (1, 2, 3) if broker != found["group"])
    answer = await ask(
        nodes, wrong, "Heartbeat", 4, {"group_id": "k", "generation_id": 1, "member_id": "m", "group_instance_id": None}
    )
    assert answer["error_code"] == NotCoordinator.code
    wrong = next(broker for broker in (1, 2, 3) if broker != found["transaction"])
    body = {"transactional_id": "k", "producer_id": 1, "producer_epoch": 0, "committed": True}
    answer = await ask(nodes, wrong, "EndTxn", 3, body)
    assert answer["error_code"] == NotCoordinator.code


async def test_brokers_keep_their_connections_however_quiet_they_are(tmp_path: Path) -> None:
    async with some_nodes(tmp_path, 2, QUICK | {"connections.max.idle.ms": "200"}) as nodes:
        peers = nodes.services(1).peers
        async with asyncio.timeout(WITHIN_S):
            while not await is_answered(peers):
                await asyncio.sleep(0.01)  # on a stalled machine its time was over before it had said who it is
        with RawClient(nodes[2].endpoints["PLAINTEXT"].port) as stranger:
            assert await asyncio.to_thread(stranger.is_closed_by_peer)  # who is not a broker is sent away by then
        line = peers._lines[BrokerId(2), ""]
        assert line.conversation is not None and not line.conversation.is_over


async def is_answered(peers: Peers) -> bool:
    try:
        await peers.ask(BrokerId(2), ListGroupsRequest(), version=4, timeout_s=WITHIN_S)
    except NetworkFailure:
        return False
    return True
