"""Several brokers and the etcd that they share, as real processes: started, stopped and killed together.

Brokers are known by their ids, 1 and up. Addresses and data stay from start to start.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from penstock.processes.broker import RunningBroker
from penstock.processes.etcd import EtcdCluster
from penstock.processes.raw_requests import ask
from penstock.wire.messages.describe_cluster_request import DescribeClusterRequest
from penstock.wire.messages.describe_cluster_response import DescribeClusterResponse
from penstock.wire.messages.metadata_request import MetadataRequest, MetadataRequestTopic
from penstock.wire.messages.metadata_response import MetadataResponse

Answer = TypeVar("Answer", bound=msgspec.Struct)

METADATA_VERSION = 12
REPLICAS_MAX = 3
WITHIN_S = 120.0
"""How long what must happen may take: far more than it needs, so that only 'never' fails."""
POLL_S = 0.02


class BrokerCluster:
    def __init__(self, folder: Path, etcd: EtcdCluster, brokers: Mapping[int, RunningBroker]) -> None:
        self.folder = folder
        self.etcd = etcd
        self.brokers = brokers

    @property
    def bootstrap(self) -> str:
        """All brokers, also those that are down: host:port,host:port, for a client's bootstrap.servers."""
        return ",".join(broker.bootstrap for broker in self.brokers.values())

    def start_all(
        self,
        *,
        launched: Callable[[], None] = lambda: None,
        waiting: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """etcd, then every broker; returns when each of them knows all others. `launched` is called when all processes
        are there; waits, which may be long, are within `waiting`.
        """
        for member in self.etcd.members:
            member.launch()
        with waiting():
            self.etcd.wait_until_healthy(self.etcd.members)
        for broker in self.brokers.values():
            broker.launch()
        launched()
        with waiting():
            for broker in self.brokers.values():
                broker.wait_until_started()
            self.wait_until_complete()

    def stop_all(self) -> None:
        """Brokers one after the other, so that each finds somebody to hand over to while there is one; etcd last. Their
        data stays.
        """
        for broker in self.brokers.values():
            broker.stop()
        self.etcd.stop()

    def kill_all(self) -> None:
        for broker in self.brokers.values():
            broker.kill()
        self.etcd.kill()

    def log_tail(self, lines: int = 40) -> str:
        """The end of every broker's log."""
        return "\n".join(f"--- broker {number}\n{broker.log_tail(lines)}" for number, broker in self.brokers.items())

    # What the cluster says of itself ----------------------------------------------------------------------------

    def metadata(self, *topics: str, at: int | None = None) -> MetadataResponse:
        """As broker `at` sees it, or the first that answers; of every topic where none is named."""
        wanted = [MetadataRequestTopic(name=name) for name in topics] or None
        request = MetadataRequest(topics=wanted, allow_auto_topic_creation=False)
        return self._ask(request, MetadataResponse, version=METADATA_VERSION, at=at)

    def _ask(self, request: Any, kind: type[Answer], *, version: int, at: int | None) -> Answer:
        failure: OSError | None = None
        for broker in self.brokers.values() if at is None else [self.brokers[at]]:
            if broker.is_running:
                try:
                    return self.ask_one(broker, request, kind, version=version)
                except OSError as error:
                    failure = error
        raise failure or ConnectionRefusedError("no broker is running")

    def ask_one(self, broker: RunningBroker, request: Any, kind: type[Answer], *, version: int) -> Answer:
        """Over a connection of its own, without a login."""
        return ask(broker.bootstrap, request, kind, version=version)

    def controller(self, *, at: int | None = None) -> int:
        """-1 when there is none."""
        request = DescribeClusterRequest()
        return self._ask(request, DescribeClusterResponse, version=0, at=at).controller_id

    # Waiting ----------------------------------------------------------------------------------------------------

    def wait_until_complete(self) -> None:
        """Every broker that runs knows every other that does, and a controller."""
        running = {number for number, broker in self.brokers.items() if broker.is_running}

        def knows_all(number: int) -> bool:
            seen = {broker.node_id for broker in self.metadata(at=number).brokers}
            return running <= seen and self.controller(at=number) in running

        self.wait(lambda: all(knows_all(number) for number in running), "every broker knows all others")

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


def member_settings(
    broker_id: int, etcd: EtcdCluster, settings: Mapping[str, str] | None, *, brokers: int
) -> dict[str, str]:
    """Of one of so many brokers."""
    own = {"node.id": str(broker_id), "penstock.etcd.endpoints": etcd.endpoints}
    return {**replicated(brokers), **(settings or {}), **own}
