"""/health, /ready and /metrics of a running broker that has done some work."""

import json
import urllib.request

from confluent_kafka import Consumer, Producer, TopicPartition
from prometheus_client.parser import text_string_to_metric_families

from penstock.testing import RunningBroker


def page(broker: RunningBroker, path: str) -> bytes:
    with urllib.request.urlopen(broker.http_url + path, timeout=60) as answer:
        body: bytes = answer.read()
    return body


def metrics(broker: RunningBroker) -> dict[tuple[str, str], float]:
    """Values by name and the one label that matters here: the topic's or the request's name."""
    return {
        (sample.name, sample.labels.get("topic") or sample.labels.get("request") or ""): sample.value
        for family in text_string_to_metric_families(page(broker, "/metrics").decode())
        for sample in family.samples
    }


def produce_and_consume(bootstrap: str, topic: str, records: int) -> None:
    producer = Producer({"bootstrap.servers": bootstrap})
    for number in range(records):
        producer.produce(topic, value=str(number).encode())
    assert producer.flush(60) == 0
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "unused", "enable.auto.commit": False})
    consumer.assign([TopicPartition(topic, 0, 0)])
    left = records
    while left:
        left -= len(consumer.consume(left, timeout=1.0))
    consumer.close()


def test_a_running_broker_is_well_and_ready(penstock_broker: RunningBroker) -> None:
    health = json.loads(page(penstock_broker, "/health"))
    assert health["status"] == "ok" and health["ready"] and health["broker_id"] == 1
    assert len(health["cluster_id"]) == 22
    assert json.loads(page(penstock_broker, "/ready")) == {"status": "ready"}


def test_dashboards_made_for_kafka_find_what_they_look_for(penstock_broker: RunningBroker) -> None:
    produce_and_consume(penstock_broker.bootstrap, "orders", records=7)
    found = metrics(penstock_broker)
    assert found["kafka_server_brokertopicmetrics_messagesin_total", "orders"] == 7
    assert found["kafka_server_brokertopicmetrics_bytesin_total", "orders"] > 61
    assert found["kafka_server_brokertopicmetrics_bytesout_total", "orders"] > 0
    assert found["kafka_network_requestmetrics_requests_total", "Produce"] > 0
    assert found["kafka_network_requestmetrics_requests_total", "Fetch"] > 0
    # One of the topic, and as many of __consumer_offsets as are there already: the consumer looked for its group.
    assert found["kafka_server_replicamanager_partitioncount", ""] >= 1
    assert found["kafka_server_replicamanager_leadercount", ""] >= 1
    assert found["kafka_server_replicamanager_underreplicatedpartitions", ""] == 0
    assert found["kafka_log_log_logendoffset", "orders"] == 7
    assert found["kafka_log_log_size", "orders"] > 61
    assert found["penstock_requests_bugs_total", ""] == 0
    assert found["process_resident_memory_bytes", ""] > 0
