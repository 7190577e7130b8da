"""What every API has in common: frames, headers and bodies that are wrong, and versions nobody serves."""

from __future__ import annotations

import struct
from collections.abc import Callable

from tests.conformance.table import Ask, Raw, Situation, situation, versions_of
from tests.support.raw import request_frame
from tests.support.schema import messages

APIS = (
    "ApiVersions",
    "Metadata",
    "DescribeTopicPartitions",
    "DescribeCluster",
    "Produce",
    "Fetch",
    "ListOffsets",
    "OffsetForLeaderEpoch",
    "InitProducerId",
    "CreateTopics",
    "DeleteTopics",
    "CreatePartitions",
    "DescribeConfigs",
    "AlterConfigs",
    "IncrementalAlterConfigs",
    "DeleteRecords",
    "DescribeLogDirs",
    "AlterReplicaLogDirs",
    "DescribeProducers",
    "WriteTxnMarkers",
    "ListConfigResources",
    "UpdateFeatures",
    "FindCoordinator",
    "JoinGroup",
    "SyncGroup",
    "Heartbeat",
    "LeaveGroup",
    "OffsetCommit",
    "OffsetFetch",
    "OffsetDelete",
    "TxnOffsetCommit",
    "ListGroups",
    "DescribeGroups",
    "DeleteGroups",
    "ConsumerGroupHeartbeat",
    "ConsumerGroupDescribe",
    "AddPartitionsToTxn",
    "AddOffsetsToTxn",
    "EndTxn",
    "DescribeTransactions",
    "ListTransactions",
    "SaslHandshake",
    "SaslAuthenticate",
    "DescribeAcls",
    "CreateAcls",
    "DeleteAcls",
    "DescribeUserScramCredentials",
    "AlterUserScramCredentials",
    "CreateDelegationToken",
    "RenewDelegationToken",
    "ExpireDelegationToken",
    "DescribeDelegationToken",
    "DescribeClientQuotas",
    "AlterClientQuotas",
    "ElectLeaders",
    "AlterPartitionReassignments",
    "ListPartitionReassignments",
    "UnregisterBroker",
    "DescribeQuorum",
    "ShareGroupHeartbeat",
    "ShareGroupDescribe",
    "ShareFetch",
    "ShareAcknowledge",
    "DescribeShareGroupOffsets",
    "AlterShareGroupOffsets",
    "DeleteShareGroupOffsets",
    "InitializeShareGroupState",
    "ReadShareGroupState",
    "WriteShareGroupState",
    "DeleteShareGroupState",
    "ReadShareGroupStateSummary",
)
_NO_ARRAY = (
    "ApiVersions", "DescribeCluster", "InitProducerId", "ListConfigResources", "FindCoordinator", "Heartbeat",
    "LeaveGroup", "ListGroups", "AddOffsetsToTxn", "EndTxn", "UnregisterBroker", "DescribeAcls",
    "RenewDelegationToken", "ExpireDelegationToken",
)  # fmt: skip
HAS_ARRAY = tuple(api for api in APIS if api not in _NO_ARRAY)


def framed(frame: bytes) -> bytes:
    return struct.pack(">i", len(frame)) + frame


def at(api: str, version: int) -> bytes:
    """An empty body under a header that claims `version`, in the form of the newest header."""
    newest = versions_of(api)[1]
    frame = request_frame(api, newest, b"")
    return framed(frame[:2] + struct.pack(">h", version) + frame[4:])


def cut(api: str, version: int) -> bytes:
    """A body without its last byte."""
    return framed(request_frame(api, version, {})[:-1])


def headless(api: str, version: int) -> bytes:
    """A header that ends within the client id."""
    return framed(request_frame(api, version, {})[:11])


