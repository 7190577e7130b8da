"""Brokers for Kafka's tests: what OutsideBrokers.java asks for, a connection a cluster and a line of JSON an order.

begin   so many brokers (ids from 0), with a test's server properties as far as Penstock has them
add     one more broker
stop, start   one of them
topic   what one of them knows of a topic
topics  the ids of all topics
settle  until all that run have seen the same metadata
wait    until every broker that runs knows a topic with so many partitions, and a leader of each; 0 for gone
end     all of them; so does the end of the connection
"""

from __future__ import annotations

import base64
import contextlib
import json
import shutil
import socketserver
import tempfile
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from penstock.cluster import CLUSTER_METADATA
from penstock.processes.broker import RunningBroker
from penstock.processes.cluster import member_settings
from penstock.processes.etcd import EtcdCluster
from penstock.processes.raw_requests import ask
from penstock.settings.setting import Scope, settings_of
from penstock.testing.process import ProcessBroker
from penstock.testing.running_cluster import RunningCluster
from penstock.wire.messages.describe_quorum_request import DescribeQuorumRequest, PartitionData, TopicData
from penstock.wire.messages.describe_quorum_response import DescribeQuorumResponse

# Kafka's defaults, where those of our clusters for tests differ; and a topic for the state of share groups with as many
# brokers as there are: Kafka's tests may ask for a keeper that keeps nothing (group.share.persister.class.name).
DEFAULTS = {
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    "group.initial.rebalance.delay.ms": "3000",
    "default.replication.factor": "1",
    "min.insync.replicas": "1",
    "num.partitions": "1",
}
OURS = ("node.id", "broker.id", "listeners", "advertised.listeners", "log.dirs", "log.dir", "process.roles")


class Cluster(RunningCluster):
    """To which brokers can be added."""

    def __init__(self, folder: Path, etcd: EtcdCluster) -> None:
        self.made: dict[int, RunningBroker] = {}
        super().__init__(folder, etcd, self.made)


class Stage(socketserver.ThreadingTCPServer):
    """Listens on a free port. Logs of brokers are kept below `folder`; `ignored` collects what was not passed on."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.folder = folder
        self.ignored: set[str] = set()
        self._clusters = 0

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def name_of_next(self) -> str:
        self._clusters += 1
        return f"cluster-{self._clusters}"

    @contextlib.contextmanager
    def open(self) -> Iterator[None]:
        thread = threading.Thread(target=self.serve_forever, name="stage", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self.shutdown()
            self.server_close()
            thread.join()


class _Connection(socketserver.StreamRequestHandler):
    server: Stage

    def handle(self) -> None:
        cluster: Cluster | None = None
        try:
            for line in self.rfile:
                order = json.loads(line)
                try:
                    if order["do"] == "begin":
                        cluster = _begin(self.server, order)
                        answer = _told(cluster)
                    elif cluster is None:
                        answer = {"error": "an order before begin"}
                    elif order["do"] == "add":
                        _add(self.server, cluster, order["broker"], order["settings"])
                        answer = _told(cluster)
                    else:
                        answer = _obey(cluster, order)
                except Exception as error:
                    answer = {"error": f"{type(error).__name__}: {error}"}
                self.wfile.write(json.dumps(answer).encode() + b"\n")
                if order["do"] == "end":
                    break
        finally:
            if cluster is not None:
                cluster.kill_all()
                _keep_logs(cluster, self.server.folder / self.server.name_of_next())


def _begin(stage: Stage, order: Mapping[str, Any]) -> Cluster:
    folder = Path(tempfile.mkdtemp(prefix="penstock-suites-"))
    cluster = Cluster(folder, EtcdCluster(folder / "etcd", size=1))
    count = int(order["brokers"])
    for number in range(count):
        _make(stage, cluster, number, {**order["settings"], **order["each"].get(str(number), {})}, brokers=count)
    try:
        cluster.start_all()
    except BaseException:
        cluster.kill_all()
        _keep_logs(cluster, stage.folder / stage.name_of_next())
        raise
    return cluster


def _add(stage: Stage, cluster: Cluster, number: int, properties: Mapping[str, str]) -> None:
    _make(stage, cluster, number, properties, brokers=1)
    cluster.start(number)
    cluster.wait_until_complete()


def _make(stage: Stage, cluster: Cluster, number: int, properties: Mapping[str, str], *, brokers: int) -> None:
    taken, ignored = known(properties)
    stage.ignored |= ignored
    settings = member_settings(number, cluster.etcd, {**DEFAULTS, **taken}, brokers=brokers)
    settings["listeners"] = "PLAINTEXT://localhost:0"  # by the name that Kafka's tests compare
    broker = ProcessBroker(cluster.folder / f"broker-{number}", settings, orphan_removes=cluster.folder)
    if "," in (folders := properties.get("log.dirs", "")):  # a test with several knows them by name
        broker.settings["log.dirs"] = folders
        broker.data_dir = Path(folders.partition(",")[0])
        broker.log_path.parent.mkdir()
    cluster.made[number] = broker


def known(properties: Mapping[str, str]) -> tuple[dict[str, str], set[str]]:
    """A test's server properties that Penstock has, and the names of the others."""
    table = settings_of(Scope.BROKER)
    taken = {name: str(value) for name, value in properties.items() if name in table and name not in OURS}
    return taken, properties.keys() - taken.keys() - set(OURS)


