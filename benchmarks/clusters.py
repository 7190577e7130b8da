"""Clusters of three brokers, Penstock's and Apache Kafka's, told apart only by how they are made."""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benchmarks.brokers import ApacheKafka, Broker, KafkaNode, Penstock
from benchmarks.processes import free_port
from penstock.processes.cluster import replicated
from penstock.processes.etcd import EtcdCluster, EtcdPlace
from penstock.processes.networks import Networks
from penstock.processes.raw_requests import ask
from penstock.wire.messages.describe_quorum_request import DescribeQuorumRequest, PartitionData, TopicData
from penstock.wire.messages.describe_quorum_response import DescribeQuorumResponse
from penstock.wire.messages.metadata_request import MetadataRequest, MetadataRequestTopic
from penstock.wire.messages.metadata_response import MetadataResponse, MetadataResponsePartition

BROKERS = (1, 2, 3)
WITHIN_S = 120.0
_POLL_S = 0.01
_ASK_S = 2.0


class Cluster:
    """Three brokers by number. `seen_by` asks one broker; without it the first that answers is asked."""

    replicas = len(BROKERS)

    def __init__(
        self,
        name: str,
        nodes: Mapping[int, Broker],
        etcd: EtcdCluster | None = None,
        networks: Networks | None = None,
    ) -> None:
        """With `networks` each process has one of its own, and can be cut off from the others."""
        self.name = name
        self._networks = networks
        self.title = nodes[1].title
        self.compiles_as_it_runs = nodes[1].compiles_as_it_runs
        self._nodes = nodes
        self._etcd = etcd

    def start_all(self) -> None:
        """Returns when every broker knows all others."""
        for node in self._nodes.values():
            node.folder.mkdir(parents=True)
            node.prepare()
        if self._etcd is not None:
            self._etcd.start()
        for node in self._nodes.values():
            node.start()
        for broker in BROKERS:
            self._wait_until_up(broker)

    def end(self) -> None:
        """Nothing of it is left running, however it is."""
        for node in self._nodes.values():
            node.kill()
        if self._etcd is not None:
            self._etcd.kill()

    @property
    def parts(self) -> Mapping[str, Sequence[int]]:
        parts = {"brokers": [node.pid for node in self._nodes.values()]}
        return parts if self._etcd is None else {**parts, "etcd": [member.pid for member in self._etcd.members]}

    def address(self, broker: int) -> str:
        return self._nodes[broker].bootstrap

    def kill(self, broker: int) -> None:
        self._nodes[broker].kill()

    def start(self, broker: int) -> None:
        self._nodes[broker].start()
        self._wait_until_up(broker)

    def stop(self, broker: int) -> None:
        self._nodes[broker].stop()

    def pause(self, broker: int) -> None:
        self._nodes[broker].pause()

    def resume(self, broker: int) -> None:
        self._nodes[broker].resume()

    def is_running(self, broker: int) -> bool:
        return self._nodes[broker].alive()

    def _wait_until_up(self, broker: int) -> None:
        # A topic that nobody has: an answer without brokers missing says that this one is unfenced.
        request = MetadataRequest(topics=[], allow_auto_topic_creation=False)

        def is_up() -> bool:
            if not self.is_running(broker):
                raise RuntimeError(f"{self.title}: node {broker} ended:\n{self._nodes[broker].last_words()}")
            try:
                answer = ask(self.address(broker), request, MetadataResponse, version=12, timeout_s=_ASK_S)
            except OSError:
                return False
            return broker in {each.node_id for each in answer.brokers}

        self.wait(is_up, f"node {broker} is up")

    @property
    def bootstrap(self) -> str:
        return ",".join(self.address(broker) for broker in BROKERS)

    def metadata(self, topic: str, *, seen_by: int | None = None) -> list[MetadataResponsePartition]:
        request = MetadataRequest(topics=[MetadataRequestTopic(name=topic)], allow_auto_topic_creation=False)
        for broker in BROKERS if seen_by is None else (seen_by,):
            if self.is_running(broker):
                try:
                    answer = ask(self.address(broker), request, MetadataResponse, version=12, timeout_s=_ASK_S)
                    return answer.topics[0].partitions
                except OSError:
                    continue
        return []

    def leader(self, topic: str, *, seen_by: int | None = None) -> int:
        """Of partition 0; -1 where there is none."""
        return next((part.leader_id for part in self.metadata(topic, seen_by=seen_by) if not part.partition_index), -1)

    def controller(self) -> int:
        wanted = TopicData(topic_name="__cluster_metadata", partitions=[PartitionData(partition_index=0)])
        for broker in BROKERS:
            if self.is_running(broker):
                try:
                    request = DescribeQuorumRequest(topics=[wanted])
                    answer = ask(self.address(broker), request, DescribeQuorumResponse, version=0, timeout_s=_ASK_S)
                    return answer.topics[0].partitions[0].leader_id
                except OSError:
                    continue
        return -1

    def wait_until_in_sync(self, topic: str) -> None:
        def whole() -> bool:
            partitions = self.metadata(topic)
            return bool(partitions) and all(
                part.leader_id >= 0 and len(part.isr_nodes) == len(part.replica_nodes) for part in partitions
            )

        self.wait(whole, f"all replicas of {topic} in sync")

    def wait(self, holds: Callable[[], bool], what: str) -> float:
        """The seconds it took."""
        began_s = time.monotonic()
        while not holds():
            if time.monotonic() > began_s + WITHIN_S:
                raise TimeoutError(f"{self.title}: not within {WITHIN_S:g} s: {what}")
            time.sleep(_POLL_S)
        return time.monotonic() - began_s

    def cut_off(self, broker: int) -> Callable[[], None]:
        """Nothing passes between it and the rest of its cluster, while clients reach everybody; the answer heals it."""
        networks = self._networks
        assert networks is not None, "this cluster has no networks"
        networks.cut(network_of(broker), *(name for name in networks.names if name != network_of(broker)))
        return networks.heal

    def kill_metastore_leader(self) -> Callable[[], None] | None:
        """Kill what leads the store under it; the answer brings it back. None where there is no such thing."""
        etcd = self._etcd
        if etcd is None:
            return None
        leader = etcd.leader
        assert leader is not None, "etcd has no leader"
        leader.kill()

        def bring_back() -> None:
            leader.launch()
            etcd.wait_until_healthy([leader])

        return bring_back


