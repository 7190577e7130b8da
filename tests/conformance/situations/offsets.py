"""Committed offsets: OffsetCommit, OffsetFetch, OffsetDelete."""

from __future__ import annotations

from typing import Any

from tests.conformance.situations.groups import STABLE, STATIC, joined
from tests.conformance.table import Ask, Body, Id, Saved, Situation, Step, Topic, situation

ORDERS = Topic("orders", 2)
BY_NAME, BY_ID = 9, 10


def part(index: int = 0, offset: int = 5, **more: Any) -> Body:
    return {
        "partition_index": index,
        "committed_offset": offset,
        "committed_leader_epoch": -1,
        "committed_metadata": "",
        **more,
    }


def commit(*parts: Body, topic: str = "orders", member: Any = "", generation: int = -1, **more: Any) -> Body:
    return {
        "group_id": "$g",
        "generation_id_or_member_epoch": generation,
        "member_id": member,
        "group_instance_id": None,
        "retention_time_ms": -1,
        "topics": [{"name": f"${topic}", "topic_id": Id(topic), "partitions": list(parts) or [part()]}],
        **more,
    }


def committed(*parts: Body, **more: Any) -> Ask:
    return Ask(commit(*parts, **more), api="OffsetCommit", version=BY_NAME)


def fetched(*indexes: int) -> Ask:
    """What is kept, seen afterwards."""
    return Ask(fetch(*indexes), api="OffsetFetch", version=BY_NAME)


def fetch(*indexes: int, topic: str = "orders", group: str = "$g", every: bool = False, **more: Any) -> Body:
    by_name = {"name": f"${topic}", "partition_indexes": list(indexes) or [0, 1]}
    topics = None if every else [{**by_name, "topic_id": Id(topic)}]
    one = {"group_id": group, "member_id": None, "member_epoch": -1, "topics": topics}
    return {"group_id": group, "topics": None if every else [by_name], "groups": [one], "require_stable": False, **more}


def committing(name: str, *steps: Step | Body, versions: tuple[int, int] | None = None) -> Situation:
    return situation("OffsetCommit", name, ORDERS, *steps, versions=versions)


OFFSET_COMMIT = [
    committing("without members", commit(part(0, 5), part(1, 7)), fetched()),
    committing("text and epoch", commit(part(committed_metadata="text", committed_leader_epoch=0)), fetched(0)),
    committing("no text", commit(part(committed_metadata=None)), fetched(0)),
    committing("text as long as allowed", commit(part(committed_metadata="x" * 4096)), fetched(0)),
    committing("text too long", commit(part(committed_metadata="x" * 4097), part(1)), fetched()),
    committing("a negative offset", commit(part(0, -5)), fetched(0)),
    committing("an offset beyond the end", commit(part(0, 2**62)), fetched(0)),
    committing("unknown topic", commit(topic="missing")),
    committing("unknown topic for a member of nothing", commit(topic="missing", member="ghost", generation=3)),
    committing("unknown partition", commit(part(0), part(2), part(-1)), fetched()),
    committing("only unknown partitions", commit(part(2))),
    committing("a partition twice", commit(part(0, 3), part(0, 4)), fetched(0)),
    committing("nothing", commit(topics=[])),
    committing("an empty group id", commit(group_id="")),
    committing("a generation of no group", commit(member="ghost", generation=1)),
    committing("a member of no group", commit(member="ghost")),
    committing("a member", *STABLE, commit(member=Saved("m"), generation=1), fetched(0)),
    committing("an older generation", *STABLE, commit(member=Saved("m"), generation=0)),
    committing("an unknown member", *STABLE, commit(member="ghost", generation=1)),
    committing("a member without a generation", *STABLE, commit(member=Saved("m"))),
    committing("nobody while there are members", *STABLE, commit()),
    committing("before the shares are out", joined(), commit(member=Saved("m"), generation=1)),
    committing("a static member", *STATIC, commit(member=Saved("m"), generation=1, group_instance_id="i"),
               versions=(7, 10)),
    committing("a fenced static member", *STATIC, joined("n", instance="i"),
               commit(member=Saved("m"), generation=1, group_instance_id="i"), versions=(7, 10)),
    committing("a retention time of its own", commit(retention_time_ms=3_600_000), fetched(0), versions=(2, 4)),
]  # fmt: skip


def fetching(name: str, *steps: Step | Body, versions: tuple[int, int] | None = None) -> Situation:
    return situation("OffsetFetch", name, ORDERS, *steps, versions=versions)


OFFSET_FETCH = [
    fetching("a committed and another partition", committed(part(0, 5, committed_metadata="text")), fetch()),
    fetching("all topics", committed(part(0, 5), part(1, 6)), fetch(every=True), versions=(2, 10)),
    fetching("all topics of no group", fetch(every=True), versions=(2, 10)),
    fetching("no group", fetch()),
    fetching("an empty group id", fetch(group="")),
    fetching("unknown topic", committed(), fetch(topic="missing")),
    fetching("unknown partitions", committed(), fetch(0, 7, -1)),
    fetching("a partition twice", committed(), fetch(0, 0)),
    fetching("no topics", committed(), {**fetch(), "topics": [], "groups": [
        {"group_id": "$g", "member_id": None, "member_epoch": -1, "topics": []}]}),
    fetching("stable offsets only", committed(), fetch(require_stable=True), versions=(7, 10)),
    fetching("several groups", committed(), {**fetch(), "groups": [
        *fetch(0)["groups"], *fetch(0, group="$h")["groups"]]}, versions=(8, 10)),
    fetching("no groups", {"groups": [], "require_stable": False}, versions=(8, 10)),
    fetching("a member of a classic group", *STABLE, {**fetch(), "groups": [
        {**fetch(0)["groups"][0], "member_id": "ghost", "member_epoch": 3}]}, versions=(9, 10)),
    fetching("after the topic is deleted", committed(),
             Ask({"topics": [{"name": "$orders", "topic_id": bytes(16)}], "timeout_ms": 30_000}, "DeleteTopics", 6),
             fetch(every=True), versions=(8, 9)),
]  # fmt: skip


def deleting(name: str, *steps: Step | Body) -> Situation:
    return situation("OffsetDelete", name, ORDERS, Topic("refunds"), *steps)


def delete(*indexes: int, topic: str = "orders", **more: Any) -> Body:
    parts = [{"partition_index": index} for index in indexes or (0,)]
    return {"group_id": "$g", "topics": [{"name": f"${topic}", "partitions": parts}], **more}


OFFSET_DELETE = [
    deleting("an offset", committed(part(0), part(1)), delete(), fetched()),
    deleting("an offset that is not there", committed(part(1)), delete(), fetched()),
    deleting("no group", delete()),
    deleting("an empty group id", delete(group_id="")),
    deleting("an unknown topic and no group", delete(topic="missing")),
    deleting("an unknown topic and an empty group id", delete(topic="missing", group_id="")),
    deleting("an unknown partition and no group", delete(7)),
    deleting("unknown topic", committed(), delete(topic="missing")),
    deleting("a good and an unknown partition", committed(), delete(0, 7), fetched()),
    deleting("nothing", committed(), delete(topics=[])),
    deleting("nothing of no group", delete(topics=[])),
    deleting("a topic that members may read", *STABLE, delete()),
    deleting("a group of another kind", joined(protocol_type="connect"), delete()),
]

SITUATIONS = [*OFFSET_COMMIT, *OFFSET_FETCH, *OFFSET_DELETE]
