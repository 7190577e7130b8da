"""Kafka's verifiable clients and its copier of records, which consumes, transforms and produces in transactions."""

from __future__ import annotations

import json
from typing import Any

from tests.support import java
from tests.support.clients import fresh_name, make_topic, read_decided

PRODUCER = "org.apache.kafka.tools.VerifiableProducer"
CONSUMER = "org.apache.kafka.tools.VerifiableConsumer"
COPIER = "org.apache.kafka.tools.TransactionalMessageCopier"


def events(main_class: str, *arguments: str) -> list[dict[str, Any]]:
    told = java.run(main_class, *arguments).stdout.splitlines()
    return [json.loads(line) for line in told if line.startswith("{")]


def test_what_the_verifiable_producer_wrote_is_copied_once_though_transactions_abort(bootstrap: str) -> None:
    source, copy, group = make_topic(bootstrap, "source"), make_topic(bootstrap, "copy"), fresh_name("copiers")
    written = events(PRODUCER, "--bootstrap-server", bootstrap, "--topic", source, "--max-messages", "40")
    acknowledged = sorted(event["value"] for event in written if event["name"] == "producer_send_success")
    assert acknowledged == sorted(map(str, range(40)))

    events(
        COPIER,
        "--broker-list", bootstrap, "--input-topic", source, "--input-partition", "0", "--output-topic", copy,
        "--consumer-group", group, "--transactional-id", fresh_name("copier"), "--transaction-size", "5",
        "--max-messages", "40", "--enable-random-aborts", "--group-mode", "--use-group-metadata",
    )  # fmt: skip
    copied = read_decided(bootstrap, copy)
    assert sorted((message.value() or b"").decode() for message in copied) == acknowledged

    read = events(
        CONSUMER,
        "--bootstrap-server", bootstrap, "--topic", copy, "--group-id", fresh_name("readers"),
        "--reset-policy", "earliest", "--max-messages", "40", "--group-protocol", "classic",
    )  # fmt: skip
    assert sum(event["count"] for event in read if event["name"] == "records_consumed") >= 40
