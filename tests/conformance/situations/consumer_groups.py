"""Groups of the consumer protocol: ConsumerGroupHeartbeat, ConsumerGroupDescribe, and what the other group APIs say of
such a group. Both brokers assign as soon as a group changes.
"""

from __future__ import annotations

from typing import Any

from tests.conformance.situations.groups import RANGE, heartbeat, join_body, leave, sync_body, who
from tests.conformance.situations.offsets import commit, fetch
from tests.conformance.table import Ask, Body, Id, Saved, Situation, Step, Topic, Until, situation

ORDERS, BILLS = Topic("orders", 4), Topic("bills", 1)
HEARTBEAT, DESCRIBE = "ConsumerGroupHeartbeat", "ConsumerGroupDescribe"
PATTERNS_FROM = 1


def owning(*partitions: int, topic: str = "orders") -> list[Body]:
    return [{"topic_id": Id(topic), "partitions": list(partitions)}] if partitions else []


def beat(member: Any = "m1", epoch: int = 2, **more: Any) -> Body:
    return {
        "group_id": "$g",
        "member_id": member,
        "member_epoch": epoch,
        "instance_id": None,
        "rack_id": None,
        "rebalance_timeout_ms": -1,
        "subscribed_topic_names": None,
        "subscribed_topic_regex": None,
        "server_assignor": None,
        "topic_partitions": None,
        **more,
    }


def join(member: Any = "m1", **more: Any) -> Body:
    told = {"rebalance_timeout_ms": 60_000, "subscribed_topic_names": ["$orders"], "topic_partitions": []}
    return beat(member, 0, **(told | more))


def joined(member: Any = "m1", **more: Any) -> Ask:
    return Ask(join(member, **more), api=HEARTBEAT, version=1)


def beating(name: str, *steps: Step | Body, versions: tuple[int, int] | None = None) -> Situation:
    return situation(HEARTBEAT, name, ORDERS, BILLS, *steps, versions=versions)


def described(*groups: str, **more: Any) -> Ask:
    body = {"group_ids": list(groups) or ["$g"], "include_authorized_operations": False, **more}
    return Ask(body, api=DESCRIBE, version=1)


ALL = (0, 1, 2, 3)
AWAY = Ask(beat(epoch=-2, instance_id="i"), api=HEARTBEAT, version=1)
CLASSIC = (
    Ask(join_body(protocols=[RANGE]), api="JoinGroup", version=3, save={"m": "member_id"}),
    Ask(sync_body(Saved("m"), 1), api="SyncGroup", version=3),
)


def with_data(protocol: str) -> tuple[Ask, Ask]:
    """A classic group whose leader puts data of its own beside the partitions."""
    told = {"name": protocol, "metadata": RANGE["metadata"]}
    share = {"member_id": Saved("m"), "assignment": b"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01x"}
    return (
        Ask(join_body(protocols=[told]), api="JoinGroup", version=3, save={"m": "member_id"}),
        Ask(sync_body(Saved("m"), 1, protocol_name=protocol) | {"assignments": [share]}, api="SyncGroup", version=3),
    )


GOOD = [
    beating("the first member", join(), beat(), described()),
    beating("a member that joins again", joined(), join()),
    beating("a full heartbeat", joined(), beat(rebalance_timeout_ms=60_000, subscribed_topic_names=["$orders"],
                                              topic_partitions=owning(*ALL))),
    beating("a topic that does not exist", join(subscribed_topic_names=["$nothing"]), described()),
    beating("no topics", join(subscribed_topic_names=[]), described()),
    beating("another subscription", joined(), beat(subscribed_topic_names=["$orders", "$bills"]), beat(epoch=3)),
    beating("a topic less", joined(subscribed_topic_names=["$orders", "$bills"]),
            beat(subscribed_topic_names=["$bills"], topic_partitions=owning(*ALL)), described()),
    beating("another rack and timeout", joined(), beat(rack_id="r", rebalance_timeout_ms=1_000), described()),
    beating("an assignor by name", join(server_assignor="range"), described()),
    beating("leaving", joined(), beat(epoch=-1), described()),
    beating("a static member leaves for a while and is back", joined(instance_id="i"),
            beat(epoch=-2, instance_id="i"), join("m2", instance_id="i"), described()),
    beating("a static member joins again under its own id", joined(instance_id="i"), join(instance_id="i"),
            described()),
    beating("a static member leaves for good", joined(instance_id="i"), beat(epoch=-1, instance_id="i"), described()),
    beating("an id made by the broker", join(""), versions=(0, 0)),
    beating("a member that says again what it has", joined(), beat(topic_partitions=owning(*ALL))),
    beating("an answer lost", joined(), beat(subscribed_topic_names=["$orders", "$bills"]),
            beat(topic_partitions=owning(*ALL)), described()),
    beating("a group without members by offsets only", Ask(commit(), api="OffsetCommit", version=9), join()),
]  # fmt: skip

