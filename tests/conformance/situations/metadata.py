"""What a client learns first: ApiVersions, Metadata, DescribeTopicPartitions, DescribeCluster."""

from __future__ import annotations

from typing import Any

from tests.conformance.table import Body, Id, Raw, Situation, Step, Topic, situation
from tests.support.raw import request_frame

SOFTWARE = {"client_software_name": "conformance", "client_software_version": "1.0"}


def framed(frame: bytes) -> bytes:
    return len(frame).to_bytes(4, "big") + frame


def at_version(version: int) -> Raw:
    """ApiVersions at a version nobody knows; the answer comes in the form of version 0."""
    frame = request_frame("ApiVersions", 0, b"")
    return Raw(lambda _: framed(frame[:2] + version.to_bytes(2, "big", signed=True) + frame[4:] + b"\0\0\0\0"))


API_VERSIONS = [
    situation("ApiVersions", "a handshake", SOFTWARE),
    situation("ApiVersions", "asked twice", SOFTWARE, SOFTWARE),
    situation("ApiVersions", "an empty software name", SOFTWARE | {"client_software_name": ""}, versions=(3, 4)),
    situation(
        "ApiVersions", "a software name with a space", SOFTWARE | {"client_software_name": "a b"}, versions=(3, 4)
    ),
    situation(
        "ApiVersions", "a software version with a slash", SOFTWARE | {"client_software_version": "1/2"}, versions=(3, 4)
    ),
    situation(
        "ApiVersions",
        "a software name with dots and dashes",
        SOFTWARE | {"client_software_name": "a.b-c"},
        versions=(3, 4),
    ),
]
UNKNOWN_API_VERSIONS = [
    situation("ApiVersions", f"version {version}", at_version(version), versions=(0, 0)) for version in (5, 99, -1)
]


def metadata(*names: str, **more: Any) -> Body:
    return {"topics": [{"name": name} for name in names], "allow_auto_topic_creation": False, **more}


def about(name: str, *steps: Step | Body, versions: tuple[int, int] | None = None, changes: bool = False) -> Situation:
    given = Topic("orders", 2), Topic("bills")
    return situation("Metadata", name, *given, *steps, versions=versions, changes=changes)


METADATA = [
    about("one topic", metadata("$orders")),
    about("two topics", metadata("$orders", "$bills")),
    about("one topic twice", metadata("$orders", "$orders")),
    about("all topics", metadata() | {"topics": None}, versions=(1, 13)),
    about("no topics", metadata()),
    about("unknown topic", metadata("$missing"), changes=True),
    about("unknown and known topic", metadata("$missing", "$orders"), changes=True),
    about("a topic is made on asking", metadata("$new", allow_auto_topic_creation=True), changes=True),
    *(
        about(f"a name that is not valid: {name[:10]!r}", metadata(name, allow_auto_topic_creation=True))
        for name in ("a b", "..", ".", "", "a/b", "x" * 250)
    ),
    about(
        "authorized operations",
        metadata("$orders", include_topic_authorized_operations=True, include_cluster_authorized_operations=True),
    ),
    about("by id", {"topics": [{"topic_id": Id("orders"), "name": None}]}, versions=(10, 13)),
    about("by an unknown id", {"topics": [{"topic_id": Id("missing"), "name": None}]}, versions=(10, 13)),
    about(
        "by known and unknown id",
        {"topics": [{"topic_id": Id("missing"), "name": None}, {"topic_id": Id("orders"), "name": None}]},
        versions=(12, 13),
    ),
    about(
        "by id and by name",
        {"topics": [{"topic_id": Id("orders"), "name": None}, {"name": "$bills"}]},
        versions=(12, 13),
    ),
    about("by id with another name", {"topics": [{"topic_id": Id("orders"), "name": "$bills"}]}, versions=(12, 13)),
    about("neither id nor name", {"topics": [{"name": None}]}, versions=(10, 13)),
]


def describe(*names: str, limit: int = 2_000, cursor: Body | None = None) -> Body:
    return {"topics": [{"name": name} for name in names], "response_partition_limit": limit, "cursor": cursor}


def described(name: str, *steps: Step | Body) -> Situation:
    return situation("DescribeTopicPartitions", name, Topic("bills"), Topic("orders", 3), *steps)


DESCRIBE_TOPIC_PARTITIONS = [
    described("one topic", describe("$orders")),
    described("two topics in the other order", describe("$orders", "$bills")),
    described("one topic twice", describe("$orders", "$orders")),
    described("unknown topic", describe("$missing")),
    described("unknown and known topic", describe("$missing", "$orders")),
    described("a name that is not valid", describe("a b")),
    described("an empty name", describe("")),
    described("a limit within a topic", describe("$bills", "$orders", limit=2)),
    described("a limit at a topic's end", describe("$bills", "$orders", limit=1)),
    described("a limit of nothing", describe("$orders", limit=0)),
    described("a negative limit", describe("$orders", limit=-1)),
    described("from a cursor", describe("$bills", "$orders", cursor={"topic_name": "$orders", "partition_index": 1})),
    described("a cursor before a topic", describe("$orders", cursor={"topic_name": "$bills", "partition_index": 0})),
    described(
        "a cursor beyond the last partition",
        describe("$orders", cursor={"topic_name": "$orders", "partition_index": 9}),
    ),
    described(
        "a cursor at a negative partition", describe("$orders", cursor={"topic_name": "$orders", "partition_index": -1})
    ),
    described("a cursor at an unknown topic", describe("$orders", cursor={"topic_name": "$no", "partition_index": 0})),
    described("a cursor behind all topics", describe("$orders", cursor={"topic_name": "$zzz", "partition_index": 0})),
]

DESCRIBE_CLUSTER = [
    situation("DescribeCluster", "the brokers", {}),
    situation("DescribeCluster", "authorized operations", {"include_cluster_authorized_operations": True}),
    situation("DescribeCluster", "fenced brokers too", {"include_fenced_brokers": True}, versions=(2, 2)),
    situation("DescribeCluster", "the controllers", {"endpoint_type": 2}, versions=(1, 2)),
    situation("DescribeCluster", "an endpoint type that does not exist", {"endpoint_type": 9}, versions=(1, 2)),
]

SITUATIONS = [*API_VERSIONS, *UNKNOWN_API_VERSIONS, *METADATA, *DESCRIBE_TOPIC_PARTITIONS, *DESCRIBE_CLUSTER]
