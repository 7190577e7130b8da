"""Kafka's DumpLogSegments reads our files without complaint: logs, indexes, snapshots; after kill -9, compaction too.

The tool is the judge of the format: it checks every batch's CRC, walks the records inside, and finds every index
entry's place in the log.
"""

from __future__ import annotations

import base64
import os
import re
import time
from pathlib import Path

import pytest
from confluent_kafka import Producer
from tests.support import java
from tests.support.clients import make_topic, read_to_end

from penstock.testing import RunningBroker
from penstock.testing.plugin import BrokerFactory

DUMP = "org.apache.kafka.tools.DumpLogSegments"
COMPLAINTS = ("mismatch", "invalid message", "out of order", "not match", "sanity check failed")


@pytest.fixture
def broker(penstock_broker_factory: BrokerFactory) -> RunningBroker:
    """Rolls often, compacts eagerly, indexes densely."""
    return penstock_broker_factory({"log.cleaner.backoff.ms": 50, "log.index.interval.bytes": 256}, mode="process")


def dump(files: list[Path], *options: str) -> str:
    assert files, "there is nothing to dump"
    said = java.run(DUMP, *options, "--files", ",".join(map(str, files)), timeout_s=120)
    text = said.stdout + said.stderr
    found = [line for line in text.splitlines() if any(each in line.lower() for each in COMPLAINTS)]
    assert not found, "\n".join(found[:20])
    return said.stdout


def files_of(broker: RunningBroker, topic: str, suffix: str, partition: int = 0) -> list[Path]:
    return sorted((broker.data_dir / f"{topic}-{partition}").glob(f"*{suffix}"))


def write(broker: RunningBroker, topic: str, values: list[bytes], *, keys: int = 0, **settings: object) -> None:
    wanted = {"bootstrap.servers": broker.bootstrap, "linger.ms": 2, "batch.size": 20_000}
    producer = Producer(wanted | {name.replace("_", "."): value for name, value in settings.items()})
    for number, value in enumerate(values):
        key = b"key %d" % (number % keys) if keys else None
        producer.produce(topic, value, key, partition=0, headers=[("number", b"%d" % number)])
        producer.poll(0)
    assert producer.flush(60) == 0


def noise(size: int) -> bytes:
    """Text that does not compress away."""
    return base64.b64encode(os.urandom(size * 3 // 4))


def judge(broker: RunningBroker, topic: str, *, is_compacted: bool = False) -> dict[int, bytes]:
    """Have Kafka read every file of partition 0; the records by offset."""
    said = dump(files_of(broker, topic, ".log"), "--deep-iteration", "--print-data-log")
    assert "isvalid: false" not in said
    # The tool takes every segment's first record for the successor of offset -1.
    assert is_compacted or not re.findall(r"^\s+\d+ is followed by", said, re.MULTILINE)
    indexes = [*files_of(broker, topic, ".index"), *files_of(broker, topic, ".timeindex")]
    dump(indexes)  # finds every entry's batch in the log
    filled = [each for each in indexes if each.stat().st_size > 0]  # of an empty one the tool says just that
    assert dump(indexes, "--index-sanity-check").count("passed sanity check") == len(filled)
    found = re.findall(r"^\| offset: (\d+) .*? payload: (.*)$", said, re.MULTILINE)
    return {int(offset): payload.encode() for offset, payload in found}


def test_segments_of_every_codec_are_read(broker: RunningBroker) -> None:
    topic = make_topic(broker.bootstrap, "dump-codecs", segment_bytes="1048576")
    expected: list[bytes] = []
    for codec in ("none", "gzip", "snappy", "lz4", "zstd"):
        values = [b"%s %d %s" % (codec.encode(), number, noise(600)) for number in range(700)]
        write(broker, topic, values, compression_codec=codec)
        expected += values
    broker.stop()
    assert len(files_of(broker, topic, ".log")) > 1, "it should have rolled"
    assert judge(broker, topic) == dict(enumerate(expected))


def test_files_recovered_after_a_kill_are_read(broker: RunningBroker) -> None:
    topic = make_topic(broker.bootstrap, "dump-killed", segment_bytes="1048576")
    values = [b"%d %s" % (number, b"y" * 900) for number in range(2_500)]
    write(broker, topic, values)
    broker.kill()
    last = files_of(broker, topic, ".log")[-1]
    with last.open("ab") as torn:  # half a batch, as a crash within a write leaves it
        torn.write(last.read_bytes()[:100])
    broker.start()
    assert len(read_to_end(broker.bootstrap, topic)) == 2_500
    write(broker, topic, [b"after"])
    broker.stop()
    assert judge(broker, topic) == dict(enumerate([*values, b"after"]))


def test_compacted_segments_are_read(broker: RunningBroker) -> None:
    topic = make_topic(
        broker.bootstrap,
        "dump-compacted",
        cleanup_policy="compact",
        segment_ms="200",
        min_cleanable_dirty_ratio="0.01",
    )
    values = [b"%d" % number for number in range(600)]
    write(broker, topic, values, keys=10, compression_codec="gzip")
    write(broker, topic, values, keys=10)
    deadline = time.monotonic() + 180
    while len(read_to_end(broker.bootstrap, topic)) > 50:
        assert time.monotonic() < deadline, "it was not compacted"
        time.sleep(0.3)
        write(broker, topic, [b"later"], keys=1)  # closes the active segment, which compaction leaves alone
    broker.stop()
    found = judge(broker, topic, is_compacted=True)
    newest = {value for offset, value in found.items() if 600 <= offset < 1_200}
    assert {b"%d" % number for number in range(591, 600)} <= newest, "each key's last value is kept, but key 0's"


def test_producer_snapshots_are_read(broker: RunningBroker) -> None:
    topic = make_topic(broker.bootstrap, "dump-idempotent")
    write(broker, topic, [b"%d" % number for number in range(50)], enable_idempotence=True)
    broker.stop()
    newest = files_of(broker, topic, ".snapshot")[-1:]
    said = dump(newest)
    assert re.search(r"producerId: \d+ producerEpoch: 0 .*lastOffset: 49 ", said), said
