"""Several brokers and their etcd, as real processes that can be killed, paused and restarted one by one.

    with penstock.testing.cluster(brokers=3) as cluster:
        Producer({"bootstrap.servers": cluster.bootstrap})
        cluster.kill(cluster.leader("orders"))

Brokers are known by their ids, 1 and up. Addresses and data stay from start to start.
"""

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from penstock.testing.asking import ask
from penstock.testing.etcd import EtcdCluster
from penstock.testing.process import ProcessBroker
from penstock.testing.running import RunningBroker, as_settings
from penstock.wire.messages.describe_cluster_request import DescribeClusterRequest
from penstock.wire.messages.describe_cluster_response import DescribeClusterResponse
from penstock.wire.messages.metadata_request import MetadataRequest, MetadataRequestTopic
from penstock.wire.messages.metadata_response import MetadataResponse, MetadataResponsePartition

Answer = TypeVar("Answer")

METADATA_VERSION = 12
REPLICAS_MAX = 3
WITHIN_S = 120.0
"""How long what must happen may take: far more than it needs, so that only 'never' fails."""
POLL_S = 0.02


class RunningCluster:
    def __init__(
        self,
        folder: Path,
        settings: Mapping[str, str] | None = None,
        *,
        brokers: int = 3,
        etcd: int = 1,
        orphan_removes: Path | None = None,
    ) -> None:
        self.folder = folder
        self.etcd = self._make_etcd(folder / "etcd", etcd)
        self._orphan_removes = orphan_removes
        self.brokers: dict[int, RunningBroker] = {
            broker_id: self._make(
                broker_id,
                folder / f"broker-{broker_id}",
                {**replicated(brokers), **(settings or {}), **self._membership(broker_id)},
            )
            for broker_id in range(1, brokers + 1)
        }

    def _membership(self, broker_id: int) -> dict[str, str]:
        return {"node.id": str(broker_id), "penstock.etcd.endpoints": self.etcd.endpoints}

    def _make_etcd(self, folder: Path, size: int) -> EtcdCluster:
        return EtcdCluster(folder, size=size)

    def _make(self, broker_id: int, folder: Path, settings: Mapping[str, str]) -> RunningBroker:
        return ProcessBroker(folder, settings, orphan_removes=self._orphan_removes)

    def __getitem__(self, broker_id: int) -> RunningBroker:
        return self.brokers[broker_id]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self.brokers)} brokers at {self.bootstrap}, in {self.folder}>"

    @property
    def bootstrap(self) -> str:
        """All brokers, also those that are down: host:port,host:port, for a client's bootstrap.servers."""
        return ",".join(broker.bootstrap for broker in self.brokers.values())

    # All at once ------------------------------------------------------------------------------------------------

    def start_all(self) -> None:
        """etcd, then every broker; returns when each of them knows all others."""
        self.etcd.start()
        for broker in self.brokers.values():
            broker.launch()
        for broker in self.brokers.values():
            broker.wait_until_started()
        self.wait_until_complete()

    def stop_all(self) -> None:
        """Brokers first, each handing over what it leads, etcd last. Their data stays."""
        for broker in self.brokers.values():
            broker.stop()
        self.etcd.stop()

    def kill_all(self) -> None:
        for broker in self.brokers.values():
            broker.kill()
        self.etcd.kill()

    def __enter__(self) -> Self:
        try:
            self.start_all()
        except BaseException:
            self.kill_all()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self.stop_all()
        finally:
            self.kill_all()

    # One broker -------------------------------------------------------------------------------------------------

    def kill(self, broker_id: int) -> None:
        """As kill -9 does: it is gone when this returns, and nobody was told."""
        self.brokers[broker_id].kill()

    def pause(self, broker_id: int) -> None:
        """As SIGSTOP does: its connections stay, and nothing is answered."""
        self.brokers[broker_id].pause()

    def resume(self, broker_id: int) -> None:
        self.brokers[broker_id].resume()

    def stop(self, broker_id: int) -> None:
        """A clean stop, which hands over what it leads."""
        self.brokers[broker_id].stop()

    def start(self, broker_id: int) -> None:
        self.brokers[broker_id].start()

    def restart(self, broker_id: int) -> None:
        """Stop cleanly (unless it is down already) and start again on the same data and address."""
        self.brokers[broker_id].restart()

    def log_tail(self, lines: int = 40) -> str:
        """The end of every broker's log."""
        return "\n".join(f"--- broker {number}\n{broker.log_tail(lines)}" for number, broker in self.brokers.items())

    # What the cluster says of itself ----------------------------------------------------------------------------

    def metadata(self, *topics: str, at: int | None = None) -> MetadataResponse:
        """As broker `at` sees it, or the first that answers; of every topic where none is named."""
        wanted = [MetadataRequestTopic(name=name) for name in topics] or None
        request = MetadataRequest(topics=wanted, allow_auto_topic_creation=False)
        return self._ask(lambda address: ask(address, request, MetadataResponse, version=METADATA_VERSION), at=at)

    def _ask(self, question: Callable[[str], Answer], *, at: int | None) -> Answer:
        failure: OSError | None = None
        for broker in self.brokers.values() if at is None else [self.brokers[at]]:
            if broker.is_running:
                try:
                    return question(broker.bootstrap)
                except OSError as error:
                    failure = error
        raise failure or ConnectionRefusedError("no broker is running")

    def partition(self, topic: str, index: int = 0, *, at: int | None = None) -> MetadataResponsePartition:
        (found,) = self.metadata(topic, at=at).topics
        return next(partition for partition in found.partitions if partition.partition_index == index)

    def leader(self, topic: str, index: int = 0, *, at: int | None = None) -> int:
        """-1 when it has none."""
        return self.partition(topic, index, at=at).leader_id

    def in_sync(self, topic: str, index: int = 0, *, at: int | None = None) -> set[int]:
        return set(self.partition(topic, index, at=at).isr_nodes)

    def controller(self, *, at: int | None = None) -> int:
        """-1 when there is none."""
        request = DescribeClusterRequest()
        return self._ask(lambda address: ask(address, request, DescribeClusterResponse, version=0), at=at).controller_id

    # Waiting ----------------------------------------------------------------------------------------------------

    def wait_until_complete(self) -> None:
        """Every broker that runs knows every other that does, and a controller."""
        running = {number for number, broker in self.brokers.items() if broker.is_running}

        def knows_all(number: int) -> bool:
            seen = {broker.node_id for broker in self.metadata(at=number).brokers}
            return running <= seen and self.controller(at=number) in running

        self.wait(lambda: all(knows_all(number) for number in running), "every broker knows all others")

    def wait_until_in_sync(self, *topics: str, within_s: float = WITHIN_S) -> None:
        """Every partition (of these topics, or of all) has a leader, and all its replicas in sync, as every broker that
        answers sees it: whoever asks next may ask any of them.
        """

        def whole(number: int) -> bool:
            found = self.metadata(*topics, at=number).topics
            # A topic that the broker asked has not heard of yet comes with an error and without a partition.
            return all(topic.partitions for topic in found) and all(
                partition.leader_id >= 0 and set(partition.isr_nodes) == set(partition.replica_nodes)
                for topic in found
                for partition in topic.partitions
            )

        def seen_by_all() -> bool:
            seen = []
            for number, broker in self.brokers.items():
                if broker.is_running:
                    try:
                        seen.append(whole(number))
                    except OSError:  # one that hangs, or is about to die, has no say
                        pass
            return bool(seen) and all(seen)

        self.wait(seen_by_all, f"all replicas of {', '.join(topics) or 'every topic'} in sync", within_s=within_s)

    def wait(self, holds: Callable[[], bool], what: str, *, within_s: float = WITHIN_S) -> None:
        deadline = time.monotonic() + within_s
        while True:
            try:
                if holds():
                    return
            except (OSError, StopIteration):  # a broker that is about to die, or a topic not seen yet
                pass
            if time.monotonic() > deadline:
                raise TimeoutError(f"not within {within_s:g} s: {what}\n{self.log_tail()}")
            time.sleep(POLL_S)


def replicated(brokers: int) -> dict[str, str]:
    """What a cluster of so many brokers is set to: three replicas of everything, of which one may be missing."""
    copies = str(min(brokers, REPLICAS_MAX))
    return {
        "default.replication.factor": copies,
        "offsets.topic.replication.factor": copies,
        "transaction.state.log.replication.factor": copies,
        "min.insync.replicas": "2" if brokers >= REPLICAS_MAX else "1",
    }


@contextmanager
def cluster(
    settings: Mapping[str, object] | None = None,
    *,
    brokers: int = 3,
    etcd: int = 1,
    keep_data: bool = False,
    **more: object,
) -> Iterator[RunningCluster]:
    """A cluster on free ports, gone with its data when the block ends, whatever ends it."""
    folder = Path(tempfile.mkdtemp(prefix="penstock-test-"))
    running = RunningCluster(
        folder,
        as_settings(settings, more),
        brokers=brokers,
        etcd=etcd,
        orphan_removes=None if keep_data else folder,
    )
    try:
        with running:
            yield running
    finally:
        if not keep_data:
            shutil.rmtree(folder, ignore_errors=True)
