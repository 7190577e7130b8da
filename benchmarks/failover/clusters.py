"""The clusters that are compared: three brokers each, told apart only by how they are started."""

import shutil
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path

from benchmarks.processes import free_port
from penstock.testing.asking import ask
from penstock.testing.orphans import OrphanKiller
from penstock.testing.running_cluster import RunningCluster
from penstock.wire.messages.describe_quorum_request import DescribeQuorumRequest, PartitionData, TopicData
from penstock.wire.messages.describe_quorum_response import DescribeQuorumResponse
from penstock.wire.messages.metadata_request import MetadataRequest, MetadataRequestTopic
from penstock.wire.messages.metadata_response import MetadataResponse, MetadataResponsePartition

BROKERS = (1, 2, 3)
WITHIN_S = 120.0
_POLL_S = 0.01
_ASK_S = 2.0
_CLUSTER_ID = "ZmFpbG92ZXJzLWhlcmUxMg"


class Cluster(ABC):
    """Three brokers by number. `seen_by` asks one broker; without it the first that answers is asked."""

    title: str

    @abstractmethod
    def start_all(self) -> None: ...

    @abstractmethod
    def end(self) -> None:
        """Nothing of it is left, however it is."""

    @abstractmethod
    def address(self, broker: int) -> str: ...

    @abstractmethod
    def pid(self, broker: int) -> int: ...

    @abstractmethod
    def kill(self, broker: int) -> None: ...

    @abstractmethod
    def start(self, broker: int) -> None: ...

    @abstractmethod
    def stop(self, broker: int) -> None: ...

    @abstractmethod
    def pause(self, broker: int) -> None: ...

    @abstractmethod
    def resume(self, broker: int) -> None: ...

    @abstractmethod
    def is_running(self, broker: int) -> bool: ...

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

    def kill_metastore_leader(self) -> Callable[[], None] | None:
        """Kill what leads the store under it; the answer brings it back. None where there is no such thing."""
        return None


class PenstockCluster(Cluster):
    """Three brokers at Penstock's defaults, and three etcd."""

    title = "Penstock"

    def __init__(self, folder: Path) -> None:
        self._running = RunningCluster(folder, brokers=len(BROKERS), etcd=3)

    def start_all(self) -> None:
        self._running.start_all()

    def end(self) -> None:
        self._running.kill_all()

    def address(self, broker: int) -> str:
        return self._running[broker].bootstrap

    def pid(self, broker: int) -> int:
        return self._running[broker].pid

    def kill(self, broker: int) -> None:
        self._running.kill(broker)

    def start(self, broker: int) -> None:
        self._running.start(broker)

    def stop(self, broker: int) -> None:
        self._running.stop(broker)

    def pause(self, broker: int) -> None:
        self._running.pause(broker)

    def resume(self, broker: int) -> None:
        self._running.resume(broker)

    def is_running(self, broker: int) -> bool:
        return self._running[broker].is_running

    def kill_metastore_leader(self) -> Callable[[], None]:
        etcd = self._running.etcd
        leader = etcd.leader
        assert leader is not None, "etcd has no leader"
        leader.kill()

        def bring_back() -> None:
            etcd.launch(leader)
            etcd.wait_until_healthy([leader])

        return bring_back


class KafkaCluster(Cluster):
    """Three nodes of Apache Kafka, each broker and controller, at Kafka's defaults but for the replicas of internal
    topics, and with the flags of its own start script.
    """

    title = "Apache Kafka 4.3.0"
    _JVM: tuple[str, ...] = (
        *("-Xmx1G", "-Xms1G", "-server", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20"),
        *("-XX:InitiatingHeapOccupancyPercent=35", "-XX:+ExplicitGCInvokesConcurrent", "-Djava.awt.headless=true"),
    )

    def __init__(self, folder: Path, jars: Path) -> None:
        self._folder = folder
        self._jars = jars
        self._ports = {broker: (free_port(), free_port()) for broker in BROKERS}
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._orphans = OrphanKiller()

    def start_all(self) -> None:
        if shutil.which("java") is None:
            raise RuntimeError("no java on the path: benchmarks/setup brings one")
        for broker in BROKERS:
            self._prepare(broker)
        for broker in BROKERS:
            self._launch(broker)
        for broker in BROKERS:
            self._wait_until_up(broker)

    def _prepare(self, broker: int) -> None:
        folder = self._home(broker)
        folder.mkdir(parents=True)
        port, controller_port = self._ports[broker]
        voters = ",".join(f"{number}@127.0.0.1:{ports[1]}" for number, ports in self._ports.items())
        settings = {
            "process.roles": "broker,controller",
            "node.id": broker,
            "listeners": f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller_port}",
            "advertised.listeners": f"PLAINTEXT://127.0.0.1:{port}",
            "controller.listener.names": "CONTROLLER",
            "controller.quorum.voters": voters,
            "log.dirs": folder / "data",
            "offsets.topic.replication.factor": 3,
            "transaction.state.log.replication.factor": 3,
            "min.insync.replicas": 2,
        }
        (folder / "server.properties").write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
        (folder / "log4j2.properties").write_text("status = error\nrootLogger.level = off\n")
        format_it = self._java(broker, "kafka.tools.StorageTool", "format", "-t", _CLUSTER_ID, "-c")
        subprocess.run([*format_it, folder / "server.properties"], check=True, capture_output=True)

    def _home(self, broker: int) -> Path:
        return self._folder / f"kafka-{broker}"

    def _java(self, broker: int, main_class: str, *arguments: str, flags: tuple[str, ...] = ()) -> list[str]:
        logging = f"-Dlog4j2.configurationFile={self._home(broker) / 'log4j2.properties'}"
        return ["java", *flags, logging, "-cp", f"{self._jars}/*", main_class, *arguments]

    def _launch(self, broker: int) -> None:
        properties = str(self._home(broker) / "server.properties")
        with (self._home(broker) / "output.txt").open("ab") as output:
            self._processes[broker] = subprocess.Popen(
                self._java(broker, "kafka.Kafka", properties, flags=self._JVM),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self._orphans.watch([process.pid for process in self._processes.values() if process.poll() is None])

    def _wait_until_up(self, broker: int) -> None:
        # A topic that nobody has: an answer without brokers missing says that this one is unfenced.
        request = MetadataRequest(topics=[], allow_auto_topic_creation=False)

        def is_up() -> bool:
            try:
                answer = ask(self.address(broker), request, MetadataResponse, version=12, timeout_s=_ASK_S)
            except OSError:
                return False
            return broker in {each.node_id for each in answer.brokers}

        self.wait(is_up, f"node {broker} is up")

    def end(self) -> None:
        for process in self._processes.values():
            if process.poll() is None:
                process.kill()
                process.wait()
        self._orphans.close()

    def address(self, broker: int) -> str:
        return f"127.0.0.1:{self._ports[broker][0]}"

    def pid(self, broker: int) -> int:
        return self._processes[broker].pid

    def kill(self, broker: int) -> None:
        self._processes[broker].kill()
        self._processes[broker].wait()

    def start(self, broker: int) -> None:
        self._launch(broker)
        self._wait_until_up(broker)

    def stop(self, broker: int) -> None:
        self._processes[broker].terminate()
        self._processes[broker].wait(WITHIN_S)

    def pause(self, broker: int) -> None:
        self._processes[broker].send_signal(signal.SIGSTOP)

    def resume(self, broker: int) -> None:
        self._processes[broker].send_signal(signal.SIGCONT)

    def is_running(self, broker: int) -> bool:
        return self._processes[broker].poll() is None
