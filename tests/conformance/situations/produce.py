"""Produce: acknowledgements, record errors, idempotence, timestamps, compression."""

from __future__ import annotations

from typing import Any

from tests.conformance.table import Ask, Body, Given, Id, Raw, Situation, Step, Topic, situation
from tests.support.batches import (
    CONTROL,
    LOG_APPEND_TIME,
    TRANSACTIONAL,
    WHEN,
    Rec,
    batch,
    old_message_set,
    record,
)
from tests.support.raw import request_frame

FIVE = [Rec(b"value %d" % number, key=b"k%d" % number) for number in range(5)]


def produce(*records: bytes | None, topic: str = "orders", acks: int = -1, partition: int = 0, **more: Any) -> Body:
    """Each of `records` goes to the next partition, from `partition` on."""
    data = [{"index": partition + number, "records": each} for number, each in enumerate(records)]
    return {
        "acks": acks,
        "timeout_ms": 60_000,
        "topic_data": [{"name": f"${topic}", "topic_id": Id(topic), "partition_data": data}],
        **more,
    }


def read_back(topic: str = "orders", partition: int = 0) -> Ask:
    """What the log holds now, by a Fetch of a fixed version."""
    wanted = {"partition": partition, "fetch_offset": 0, "partition_max_bytes": 1 << 20}
    body = {"max_wait_ms": 0, "topics": [{"topic": f"${topic}", "partitions": [wanted]}]}
    return Ask(body, api="Fetch", version=11)


def case(name: str, *steps: Step | Body, versions: tuple[int, int] | None = None, **configs: str) -> Situation:
    settings = {key.replace("_", "."): value for key, value in configs.items()}
    return situation("Produce", name, Topic("orders", 2, settings), *steps, versions=versions)


def refused(name: str, records: bytes | None, versions: tuple[int, int] | None = None, **configs: str) -> Situation:
    """Bad records beside good ones: each partition has its own outcome, and only the good ones are kept."""
    return case(name, produce(records, batch(FIVE)), read_back(), read_back(partition=1), versions=versions, **configs)


def from_producer(sequence: int, *, count: int = 1, epoch: int = 0, producer_id: int = 4711) -> bytes:
    records = [Rec(b"sequence %d" % (sequence + number)) for number in range(count)]
    return batch(records, producer_id=producer_id, producer_epoch=epoch, sequence=sequence)


def sequences(name: str, *batches: bytes) -> Situation:
    return case(name, *(produce(each) for each in batches), read_back(), versions=(9, 13))


ACCEPTED = [
    case("acks all", produce(batch(FIVE)), produce(batch()), read_back()),
    case("acks 1", produce(batch(FIVE), acks=1), read_back()),
    case("acks 0", Ask(produce(batch(FIVE), acks=0), answered=False), read_back()),
    case("two partitions", produce(batch(FIVE), batch()), read_back(partition=1)),
    case(
        "headers, null keys and null values",
        produce(batch([Rec(None, b"k"), Rec(b"", None, (("h", b"1"), ("h", None)))])),
        read_back(),
    ),
    case("a base offset that is not zero", produce(batch(FIVE, base_offset=99)), read_back()),
    case("a leader epoch in the batch", produce(batch(FIVE, leader_epoch=7)), read_back()),
    case("no timestamps", produce(batch(base_timestamp=-1, max_timestamp=-1)), read_back()),
    case("a max timestamp that lies", produce(batch(FIVE, max_timestamp=WHEN + 5_000)), read_back()),
    case("log append time", produce(batch(FIVE)), message_timestamp_type="LogAppendTime"),
    case("the client claims log append time", produce(batch(FIVE, attributes=LOG_APPEND_TIME)), read_back()),
    case("a keyed record to a compacted topic", produce(batch(FIVE)), read_back(), cleanup_policy="compact"),
    case("a timeout of nothing", produce(batch(), timeout_ms=0)),
    *(
        case(f"compressed with {codec}", produce(batch(FIVE, codec=codec)), read_back())
        for codec in ("gzip", "snappy", "lz4")
    ),
    case("compressed with zstd", produce(batch(FIVE, codec="zstd")), read_back()),
    *(
        case(
            f"topic wants {codec}",
            produce(batch(FIVE), batch(FIVE, codec="lz4")),
            read_back(),
            read_back(partition=1),
            compression_type=codec,
            versions=(9, 9),
        )
        for codec in ("gzip", "snappy", "lz4", "zstd", "uncompressed")
    ),
]

