"""Both brokers, and what they answered: the table is played once a session, on both side by side."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.conformance.compare import Finding, differing
from tests.conformance.run import Transcript, play
from tests.conformance.situations.all import TABLE
from tests.conformance.situations.three_brokers import SITUATIONS as THREE_BROKERS
from tests.conformance.stagehand import Stagehand
from tests.conformance.table import Situation
from tests.support.kafka import ApacheKafka, apache_kafka_cluster
from tests.support.raw import port_of

import penstock.testing

Played = dict[Situation, dict[int, Transcript]]
Findings = dict[Situation, list[Finding]]

# Records carry a fixed time of years ago, so retention by time is off.
SETTINGS = {
    "node.id": "1",
    "log.retention.ms": "-1",
    "group.initial.rebalance.delay.ms": "0",
    "group.consumer.assignment.interval.ms": "0",
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
}


OF_THREE = {"log.retention.ms": "-1", "min.insync.replicas": "1", "auto.leader.rebalance.enable": "false"}


@pytest.fixture(scope="session")
def apache_kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApacheKafka]:
    settings = {name: value for name, value in SETTINGS.items() if name != "node.id"}
    with ApacheKafka(tmp_path_factory.mktemp("apache-kafka"), settings=settings) as running:
        yield running


@pytest.fixture(scope="session")
def conformance_broker() -> Iterator[penstock.testing.RunningBroker]:
    with penstock.testing.broker(SETTINGS, mode="process") as running:
        yield running


@pytest.fixture(scope="session")
def played(
    request: pytest.FixtureRequest,
    apache_kafka: ApacheKafka,
    conformance_broker: penstock.testing.RunningBroker,
) -> tuple[Played, Played]:
    """What Kafka and Penstock answered, in every situation that this session needs."""
    situations = _needed(request.session.items)
    with ThreadPoolExecutor(2) as pool:
        kafka = pool.submit(play, situations, Stagehand("Kafka", apache_kafka.port, settles_later=True))
        ours = pool.submit(
            play, situations, Stagehand("Penstock", port_of(conformance_broker.bootstrap), settles_later=False)
        )
        return kafka.result(), ours.result()


@pytest.fixture(scope="session")
def findings(played: tuple[Played, Played]) -> Findings:
    return compared(*played)


@pytest.fixture(scope="session")
def played_by_three(tmp_path_factory: pytest.TempPathFactory) -> tuple[Played, Played]:
    """What three Kafka nodes and three Penstock brokers answered."""
    folder = tmp_path_factory.mktemp("three")
    with apache_kafka_cluster(folder / "kafka", OF_THREE) as theirs, penstock.testing.cluster(OF_THREE) as ours:
        kafka = {number: node.port for number, node in theirs.items()}
        penstock_ports = {number: port_of(node.bootstrap) for number, node in ours.brokers.items()}
        with ThreadPoolExecutor(2) as pool:
            both = [
                pool.submit(play, THREE_BROKERS, Stagehand(name, ports[1], settles_later=later, others=ports))
                for name, ports, later in (("Kafka", kafka, True), ("Penstock", penstock_ports, False))
            ]
            return both[0].result(), both[1].result()


@pytest.fixture(scope="session")
def findings_of_three(played_by_three: tuple[Played, Played]) -> Findings:
    return compared(*played_by_three)


def compared(kafka: Played, ours: Played) -> Findings:
    return {
        each: [
            Finding(each.api, each.name, version, *difference)
            for version in each.runs()
            for difference in differing(kafka[each][version], transcripts[version])
        ]
        for each, transcripts in ours.items()
    }


def _needed(items: list[pytest.Item]) -> list[Situation]:
    """The situations that were selected; all of them when the list of differences is to be judged."""
    selected: list[Situation] = []
    for item in items:
        params = getattr(getattr(item, "callspec", None), "params", {})
        if isinstance(params.get("situation"), Situation) and "findings" in getattr(item, "fixturenames", ()):
            selected.append(params["situation"])
        elif "findings" in getattr(item, "fixturenames", ()):
            return TABLE
    return selected