def _told(cluster: Cluster) -> dict[str, Any]:
    brokers = [
        {"id": number, "address": broker.bootstrap, "folder": str(broker.data_dir)}
        for number, broker in cluster.brokers.items()
    ]
    return {"brokers": brokers, "cluster": cluster.metadata().cluster_id if brokers else ""}


def _obey(cluster: Cluster, order: Mapping[str, Any]) -> dict[str, Any]:
    match order["do"]:
        case "stop":
            cluster.stop(order["broker"])
        case "start":
            cluster.start(order["broker"])
            cluster.wait_until_complete()
        case "topic":
            return _known_of(cluster, order["topic"], order["broker"])
        case "topics":
            return {str(found.name): _text(found.topic_id) for found in cluster.metadata().topics}
        case "settle":
            _settle(cluster)
        case "wait":
            _wait_for_topic(cluster, order["topic"], order["partitions"])
        case "end":
            cluster.kill_all()
        case unknown:
            raise ValueError(f"there is no order {unknown}")
    return {}


def _known_of(cluster: Cluster, topic: str, broker: int) -> dict[str, Any]:
    (found,) = cluster.metadata(topic, at=broker).topics
    partitions = [
        {
            "index": each.partition_index,
            "leader": each.leader_id,
            "epoch": each.leader_epoch,
            "replicas": each.replica_nodes,
            "isr": each.isr_nodes,
        }
        for each in found.partitions
    ]
    return {"id": _text(found.topic_id), "partitions": partitions}


def _text(topic_id: bytes) -> str:
    return base64.urlsafe_b64encode(topic_id).decode().rstrip("=")


def _settle(cluster: Cluster) -> None:
    """Of brokers that know of different revisions the later ones come from a store that all of them watch."""

    def seen(number: int) -> int:
        request = DescribeQuorumRequest(
            topics=[TopicData(topic_name=CLUSTER_METADATA, partitions=[PartitionData(partition_index=0)])]
        )
        found = ask(cluster[number].bootstrap, request, DescribeQuorumResponse, version=0)
        return found.topics[0].partitions[0].high_watermark

    running = [number for number, broker in cluster.brokers.items() if broker.is_running]
    newest = max(map(seen, running))
    cluster.wait(lambda: all(seen(number) >= newest for number in running), f"all have seen revision {newest}")


def _wait_for_topic(cluster: Cluster, topic: str, partitions: int) -> None:
    def knows(number: int) -> bool:
        (found,) = cluster.metadata(topic, at=number).topics
        return len(found.partitions) == partitions and all(each.leader_id >= 0 for each in found.partitions)

    running = [number for number, broker in cluster.brokers.items() if broker.is_running]
    cluster.wait(lambda: all(knows(number) for number in running), f"{partitions} partitions of {topic} are known")


def _keep_logs(cluster: Cluster, to: Path) -> None:
    for number, broker in cluster.brokers.items():
        if broker.log_path.exists():
            to.mkdir(parents=True, exist_ok=True)
            shutil.copy(broker.log_path, to / f"broker-{number}.log")
    shutil.rmtree(cluster.folder, ignore_errors=True)