TOGETHER = [
    beating("two share: the first gives up, the second gets", joined(), join("m2"), beat(topic_partitions=owning(*ALL)),
            beat("m2", 3, topic_partitions=[]), described()),
    beating("by range: the first gives up, the second gets", joined(server_assignor="range"),
            join("m2", server_assignor="range"), beat(topic_partitions=owning(*ALL)),
            beat("m2", 3, topic_partitions=[]), beat(topic_partitions=owning(0, 1)),
            beat("m2", 3, topic_partitions=[]), described()),
    beating("what one leaves goes to the other", joined(), joined("m2"), Ask(beat(epoch=-1), HEARTBEAT, 1),
            beat("m2", 3), described()),
]  # fmt: skip

PATTERNS = [
    beating("a pattern", join(subscribed_topic_names=None, subscribed_topic_regex="$ord.*"),
            Until(HEARTBEAT, 1, join(subscribed_topic_names=None, subscribed_topic_regex="$ord.*"),
                  lambda answer: bool(answer["assignment"]["topic_partitions"])), described(),
            versions=(PATTERNS_FROM, 1)),
    beating("a pattern of nothing", join(subscribed_topic_names=None, subscribed_topic_regex=""),
            versions=(PATTERNS_FROM, 1)),
    beating("a pattern that is none", join(subscribed_topic_names=None, subscribed_topic_regex="a("),
            versions=(PATTERNS_FROM, 1)),
    beating("a pattern that looks back", join(subscribed_topic_names=None, subscribed_topic_regex=r"(a)\\1"),
            versions=(PATTERNS_FROM, 1)),
]  # fmt: skip

BAD = [
    beating("an empty group id", join(group_id="")),
    beating("a blank group id", join(group_id=" ")),
    beating("an empty member id", beat("", 2)),
    beating("joining with an empty member id", join(""), versions=(1, 1)),
    beating("leaving with an empty member id", beat("", -1)),
    beating("an empty instance id", join(instance_id="")),
    beating("an empty rack", join(rack_id="")),
    beating("joining without a rebalance timeout", join(rebalance_timeout_ms=-1)),
    beating("joining with partitions", join(topic_partitions=owning(0))),
    beating("joining without saying that there are none", join(topic_partitions=None)),
    beating("joining without a subscription", join(subscribed_topic_names=None)),
    beating("leaving for a while without an instance", beat(epoch=-2)),
    beating("an epoch below all", beat(epoch=-3)),
    beating("an assignor that does not exist", join(server_assignor="sticky")),
    beating("an assignor in capitals", join(server_assignor="UNIFORM")),
    beating("a member of no group", beat(epoch=5)),
    beating("leaving no group", beat(epoch=-1)),
    beating("an unknown member", joined(), beat("ghost", 1)),
    beating("an unknown member leaves", joined(), beat("ghost", -1)),
    beating("an unknown instance", joined(), beat(instance_id="ghost")),
    beating("an unknown instance leaves", joined(), beat(epoch=-1, instance_id="ghost")),
    beating("an epoch to come", joined(), beat(epoch=9)),
    beating("an epoch that never was", joined(), beat(epoch=1)),
    beating("an instance in use", joined(instance_id="i"), join("m2", instance_id="i")),
    beating("an instance of another", joined(instance_id="i"), beat("m2", 2, instance_id="i")),
    beating("a fenced static member", joined(instance_id="i"), AWAY, joined("m2", instance_id="i"),
            beat(instance_id="i")),
    beating("a fenced static member leaves", joined(instance_id="i"), AWAY, joined("m2", instance_id="i"),
            beat(epoch=-1, instance_id="i")),
    beating("an answer lost that had said more", joined(), beat(subscribed_topic_names=["$orders", "$bills"]),
            beat(topic_partitions=owning(7))),
    beating("partitions nobody was given", joined(), beat(topic_partitions=owning(0, topic="bills"))),
    beating("a member of a group of connect", Ask(join_body(protocol_type="connect"), "JoinGroup", 3), join()),
    beating("a heartbeat to a classic group", *CLASSIC, beat()),
]  # fmt: skip