def network_of(broker: int) -> str:
    return f"broker-{broker}"


ETCD_NETWORKS = tuple(f"etcd-{number}" for number in BROKERS)
NETWORKS = (*map(network_of, BROKERS), *ETCD_NETWORKS)
"""Of a cluster that can be cut apart."""


def penstock_cluster(
    folder: Path, executable: Path, name: str = "penstock", *, networks: Networks | None = None
) -> Cluster:
    """Three brokers at Penstock's defaults but for the replicas of internal topics, and three etcd."""
    places = None
    if networks is not None:
        places = [EtcdPlace(networks.address(each), 2379, 2380, 2381, networks.under(each)) for each in ETCD_NETWORKS]
    etcd = EtcdCluster(folder / "etcd", size=len(BROKERS), places=places)

    def node(number: int) -> Penstock:
        own: dict[str, str | int] = {"node.id": number, "penstock.etcd.endpoints": etcd.endpoints}
        return Penstock(
            f"{name}-{number}", folder / f"broker-{number}", executable, {**replicated(len(BROKERS)), **own}
        )

    return Cluster(name, _placed({number: node(number) for number in BROKERS}, networks), etcd, networks)


def kafka_cluster(
    folder: Path,
    jars: Path,
    name: str = "kafka",
    *,
    jvm: Sequence[str] = ApacheKafka.JVM,
    networks: Networks | None = None,
) -> Cluster:
    """Three nodes of Apache Kafka, each broker and controller, at Kafka's defaults but for the same replicas."""
    controllers = {number: free_port() for number in BROKERS}
    hosts = {} if networks is None else {number: networks.address(network_of(number)) for number in BROKERS}

    def node(number: int) -> ApacheKafka:
        own = KafkaNode(number, controllers, hosts)
        return ApacheKafka(f"{name}-{number}", folder / f"kafka-{number}", jars, own, jvm=jvm)

    return Cluster(name, _placed({number: node(number) for number in BROKERS}, networks), networks=networks)


def _placed(nodes: Mapping[int, Broker], networks: Networks | None) -> Mapping[int, Broker]:
    for number, node in nodes.items():
        if networks is not None:
            node.host, node.under = networks.address(network_of(number)), networks.under(network_of(number))
    return nodes
