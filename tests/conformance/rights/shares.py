"""The rows of share groups. Each row has a group of its own, so that none finds what another one left."""

from __future__ import annotations

from collections.abc import Iterator

from tests.conformance.rights.row import GROUP, MISSING, NO_ID, THERE, TOPIC_ID, Body, Row

MEMBER = "rights-member"
IDS = {"by id": TOPIC_ID, "by an id of nobody": NO_ID}
NAMES = {"there": THERE, "missing": MISSING}


def share_rows() -> Iterator[Row]:
    yield from _members()
    yield from _sessions()
    yield from _offsets()
    yield from _between_brokers()


def _members() -> Iterator[Row]:
    for where, name in NAMES.items():
        beat = {"group_id": f"rights-shares-{where}", "member_id": "nobody", "member_epoch": 3}
        yield Row("ShareGroupHeartbeat", beat | {"subscribed_topic_names": [name]}, where, 1)
    described = {"group_ids": [GROUP, "rights-nobodys"], "include_authorized_operations": True}
    yield Row("ShareGroupDescribe", described, version=1)


def _sessions() -> Iterator[Row]:
    said = [{"first_offset": 0, "last_offset": 0, "acknowledge_types": [1]}]
    for where, topic_id in IDS.items():
        group = f"rights-shares-{where.replace(' ', '-')}"
        of_member = {"group_id": group, "member_id": MEMBER}
        begun: Body = of_member | {"share_session_epoch": 0, "max_wait_ms": 0, "min_bytes": 0, "max_bytes": 1 << 20}
        begun |= {"max_records": 1, "batch_size": 1}
        begun["topics"] = [{"topic_id": topic_id, "partitions": [{"partition_index": 0}]}]
        parts = [{"partition_index": 0, "acknowledgement_batches": said}]
        acknowledged: Body = of_member | {"topics": [{"topic_id": topic_id, "partitions": parts}]}
        for version in (1, 2):
            yield Row("ShareFetch", begun, where, version)
            # The next request of the session that has just begun, if it has.
            yield Row("ShareAcknowledge", acknowledged | {"share_session_epoch": 1}, where, version)
    yield Row("ShareAcknowledge", acknowledged | {"share_session_epoch": 7}, "of no session", 1)


def _offsets() -> Iterator[Row]:
    for where, name in NAMES.items():
        asked: Body = {"group_id": "rights-nobodys", "topics": [{"topic_name": name, "partitions": [0]}]}
        yield Row("DescribeShareGroupOffsets", {"groups": [asked]}, where, 0)
        part = {"partition_index": 0, "start_offset": 0}
        moved: Body = {"group_id": "rights-nobodys", "topics": [{"topic_name": name, "partitions": [part]}]}
        yield Row("AlterShareGroupOffsets", moved, where, 0)
        deleted: Body = {"group_id": "rights-nobodys", "topics": [{"topic_name": name}]}
        yield Row("DeleteShareGroupOffsets", deleted, where, 0)
    yield Row("DescribeShareGroupOffsets", {"groups": [{"group_id": GROUP, "topics": None}]}, "all", 0)


def _between_brokers() -> Iterator[Row]:
    """Where no group is: an epoch below all that there can be is refused to who may ask."""
    key = "rights-shares:AAAAAAAAAAAAAAAAAAAABw:0"
    yield Row("FindCoordinator", {"key_type": 2, "coordinator_keys": [key]}, "of type 2", 6)
    part = {"partition": 0, "leader_epoch": -1, "state_epoch": -1, "start_offset": -1}
    for api, fields in {
        "InitializeShareGroupState": ("partition", "state_epoch", "start_offset"),
        "ReadShareGroupState": ("partition", "leader_epoch"),
        "WriteShareGroupState": ("partition", "state_epoch", "leader_epoch", "start_offset"),
        "ReadShareGroupStateSummary": ("partition", "leader_epoch"),
        "DeleteShareGroupState": ("partition",),
    }.items():
        topic = {"topic_id": NO_ID, "partitions": [{field: part[field] for field in fields}]}
        yield Row(api, {"group_id": "rights-shares-state", "topics": [topic]})