MIGRATION = [
    beating("into a classic group", *CLASSIC, join(), described()),
    beating("into a classic group that rebalances", CLASSIC[0], join(), described()),
    beating("into a classic group with data of its own assignor", *with_data("own"), join()),
    beating("into a classic group with data of a known assignor", *with_data("sticky"), join()),
    beating("and out of it again", *CLASSIC, joined(), beat(epoch=-1),
            Ask({"groups": ["$g"], "include_authorized_operations": False}, "DescribeGroups", 5)),
    situation("JoinGroup", "into a consumer group", ORDERS, joined(),
              Ask(join_body(), save={"c": "member_id"}), join_body(Saved("c"))),
    situation("JoinGroup", "into a consumer group with another type", ORDERS, joined(),
              join_body(protocol_type="connect")),
    situation("JoinGroup", "into a consumer group with bytes that say nothing", ORDERS, joined(),
              join_body(protocols=[{"name": "range", "metadata": b""}]), versions=(0, 3)),
    situation("JoinGroup", "into a consumer group that is empty", ORDERS, joined(),
              Ask(beat(epoch=-1), HEARTBEAT, 1), join_body(), versions=(0, 3)),
    situation("SyncGroup", "in a consumer group", *CLASSIC[:1], joined(subscribed_topic_names=[]),
              Ask(join_body(Saved("m")), "JoinGroup", 3, save={"g": "generation_id"}),
              sync_body(Saved("m")) | {"generation_id": Saved("g")}),
    situation("SyncGroup", "a member of the consumer protocol", ORDERS, joined(), sync_body("m1", 2)),
    situation("Heartbeat", "in a consumer group", *CLASSIC, joined(subscribed_topic_names=[]),
              heartbeat(Saved("m"), 1)),
    situation("Heartbeat", "a member of the consumer protocol", ORDERS, joined(), heartbeat("m1", 2)),
    situation("Heartbeat", "an unknown member of a consumer group", ORDERS, joined(), heartbeat("ghost", 2)),
    situation("LeaveGroup", "a consumer group", ORDERS, joined(), leave(who("m1"), one="m1"), described()),
    situation("LeaveGroup", "a consumer group by a stranger", ORDERS, joined(), leave(who("ghost"), one="ghost")),
]  # fmt: skip


def describing(name: str, *steps: Step | Body) -> Situation:
    return situation(DESCRIBE, name, ORDERS, *steps)


def describe(*groups: str, **more: Any) -> Body:
    return {"group_ids": list(groups) or ["$g"], "include_authorized_operations": False, **more}


DESCRIBING = [
    describing("a group", joined(), describe()),
    describing("with what one may do", joined(), describe(include_authorized_operations=True)),
    describing("a static member with a rack", joined(instance_id="i", rack_id="r"), describe()),
    describing("an empty group", joined(), Ask(beat(epoch=-1), HEARTBEAT, 1), describe()),
    describing("no such group", describe("$nothing")),
    describing("no such group, with what one may do", describe("$nothing", include_authorized_operations=True)),
    describing("an empty group id", describe("")),
    describing("none", {"group_ids": [], "include_authorized_operations": False}),
    describing("several", joined(), describe("$g", "$nothing")),
    describing("a classic group", *CLASSIC, describe()),
    describing("a group of offsets only", Ask(commit(), api="OffsetCommit", version=9), describe()),
    describing("a group with members of both protocols", *CLASSIC, joined(), describe()),
]  # fmt: skip


def fetching(member: str | None, epoch: int, **more: Any) -> Body:
    body = fetch(0)
    body["groups"] = [{**body["groups"][0], "member_id": member, "member_epoch": epoch, **more}]
    return body


WHOLE = [
    situation("ListGroups", "a consumer group", ORDERS, joined(), {"states_filter": [], "types_filter": []}),
    situation("ListGroups", "a consumer group by type", ORDERS, joined(),
              {"states_filter": [], "types_filter": ["Consumer"]}, {"states_filter": [], "types_filter": ["classic"]},
              versions=(5, 5)),
    situation("ListGroups", "a consumer group by state", ORDERS, joined(),
              {"states_filter": ["stable"], "types_filter": []}, {"states_filter": ["Empty"], "types_filter": []},
              versions=(4, 5)),
    situation("DescribeGroups", "a consumer group", ORDERS, joined(),
              {"groups": ["$g"], "include_authorized_operations": False}),
    situation("DeleteGroups", "a consumer group", ORDERS, joined(), {"groups_names": ["$g"]},
              Ask(beat(epoch=-1), HEARTBEAT, 1), {"groups_names": ["$g"]}, described()),
    situation("OffsetCommit", "a member of a consumer group", ORDERS, joined(), commit(member="m1", generation=2),
              Ask(fetch(0), "OffsetFetch", 9)),
    situation("OffsetCommit", "a member of a consumer group at another epoch", ORDERS, joined(),
              commit(member="m1", generation=1), commit(member="m1", generation=3)),
    situation("OffsetCommit", "a stranger to a consumer group", ORDERS, joined(), commit(),
              commit(member="ghost", generation=2)),
    situation("OffsetCommit", "an empty consumer group", ORDERS, joined(), Ask(beat(epoch=-1), HEARTBEAT, 1), commit()),
    situation("OffsetFetch", "a member of a consumer group", ORDERS, joined(),
              Ask(commit(member="m1", generation=2), "OffsetCommit", 9), fetching("m1", 2), fetching("m1", 1),
              fetching("ghost", 2), fetching(None, -1), fetching(None, 2), fetching("ghost", 2, topics=[]),
              fetching("m1", 2, topics=[]), versions=(9, 10)),
    situation("OffsetDelete", "of a consumer group", ORDERS, BILLS, joined(),
              {"group_id": "$g", "topics": [{"name": "$orders", "partitions": [{"partition_index": 0}]},
                                            {"name": "$bills", "partitions": [{"partition_index": 0}]}]}),
]  # fmt: skip

SITUATIONS = [*GOOD, *TOGETHER, *PATTERNS, *BAD, *MIGRATION, *DESCRIBING, *WHOLE]