ABSENT = [
    case("unknown topic", produce(batch(), topic="missing"), versions=(3, 12)),
    case(
        "an internal topic",
        {
            **produce(batch()),
            "topic_data": [{"name": "__consumer_offsets", "partition_data": [{"index": 0, "records": batch()}]}],
        },
        versions=(3, 12),
    ),
    case("unknown topic id", produce(batch(), topic="missing"), versions=(13, 13)),
    case("unknown partition", produce(batch(), partition=9)),
    case("negative partition", produce(batch(), partition=-1)),
    case("a good and an unknown partition", produce(batch(), batch(), partition=1), read_back(partition=1)),
    case(
        "a topic name that is not valid",
        {
            "acks": 1,
            "timeout_ms": 100,
            "topic_data": [{"name": "a b", "partition_data": [{"index": 0, "records": batch()}]}],
        },
        versions=(3, 12),
    ),
    case("no topics", {"acks": -1, "timeout_ms": 100, "topic_data": []}),
    case("a topic without partitions", produce()),
    case(
        "one partition twice",
        {
            "acks": 1,
            "timeout_ms": 100,
            "topic_data": [
                {
                    "name": "$orders",
                    "topic_id": Id("orders"),
                    "partition_data": [{"index": 0, "records": batch()}, {"index": 0, "records": batch()}],
                }
            ],
        },
        read_back(),
    ),
    case(
        "deleted topic",
        Given("DeleteTopics", 5, {"topic_names": ["$orders"], "timeout_ms": 60_000}),
        Ask({"topics": [{"name": "$orders"}], "allow_auto_topic_creation": False}, api="Metadata", version=9),
        produce(batch()),
    ),
]

ACKS = [
    case("acks 2", produce(batch(), acks=2), read_back()),
    case("acks -2", produce(batch(), acks=-2), read_back()),
    case("acks 0 with a wrong crc", Ask(produce(batch(crc=1), acks=0), answered=False), read_back()),
    case("acks 0 to an unknown partition", Ask(produce(batch(), acks=0, partition=9), answered=False), read_back()),
    case("too few in sync", produce(batch()), read_back(), min_insync_replicas="2"),
    case("too few in sync, acks 1", produce(batch(), acks=1), read_back(), min_insync_replicas="2"),
]

RECORDS = [
    situation("Produce", "null records", Topic("orders", 2), produce(None), versions=(11, 11), patience_s=8.0),
    refused("empty records", b""),
    refused("wrong crc", batch(crc=12345)),
    refused("magic 0", old_message_set(0)),
    refused("magic 1", old_message_set(1)),
    refused("magic 3", batch(magic=3)),
    refused("magic -1", batch(magic=-1)),
    refused("shorter than a header", batch()[:40]),
    refused("shorter than a length field", b"\0" * 5),
    refused("a batch cut short", batch(FIVE)[:-3]),
    refused("bytes after the batch", batch(FIVE) + b"\0" * 7),
    refused("a length beyond the bytes", batch(length=5_000)),
    refused("a length too short for a header", batch(length=20)),
    refused("a negative length", batch(length=-1)),
    refused("two batches", batch(FIVE) + batch(FIVE)),
    refused("an unknown codec", batch(attributes=5)),
    refused("codec 7", batch(attributes=7)),
    refused("a control batch from a client", batch(attributes=CONTROL)),
    refused(
        "a control batch from a producer id",
        batch(attributes=CONTROL | TRANSACTIONAL, producer_id=5, producer_epoch=0, sequence=-1),
    ),
    refused("bits without a meaning", batch(attributes=0x0100)),
    refused("a delete horizon from a client", batch(attributes=0x40)),
    refused("no records by count", batch(FIVE, count=0)),
    refused("a negative count", batch(FIVE, count=-1)),
    refused("count and last offset disagree", batch(FIVE, last_offset_delta=9)),
    refused("a last offset below zero", batch(FIVE, last_offset_delta=-1)),
    refused("an absurd count", batch(FIVE, count=2_000_000_000, last_offset_delta=1_999_999_999)),
    refused("offsets inside that jump", batch([Rec(offset_delta=0), Rec(offset_delta=5)], last_offset_delta=1)),
    refused("offsets inside that repeat", batch([Rec(offset_delta=0), Rec(offset_delta=0)])),
    refused("no key on a compacted topic", batch([Rec(key=b"k"), Rec(key=None)]), cleanup_policy="compact"),
    refused(
        "no key in a compressed batch on a compacted topic",
        batch([Rec(key=None)], codec="gzip"),
        cleanup_policy="compact",
    ),
    refused("larger than the topic takes", batch([Rec(b"x" * 2_000)]), max_message_bytes="1000"),
    refused(
        "larger than a segment",
        batch([Rec(b"x" * 1_100_000)]),
        versions=(9, 13),
        max_message_bytes="4000000",
        segment_bytes="1048576",
    ),
    refused("a timestamp too far ahead", batch(base_timestamp=WHEN * 2)),
    refused("a timestamp too far back", batch(FIVE), message_timestamp_before_max_ms="1000"),
    refused("one timestamp of several too far ahead", batch([Rec(key=b"k"), Rec(timestamp_delta=WHEN)])),
    refused("a negative timestamp", batch(base_timestamp=-5, max_timestamp=-5)),
]

