"""/metrics tells how far groups are behind, as dashboards for Kafka ask for it."""

import time
import urllib.request

from confluent_kafka import TopicPartition
from prometheus_client.parser import text_string_to_metric_families
from tests.support.group_clients import group_consumer, topic_with_records, wait_for_shares

from penstock.testing import RunningBroker

WITHIN_S = 120.0


def numbers(broker: RunningBroker) -> dict[tuple[str, ...], float]:
    """By name and label values, of what concerns groups."""
    with urllib.request.urlopen(broker.http_url + "/metrics", timeout=60) as answer:
        text = answer.read().decode()
    return {
        (
            sample.name.removeprefix("kafka_consumergroup_"),
            *(sample.labels[label] for label in ("consumergroup", "topic", "partition") if label in sample.labels),
        ): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name.startswith("kafka_consumergroup_")
    }


def numbers_once_measured(broker: RunningBroker) -> dict[tuple[str, ...], float]:
    """The first scrape starts the measuring."""
    deadline = time.monotonic() + WITHIN_S
    while not (found := numbers(broker)):
        assert time.monotonic() < deadline, "no group was measured"
        time.sleep(0.05)
    return found


def test_lag_is_under_the_names_that_dashboards_use(penstock_broker: RunningBroker) -> None:
    topic = topic_with_records(penstock_broker.bootstrap, "lag", 40)
    with group_consumer(penstock_broker.bootstrap, "billing", topic) as consumer:
        wait_for_shares([consumer], 4)
        places = [TopicPartition(topic, 0, 4), TopicPartition(topic, 1, 10)]
        consumer.commit(offsets=places, asynchronous=False)
        found = numbers_once_measured(penstock_broker)
        seconds = found.pop(("lag_seconds", "billing", topic, "0"))
        assert seconds >= 0 and found.pop(("max_lag_seconds", "billing")) == seconds
        assert found == {
            ("members", "billing"): 1,
            ("current_offset", "billing", topic, "0"): 4,
            ("current_offset", "billing", topic, "1"): 10,
            ("current_offset_sum", "billing", topic): 14,
            ("lag", "billing", topic, "0"): 6,
            ("lag", "billing", topic, "1"): 0,
            ("lag_sum", "billing", topic): 6,
            ("lag_seconds", "billing", topic, "1"): 0,
        }
