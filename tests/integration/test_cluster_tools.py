"""Kafka's own tools against three brokers: the quorum, moving partitions, electing leaders, forgetting a broker."""

import asyncio
import json
import re
from pathlib import Path

from tests.support import java
from tests.support.nodes import WITHIN_S, Nodes, some_nodes

from penstock.cluster import CreatedTopic, CreateTopic, PartitionImage
from penstock.wire.records import Record, build_batch

VERIFICATION = "org.apache.kafka.tools.ReplicaVerificationTool"
QUORUM = "org.apache.kafka.tools.MetadataQuorumCommand"
REASSIGN = "org.apache.kafka.tools.reassign.ReassignPartitionsCommand"
ELECTION = "org.apache.kafka.tools.LeaderElectionCommand"
CLUSTER = "org.apache.kafka.tools.ClusterTool"
QUICK = {"penstock.broker.lease.ms": "10000", "auto.leader.rebalance.enable": "false"}


async def tool(main_class: str, nodes: Nodes, *arguments: str) -> str:
    """The brokers are in this process, so the tool runs beside the loop."""
    where = ("--bootstrap-server", nodes.bootstrap)
    given = (*arguments, *where) if main_class == CLUSTER else (*where, *arguments)
    return (await asyncio.to_thread(java.run, main_class, *given)).stdout


async def create(nodes: Nodes, name: str, *replicas: tuple[int, ...]) -> None:
    topic = CreateTopic(name, assignments=tuple(enumerate(replicas)))
    (outcome,) = await nodes.cluster().controller.create_topics([topic], timeout_ms=120_000)
    assert isinstance(outcome, CreatedTopic), outcome


def the(nodes: Nodes, topic: str) -> PartitionImage:
    return nodes.image().topics[topic].partitions[0]


async def test_kafkas_tools_manage_a_cluster_of_three(tmp_path: Path) -> None:
    async with some_nodes(tmp_path, 3, QUICK) as nodes:
        status = await tool(QUORUM, nodes, "describe", "--status")
        assert re.search(rf"LeaderId:\s+{nodes.image().controller_id}\n", status)
        assert re.search(r"MaxFollowerLag:\s+0\n", status) and nodes[1].cluster_id in status
        assert all(f'"id": {node_id}' in status for node_id in (1, 2, 3))
        replication = await tool(QUORUM, nodes, "describe", "--replication")
        assert len(re.findall(r"(?m)^[123]\s.*(?:Leader|Follower)\s*$", replication)) == 3

        await create(nodes, "orders", (1, 2))
        plan = tmp_path / "plan.json"
        moves = {"version": 1, "partitions": [{"topic": "orders", "partition": 0, "replicas": [3, 2]}]}
        plan.write_text(json.dumps(moves))
        started = await tool(REASSIGN, nodes, "--execute", "--reassignment-json-file", str(plan))
        assert "Successfully started partition reassignment for orders-0" in started
        await nodes.until(lambda: the(nodes, "orders").replicas == (3, 2))
        verified = await tool(REASSIGN, nodes, "--verify", "--reassignment-json-file", str(plan))
        assert "Reassignment of partition orders-0 is completed." in verified
        assert "No partition reassignments found." in await tool(REASSIGN, nodes, "--list")

        await create(nodes, "events", (1, 2, 3))
        reorder = {"version": 1, "partitions": [{"topic": "events", "partition": 0, "replicas": [2, 1, 3]}]}
        plan.write_text(json.dumps(reorder))
        await tool(REASSIGN, nodes, "--execute", "--reassignment-json-file", str(plan))
        await nodes.until(lambda: the(nodes, "events").replicas == (2, 1, 3))
        assert the(nodes, "events").leader == 1
        elected = await tool(ELECTION, nodes, "--election-type", "PREFERRED", "--topic", "events", "--partition", "0")
        assert "Successfully completed leader election (PREFERRED) for partitions events-0" in elected
        await nodes.until(lambda: the(nodes, "events").leader == 2)

        await nodes.kill(3)
        await nodes.until(lambda: 3 not in nodes.image().brokers)
        assert "Broker 3 is no longer registered." in await tool(CLUSTER, nodes, "unregister", "--id", "3")
        await nodes.until(lambda: 3 not in nodes.image().marks.identities)


async def test_kafkas_verification_finds_replicas_equal(tmp_path: Path) -> None:
    async with some_nodes(tmp_path, 3, QUICK) as nodes:
        await nodes.create_topic("orders", replicas=(1, 2, 3))
        leader = nodes.leader("orders")
        for number in range(300):
            record = Record(0, 1_700_000_000_000, b"key", b"%d" % number)
            leader.append(memoryview(build_batch([record])), acks=-1)
        await nodes.until(lambda: all(nodes.partition("orders", at).high_watermark == 300 for at in (2, 3)))
        options = ("--topics-include", "orders", "--report-interval-ms", "200", "--time", "-2")
        verifying = await asyncio.create_subprocess_exec(
            *java.command(VERIFICATION, "--broker-list", nodes.bootstrap, *options),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        assert verifying.stdout is not None
        said = b""
        try:
            while b"max lag is 0 for partition orders-0 at offset 300 among 1 partitions" not in said:
                line = await asyncio.wait_for(verifying.stdout.readline(), WITHIN_S)
                assert line and b"deviates" not in line, said
                said += line
        finally:
            verifying.kill()
            await verifying.wait()
