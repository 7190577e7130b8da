"""Several brokers and their etcd for a test, which can be killed, paused and restarted one by one.

    with penstock.testing.cluster(brokers=3) as cluster:
        Producer({"bootstrap.servers": cluster.bootstrap})
        cluster.kill(cluster.leader("orders"))

Brokers are known by their ids, 1 and up. Addresses and data stay from start to start.
"""

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from penstock.processes.broker import RunningBroker
from penstock.processes.cluster import WITHIN_S, BrokerCluster, member_settings
from penstock.processes.etcd import EtcdCluster
from penstock.testing.process import ProcessBroker
from penstock.testing.running import as_settings
from penstock.wire.messages.metadata_response import MetadataResponsePartition


class RunningCluster(BrokerCluster):
    def __getitem__(self, broker_id: int) -> RunningBroker:
        return self.brokers[broker_id]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self.brokers)} brokers at {self.bootstrap}, in {self.folder}>"

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

    # What the cluster says of itself ----------------------------------------------------------------------------

    def partition(self, topic: str, index: int = 0, *, at: int | None = None) -> MetadataResponsePartition:
        (found,) = self.metadata(topic, at=at).topics
        return next(partition for partition in found.partitions if partition.partition_index == index)

    def leader(self, topic: str, index: int = 0, *, at: int | None = None) -> int:
        """-1 when it has none."""
        return self.partition(topic, index, at=at).leader_id

    def in_sync(self, topic: str, index: int = 0, *, at: int | None = None) -> set[int]:
        return set(self.partition(topic, index, at=at).isr_nodes)

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
    store = EtcdCluster(folder / "etcd", size=etcd)
    running = RunningCluster(
        folder,
        store,
        {
            number: ProcessBroker(
                folder / f"broker-{number}",
                member_settings(number, store, as_settings(settings, more), brokers=brokers),
                orphan_removes=None if keep_data else folder,
            )
            for number in range(1, brokers + 1)
        },
    )
    try:
        with running:
            yield running
    finally:
        if not keep_data:
            shutil.rmtree(folder, ignore_errors=True)