def absurd(api: str, version: int) -> bytes:
    """The first array of the body claims two thousand million items."""
    message = messages()[f"{api}Request"]
    head = b""
    for field in message.fields:
        if field.type.startswith("[]") and field.versions[0] <= version <= field.versions[1]:
            break
        if field.versions[0] <= version <= field.versions[1] and not field.tagged[0] <= version <= field.tagged[1]:
            head += {"int8": b"\0", "int16": b"\0\0", "int32": b"\0" * 4, "bool": b"\0"}.get(
                field.type, b"\0" if message.is_flexible(version) else b"\xff\xff"
            )
    count = b"\x80\xa8\xd6\xb9\x07" if message.is_flexible(version) else struct.pack(">i", 2_000_000_000)
    return framed(request_frame(api, version, head + count))


def raw(make: Callable[[str, int], bytes], api: str) -> Raw:
    return Raw(lambda version: make(api, version))


def too_high(api: str, _: int) -> bytes:
    return at(api, versions_of(api)[1] + 7)


def negative(api: str, _: int) -> bytes:
    return at(api, -1)


def oldest(api: str) -> tuple[int, int]:
    return versions_of(api)[0], versions_of(api)[0]


def wrong(name: str, raw: bytes, *, is_answered: bool = False) -> Situation:
    step = Raw(lambda _: raw, ("ApiVersions", 0) if is_answered else None)
    return situation("ApiVersions", f"wire: {name}", step, Ask({}, version=0), versions=(0, 0))


FRAMES = [
    wrong("a frame beyond the limit", struct.pack(">i", 200 << 20) + b"\0" * 64),
    wrong("the longest frame", struct.pack(">i", 2**31 - 1) + b"\0" * 64),
    wrong("a negative length", struct.pack(">i", -1)),
    wrong("an empty frame", struct.pack(">i", 0)),
    wrong("a frame of one byte", framed(b"\0")),
    wrong("an api key nobody has", framed(struct.pack(">hhih", 999, 0, 1, -1))),
    wrong("a negative api key", framed(struct.pack(">hhih", -5, 0, 1, -1))),
    wrong("a controller's api", framed(struct.pack(">hhih", 52, 0, 1, -1))),
    wrong("a TLS hello", bytes.fromhex("16030100c8010000c40303") + b"\0" * 200),
    wrong("an HTTP request", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" + b" " * 64),
    wrong("a client id longer than the frame", framed(struct.pack(">hhih", 18, 0, 1, 500) + b"abc")),
    wrong("a client id of length minus two", framed(struct.pack(">hhih", 18, 0, 1, -2)), is_answered=True),
    wrong("a client id that is not UTF-8", framed(struct.pack(">hhih", 18, 0, 1, 2) + b"\xff\xfe"), is_answered=True),
    wrong("a header cut within tagged fields", framed(struct.pack(">hhih", 18, 3, 1, -1) + b"\x02\x00")),
]

VERSIONED = tuple(api for api in APIS if api != "ApiVersions")
BODIES = [
    *(situation(api, "wire: a version too high", raw(too_high, api), versions=oldest(api)) for api in VERSIONED),
    *(situation(api, "wire: a negative version", raw(negative, api), versions=oldest(api)) for api in VERSIONED),
    *(situation(api, "wire: a body cut short", raw(cut, api)) for api in VERSIONED),
    situation("ApiVersions", "wire: a body cut short", raw(cut, "ApiVersions"), versions=(3, 4)),
    *(situation(api, "wire: a header cut short", raw(headless, api)) for api in APIS),
    *(situation(api, "wire: an absurd count", raw(absurd, api)) for api in HAS_ARRAY),
    situation("ListConfigResources", "wire: an absurd count", raw(absurd, "ListConfigResources"), versions=(1, 1)),
    situation("FindCoordinator", "wire: an absurd count", raw(absurd, "FindCoordinator"), versions=(4, 6)),
    situation("LeaveGroup", "wire: an absurd count", raw(absurd, "LeaveGroup"), versions=(3, 5)),
    situation("ListGroups", "wire: an absurd count", raw(absurd, "ListGroups"), versions=(4, 5)),
]

SITUATIONS = [*FRAMES, *BODIES]