IDEMPOTENCE = [
    sequences("sequences in order", from_producer(0, count=3), from_producer(3), from_producer(4)),
    sequences("a duplicate", from_producer(0, count=3), from_producer(3), from_producer(0, count=3), from_producer(3)),
    sequences("a duplicate of the fifth last", *(from_producer(n) for n in range(5)), from_producer(0)),
    sequences("a duplicate of the sixth last", *(from_producer(n) for n in range(6)), from_producer(0)),
    sequences("a gap", from_producer(0), from_producer(2)),
    sequences("a batch that overlaps a duplicate", from_producer(0, count=3), from_producer(1, count=3)),
    sequences("starting above zero", from_producer(7), from_producer(8)),
    sequences("a newer epoch from zero", from_producer(0), from_producer(0, epoch=1)),
    sequences("a newer epoch above zero", from_producer(0), from_producer(3, epoch=1)),
    sequences("an older epoch", from_producer(0, epoch=2), from_producer(1, epoch=1)),
    sequences("an older epoch with an old sequence", from_producer(0, epoch=2), from_producer(0, epoch=1)),
    sequences("two producers", from_producer(0), from_producer(0, producer_id=4712), from_producer(1)),
    sequences("a producer id without an epoch", batch(producer_id=5, producer_epoch=-1, sequence=0)),
    sequences("a producer id without a sequence", batch(producer_id=5, producer_epoch=0, sequence=-1)),
    sequences("a sequence without a producer id", batch(producer_id=-1, producer_epoch=0, sequence=0)),
    sequences("sequences wrap around", from_producer(2**31 - 2, count=2), from_producer(0), from_producer(1)),
    sequences(
        "a sequence wraps within a batch",
        batch([Rec(), Rec(), Rec()], producer_id=5, producer_epoch=0, sequence=2**31 - 2),
        batch(producer_id=5, producer_epoch=0, sequence=1),
    ),
    case("a duplicate with acks 1", produce(from_producer(0), acks=1), produce(from_producer(0), acks=1)),
    case(
        "a producer that was asked for",
        Ask({"transactional_id": None, "transaction_timeout_ms": 1000}, api="InitProducerId", version=4),
        produce(from_producer(0)),
    ),
    case(
        "transactional records without a transactional id",
        produce(batch(attributes=TRANSACTIONAL, producer_id=5, producer_epoch=0, sequence=0)),
        read_back(),
    ),
]


def refused_version(version: int) -> Situation:
    """Kafka advertises these for the sake of old librdkafka (KAFKA-18659), and serves none of them."""
    body = bytes.fromhex("ffff000003e800000000")
    frame = request_frame("Produce", 3, b"")
    frame = frame[:2] + version.to_bytes(2, "big") + frame[4:] + body
    whole = len(frame).to_bytes(4, "big") + frame
    return situation("Produce", f"version {version} is not served", Raw(lambda _: whole), versions=(3, 3))


OLD = [refused_version(version) for version in (0, 1, 2)]
# What only a look at the records themselves can find; Penstock opens batches where a topic asks for it (RULES 45).
CONTENTS = [
    refused("a max timestamp below a record's", batch([Rec(timestamp_delta=9)], max_timestamp=WHEN)),
    refused("a count too high", batch(FIVE, count=6, last_offset_delta=5)),
    refused("a count too low", batch(FIVE, count=4, last_offset_delta=3)),
    refused("records that are noise", batch(FIVE, payload=b"\xff" * 40)),
    refused("records with bytes left over", batch(payload=record(Rec(), 0) + b"\0\0", count=1)),
    refused("a compressed batch of noise", batch(FIVE, payload=b"\x1f\x8bnot gzip at all", attributes=1)),
    refused("a compressed batch with a count too high", batch(FIVE, codec="gzip", count=6, last_offset_delta=5)),
    refused("a compressed batch with a count too low", batch(FIVE, codec="gzip", count=4, last_offset_delta=3)),
    refused(
        "a compressed batch with offsets that jump",
        batch([Rec(offset_delta=0), Rec(offset_delta=5)], codec="gzip", last_offset_delta=1),
    ),
]

SITUATIONS = [*ACCEPTED, *ABSENT, *ACKS, *RECORDS, *CONTENTS, *IDEMPOTENCE, *OLD]
