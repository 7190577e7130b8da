"""The records of Kafka's internal topics and files, which kio lacks, against bytes that Apache Kafka 4.3.0 wrote.

kafka_records.json holds message, version, value (bytes in base64) and the bytes that Kafka's own classes made of it.
"""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.support.wire_values import class_of

SAMPLES = json.loads(Path(__file__).with_name("kafka_records.json").read_text())


@pytest.mark.parametrize(("name", "version", "fields", "written"), SAMPLES)
def test_a_record_has_the_bytes_that_kafka_gives_it(
    name: str, version: int, fields: dict[str, Any], written: str
) -> None:
    value = msgspec.convert(fields, type=class_of(name))
    assert value.encode(version).hex() == written
    assert class_of(name).decode(bytes.fromhex(written), version) == value
