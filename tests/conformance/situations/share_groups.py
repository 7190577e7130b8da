"""Share groups: their heartbeats, what describes, lists, moves and deletes them, and the requests of share sessions.

A session lives on one connection: a situation's steps are one session's, unless it reconnects.
"""

from __future__ import annotations

from typing import Any

from tests.conformance.situations.groups import RANGE, join_body
from tests.conformance.table import Ask, Body, Given, Id, Reconnect, Records, Situation, Step, Topic, Until, situation
from tests.support.batches import Rec, batch

ORDERS, BILLS = Topic("orders", 2), Topic("bills", 1)
HEARTBEAT, DESCRIBE = "ShareGroupHeartbeat", "ShareGroupDescribe"
FETCH, ACKNOWLEDGE = "ShareFetch", "ShareAcknowledge"
OFFSETS, ALTER, DELETE_OFFSETS = "DescribeShareGroupOffsets", "AlterShareGroupOffsets", "DeleteShareGroupOffsets"
GAP, ACCEPT, RELEASE, REJECT, RENEW = range(5)
GROUP_RESOURCE = 32
WAIT_MS = 10_000
"""A fetch that will be answered with records is answered as soon as they are there."""


def setting(name: str, value: str | None, *, group: str = "$g", operation: int = 0) -> Body:
    changes = [{"name": name, "config_operation": operation, "value": value}]
    resource = {"resource_type": GROUP_RESOURCE, "resource_name": group, "configs": changes}
    return {"resources": [resource], "validate_only": False}


EARLIEST = Given("IncrementalAlterConfigs", 1, setting("share.auto.offset.reset", "earliest"))
FIVE = Records("orders", [batch([Rec(b"%d" % number) for number in range(5)])])
TWICE_THREE = Records("orders", [batch([Rec(b"a")] * 3), batch([Rec(b"b")] * 3)])


# Membership ---------------------------------------------------------------------------------------------------------


def beat(member: str = "m1", epoch: int = 1, **more: Any) -> Body:
    told = {"group_id": "$g", "member_id": member, "member_epoch": epoch, "rack_id": None}
    return {**told, "subscribed_topic_names": None, **more}


def join(member: str = "m1", **more: Any) -> Body:
    return beat(member, 0, **({"subscribed_topic_names": ["$orders"]} | more))


def assigned(member: str = "m1", **more: Any) -> Until:
    """A partition is assigned when the group's state of it was begun: soon, but after the answer to the first."""
    return Until(
        HEARTBEAT, 1, join(member, **more),
        lambda answer: bool(answer["assignment"] and answer["assignment"]["topic_partitions"]),
    )  # fmt: skip


def joined(member: str = "m1", **more: Any) -> Ask:
    return Ask(join(member, **more), api=HEARTBEAT, version=1)


def beating(name: str, *steps: Step | Body) -> Situation:
    return situation(HEARTBEAT, name, ORDERS, BILLS, *steps)


def described(*groups: str, **more: Any) -> Ask:
    body = {"group_ids": list(groups) or ["$g"], "include_authorized_operations": False, **more}
    return Ask(body, api=DESCRIBE, version=1)


CLASSIC = Ask(join_body(protocols=[RANGE]), api="JoinGroup", version=3)
GONE = Ask(beat(epoch=-1), api=HEARTBEAT, version=1)

MEMBERS = [
    beating("assigned after a while", assigned(), join(), described()),
    beating(
        "two members read the same",
        assigned(subscribed_topic_names=["$bills"]), assigned("m2", subscribed_topic_names=["$bills"]), described(),
    ),
    beating("leaving", joined(), GONE, described()),
    beating("leaving twice", joined(), GONE, GONE),
    beating("leaving no group", beat(epoch=-1)),
    beating("no topics", join(subscribed_topic_names=[])),
    beating("a topic that does not exist", join(subscribed_topic_names=["$nothing"])),
    beating("joining without a subscription", join(subscribed_topic_names=None)),
    beating("an empty group id", join(group_id="")),
    beating("a blank group id", join(group_id=" ")),
    beating("joining with an empty member id", join("")),
    beating("an empty member id", beat("")),
    beating("a long member id", join("m" * 37)),
    beating("an empty rack", join(rack_id="")),
    beating("an epoch below all", beat(epoch=-2)),
    beating("a member of no group", beat(epoch=5)),
    beating("an unknown member of a group", joined(), beat("m2", 1)),
    beating("an epoch that is ahead", joined(), beat(epoch=9)),
    beating("a fenced member joins again", joined(), Ask(beat(epoch=9)), join()),
    beating("into a classic group", CLASSIC, join()),
    situation("JoinGroup", "a classic member into a share group", ORDERS, joined(), join_body(protocols=[RANGE]),
              versions=(3, 3)),
    situation("OffsetCommit", "for a share group", ORDERS, joined(),
              {"group_id": "$g", "generation_id_or_member_epoch": -1, "member_id": "", "group_instance_id": None,
               "retention_time_ms": -1, "topics": []}, versions=(9, 9)),
    situation("DescribeGroups", "a share group", ORDERS, joined(),
              {"groups": ["$g"], "include_authorized_operations": False}, versions=(5, 6)),
    situation("ConsumerGroupDescribe", "a share group", ORDERS, joined(),
              {"group_ids": ["$g"], "include_authorized_operations": False}),
]  # fmt: skip

DESCRIBING = [
    situation(DESCRIBE, "a group that is not there", described()),
    situation(DESCRIBE, "no groups", described(group_ids=[])),
    situation(DESCRIBE, "an empty group id", described("")),
    situation(DESCRIBE, "a group and one that is not there", ORDERS, joined(), described("$g", "$h")),
    situation(DESCRIBE, "a classic group", ORDERS, CLASSIC, described()),
    situation(DESCRIBE, "with its operations", ORDERS, joined(), described(include_authorized_operations=True)),
    situation(DESCRIBE, "two groups", ORDERS, joined(), joined(group_id="$h"), described("$h", "$g")),
    *(
        situation("ListGroups", f"share groups by {name}", ORDERS, joined(), GONE,
                  {"states_filter": states, "types_filter": types}, versions=(5, 5))
        for name, states, types in (
            ("their type", [], ["share"]), ("their type in capitals", [], ["SHARE"]),
            ("another type", [], ["consumer"]),
            ("type and state", ["Empty"], ["share"]), ("type and another state", ["Stable"], ["share"]),
        )
    ),
    situation("DeleteGroups", "a share group with a member", ORDERS, joined(), {"groups_names": ["$g"]}),
    situation("DeleteGroups", "an empty share group", ORDERS, joined(), GONE, {"groups_names": ["$g"]}, described()),
]  # fmt: skip


# Sessions -----------------------------------------------------------------------------------------------------------


def acks(*batches: tuple[int, int, list[int]]) -> list[Body]:
    return [{"first_offset": a, "last_offset": b, "acknowledge_types": types} for a, b, types in batches]


def partition(index: int, *batches: tuple[int, int, list[int]]) -> Body:
    return {"partition_index": index, "acknowledgement_batches": acks(*batches)}


def of(*partitions: Body, topic: str = "orders") -> list[Body]:
    return [{"topic_id": Id(topic), "partitions": list(partitions)}]


FIRST = of(partition(0))


def fetch(epoch: int, topics: list[Body] | None = None, **more: Any) -> Body:
    told = {"group_id": "$g", "member_id": "m1", "share_session_epoch": epoch, "max_wait_ms": WAIT_MS, "min_bytes": 1}
    told |= {"max_bytes": 1 << 20, "max_records": 500, "batch_size": 500, "forgotten_topics_data": []}
    return {**told, "topics": FIRST if topics is None else topics, **more}


def acknowledge(epoch: int, *batches: tuple[int, int, list[int]], **more: Any) -> Body:
    told = {"group_id": "$g", "member_id": "m1", "share_session_epoch": epoch}
    return {**told, "topics": of(partition(0, *batches)), **more}


def told(epoch: int, *batches: tuple[int, int, list[int]], **more: Any) -> Ask:
    return Ask(acknowledge(epoch, *batches, **more), api=ACKNOWLEDGE, version=2)


def lent(epoch: int, topics: list[Body] | None = None, **more: Any) -> Ask:
    return Ask(fetch(epoch, topics, **more), api=FETCH, version=2)


AT_ONCE: dict[str, Any] = {"max_wait_ms": 0}
SOON: dict[str, Any] = {"max_wait_ms": 2_000}
"""Where nothing comes, but the group's state of the partition is to be there by then."""


def fetching(name: str, *steps: Step | Body, records: Records = FIVE) -> Situation:
    return situation(FETCH, name, ORDERS, BILLS, records, EARLIEST, assigned(), *steps)


def acknowledging(name: str, *steps: Step | Body, records: Records = FIVE) -> Situation:
    return situation(ACKNOWLEDGE, name, ORDERS, BILLS, records, EARLIEST, assigned(), *steps)


FETCHING = [
    fetching("the first records", fetch(0)),
    fetching("and nothing more", lent(0), fetch(1, [], **AT_ONCE)),
    fetching("accepted with the next fetch", lent(0), fetch(1, of(partition(0, (0, 4, [ACCEPT]))), **AT_ONCE)),
    fetching("released with the next fetch", lent(0), fetch(1, of(partition(0, (0, 4, [RELEASE])))),
             fetch(2, [], **AT_ONCE)),
    fetching("each its own way", lent(0), fetch(1, of(partition(0, (0, 3, [ACCEPT, RELEASE, REJECT, RELEASE]))))),
    fetching("a session that is not there", fetch(1)),
    fetching("an epoch that is ahead", lent(0), fetch(2, **AT_ONCE)),
    fetching("an epoch once more", lent(0), lent(1, [], **AT_ONCE), fetch(1, [], **AT_ONCE)),
    fetching("a session begun anew", lent(0), fetch(0, **AT_ONCE)),
    fetching("closing", lent(0), fetch(-1, [])),
    fetching("closing what is not open", fetch(-1, [])),
    fetching("closing with acknowledgements", lent(0), fetch(-1, of(partition(0, (0, 4, [ACCEPT]))))),
    fetching("opening with acknowledgements", fetch(0, of(partition(0, (0, 0, [ACCEPT]))))),
    fetching("opening without partitions", fetch(0, [], **AT_ONCE)),
    fetching("an epoch below all", fetch(-2)),
    fetching("a topic that does not exist", fetch(0, of(partition(0), topic="nothing"), **AT_ONCE)),
    fetching("a partition that does not exist", fetch(0, of(partition(9)), **AT_ONCE)),
    fetching("a partition without records", fetch(0, of(partition(1)), **SOON)),
    fetching("no group", fetch(0, group_id=None)),
    fetching("an empty group", fetch(0, group_id="", **AT_ONCE)),
    fetching("no member", fetch(0, member_id=None)),
    fetching("an empty member", fetch(0, member_id="", **AT_ONCE)),
    fetching("a long member id", fetch(0, member_id="m" * 37, **AT_ONCE)),
    fetching("a partition forgotten", lent(0), fetch(1, [], forgotten_topics_data=[
        {"topic_id": Id("orders"), "partitions": [0]}], **AT_ONCE), fetch(2, [], **AT_ONCE)),
    fetching("a batch for each of two fetches", fetch(0, max_records=1), fetch(1, [], max_records=1),
             records=TWICE_THREE),
    fetching("in batches of one", fetch(0, batch_size=1)),
    fetching("no records wanted", fetch(0, max_records=0, **AT_ONCE)),
    situation(FETCH, "never more than one", ORDERS, FIVE, EARLIEST, assigned(),
              fetch(0, max_records=1, share_acquire_mode=1), fetch(1, [], max_records=1, share_acquire_mode=1),
              versions=(2, 2)),
    situation(FETCH, "a way to acquire that does not exist", ORDERS, FIVE, EARLIEST, assigned(),
              fetch(0, share_acquire_mode=2), versions=(2, 2)),
    situation(FETCH, "renewing with a fetch that waits", ORDERS, FIVE, EARLIEST, assigned(), lent(0),
              fetch(1, of(partition(0, (0, 4, [RENEW]))), is_renew_ack=True), versions=(2, 2)),
    situation(FETCH, "renewing with a fetch of nothing", ORDERS, FIVE, EARLIEST, assigned(), lent(0),
              fetch(1, of(partition(0, (0, 4, [RENEW]))), is_renew_ack=True, max_wait_ms=0, min_bytes=0, max_bytes=0,
                    max_records=0), versions=(2, 2)),
    fetching("what another connection held is lent again", lent(0), Reconnect(), fetch(0, member_id="m2")),
]  # fmt: skip

ACKNOWLEDGING = [
    acknowledging("accepted", lent(0), acknowledge(1, (0, 4, [ACCEPT]))),
    acknowledging("each its own way", lent(0), acknowledge(1, (0, 2, [ACCEPT, RELEASE, REJECT]), (3, 4, [GAP]))),
    acknowledging("in two ranges", lent(0), acknowledge(1, (0, 1, [ACCEPT]), (3, 4, [RELEASE]))),
    acknowledging("released and lent again", lent(0), acknowledge(1, (1, 1, [RELEASE])), lent(2, [])),
    acknowledging("what was accepted before", lent(0), told(1, (0, 4, [ACCEPT])), acknowledge(2, (0, 4, [ACCEPT]))),
    acknowledging("what was accepted before, within what is held", lent(0), told(1, (2, 2, [ACCEPT])),
                  acknowledge(2, (2, 2, [RELEASE]))),
    acknowledging("what was never lent", lent(0), acknowledge(1, (0, 9, [ACCEPT]))),
    acknowledging("beyond all that is there", lent(0), acknowledge(1, (100, 101, [ACCEPT]))),
    acknowledging("what another holds", lent(0), lent(0, member_id="m2", **AT_ONCE),
                  acknowledge(1, (0, 4, [ACCEPT]), member_id="m2")),
    acknowledging("a kind that does not exist", lent(0), acknowledge(1, (0, 4, [9]))),
    acknowledging("a kind below all", lent(0), acknowledge(1, (0, 4, [-1]))),
    acknowledging("too few kinds", lent(0), acknowledge(1, (0, 4, [ACCEPT, ACCEPT]))),
    acknowledging("too many kinds", lent(0), acknowledge(1, (0, 1, [ACCEPT, ACCEPT, ACCEPT]))),
    acknowledging("no kind", lent(0), acknowledge(1, (0, 4, []))),
    acknowledging("backwards", lent(0), acknowledge(1, (4, 0, [ACCEPT]))),
    acknowledging("ranges that overlap", lent(0), acknowledge(1, (0, 2, [ACCEPT]), (2, 4, [ACCEPT]))),
    acknowledging("ranges out of order", lent(0), acknowledge(1, (3, 4, [ACCEPT]), (0, 1, [ACCEPT]))),
    acknowledging("no ranges", lent(0), acknowledge(1)),
    acknowledging("nothing", lent(0), acknowledge(1, topics=[])),
    acknowledging("a session that is not there", acknowledge(1, (0, 4, [ACCEPT]))),
    acknowledging("opening", acknowledge(0, (0, 4, [ACCEPT]))),
    acknowledging("an epoch that is ahead", lent(0), acknowledge(2, (0, 4, [ACCEPT]))),
    acknowledging("closing gives back", lent(0), told(-1, topics=[]), acknowledge(1, (0, 4, [ACCEPT])),
                  lent(0, member_id="m2")),
    acknowledging("closing with acknowledgements", lent(0), acknowledge(-1, (0, 1, [ACCEPT])),
                  lent(0, member_id="m2")),
    acknowledging("closing what is not open", acknowledge(-1, topics=[])),
    acknowledging("a topic that does not exist", lent(0),
                  acknowledge(1, topics=of(partition(0, (0, 4, [ACCEPT])), topic="nothing"))),
    acknowledging("a partition that does not exist", lent(0),
                  acknowledge(1, topics=of(partition(9, (0, 4, [ACCEPT]))))),
    acknowledging("no group", lent(0), acknowledge(1, (0, 4, [ACCEPT]), group_id=None)),
    acknowledging("no member", lent(0), acknowledge(1, (0, 4, [ACCEPT]), member_id=None)),
    acknowledging("another member", lent(0), acknowledge(1, (0, 4, [ACCEPT]), member_id="m2")),
    situation(ACKNOWLEDGE, "renewed, then accepted", ORDERS, FIVE, EARLIEST, assigned(), lent(0),
              acknowledge(1, (0, 4, [RENEW]), is_renew_ack=True), told(2, (0, 4, [ACCEPT])), versions=(2, 2)),
    situation(ACKNOWLEDGE, "renewed without saying so", ORDERS, FIVE, EARLIEST, assigned(), lent(0),
              acknowledge(1, (0, 4, [RENEW])), versions=(2, 2)),
    situation(ACKNOWLEDGE, "renewed by an older version", ORDERS, FIVE, EARLIEST, assigned(), lent(0),
              acknowledge(1, (0, 4, [RENEW])), versions=(1, 1)),
]  # fmt: skip


# Offsets ------------------------------------------------------------------------------------------------------------


def asked_offsets(group: str = "$g", topic: str | None = "$orders", *partitions: int) -> Body:
    topics = None if topic is None else [{"topic_name": topic, "partitions": list(partitions) or [0]}]
    return {"groups": [{"group_id": group, "topics": topics}]}


def moved(*offsets: tuple[int, int], group: str = "$g", topic: str = "$orders") -> Body:
    partitions = [{"partition_index": index, "start_offset": offset} for index, offset in offsets]
    return {"group_id": group, "topics": [{"topic_name": topic, "partitions": partitions}]}


def forgotten(*topics: str, group: str = "$g") -> Body:
    return {"group_id": group, "topics": [{"topic_name": topic} for topic in topics]}


READ = (ORDERS, BILLS, FIVE, EARLIEST, assigned(), lent(0), told(1, (0, 4, [ACCEPT])), told(-1, topics=[]), GONE)
WITH_LAG_FROM = 1

MOVING = [
    situation(OFFSETS, "a group that is not there", ORDERS, asked_offsets()),
    situation(OFFSETS, "an empty group id", asked_offsets("")),
    situation(OFFSETS, "no groups", {"groups": []}),
    situation(OFFSETS, "all topics of a group that is not there", asked_offsets(topic=None)),
    situation(OFFSETS, "a classic group", ORDERS, CLASSIC, asked_offsets()),
    situation(OFFSETS, "a topic that does not exist", *READ, asked_offsets("$g", "$nothing")),
    situation(OFFSETS, "a topic that was not read", *READ, asked_offsets("$g", "$bills")),
    situation(OFFSETS, "a partition that does not exist", *READ, asked_offsets("$g", "$orders", 9)),
    situation(OFFSETS, "after a move", *READ, Ask(moved((0, 2), (1, 0)), ALTER, 0), asked_offsets(topic=None),
              asked_offsets("$g", "$orders", 0)),
    situation(ALTER, "an empty group", *READ, moved((0, 2)), lent(0, member_id="m2")),
    situation(ALTER, "a group with a member", ORDERS, joined(), moved((0, 2))),
    situation(ALTER, "an empty group id", ORDERS, moved((0, 2), group="")),
    situation(ALTER, "a group that is not there", ORDERS, moved((0, 2))),
    situation(ALTER, "a classic group", ORDERS, CLASSIC, moved((0, 2))),
    situation(ALTER, "a topic that does not exist", *READ, moved((0, 2), topic="$nothing")),
    situation(ALTER, "a partition that does not exist", *READ, moved((9, 2))),
    situation(ALTER, "below nothing", *READ, moved((0, -1))),
    situation(ALTER, "beyond all records", *READ, moved((0, 100))),
    situation(ALTER, "nothing", *READ, {"group_id": "$g", "topics": []}),
    situation(DELETE_OFFSETS, "of an empty group", *READ, forgotten("$orders"),
              Ask(asked_offsets(topic=None), OFFSETS, 1)),
    situation(DELETE_OFFSETS, "of a group with a member", ORDERS, joined(), forgotten("$orders")),
    situation(DELETE_OFFSETS, "of a group that is not there", ORDERS, forgotten("$orders")),
    situation(DELETE_OFFSETS, "an empty group id", ORDERS, forgotten("$orders", group="")),
    situation(DELETE_OFFSETS, "of a classic group", ORDERS, CLASSIC, forgotten("$orders")),
    situation(DELETE_OFFSETS, "a topic that does not exist", *READ, forgotten("$nothing")),
    situation(DELETE_OFFSETS, "a topic that was not read", *READ, forgotten("$bills")),
    situation(DELETE_OFFSETS, "nothing", *READ, forgotten()),
]  # fmt: skip


# Settings and coordinators ------------------------------------------------------------------------------------------


def setting_group(name: str, key: str, value: str | None, **more: Any) -> Situation:
    return situation(
        "IncrementalAlterConfigs", f"of a share group: {name}", setting(key, value, **more), versions=(1, 1)
    )


SETTINGS = [
    setting_group("where it begins", "share.auto.offset.reset", "earliest"),
    setting_group("where it begins, by a length", "share.auto.offset.reset", "by_duration:PT1H"),
    setting_group("where it begins, nowhere", "share.auto.offset.reset", "none"),
    setting_group("isolation", "share.isolation.level", "read_committed"),
    setting_group("an isolation that is none", "share.isolation.level", "repeatable_read"),
    setting_group("the lock", "share.record.lock.duration.ms", "20000"),
    setting_group("a lock that is too short", "share.record.lock.duration.ms", "10"),
    setting_group("a lock that is too long", "share.record.lock.duration.ms", "3600001"),
    setting_group("the limit", "share.delivery.count.limit", "3"),
    setting_group("a limit that is too high", "share.delivery.count.limit", "100"),
    setting_group("the locks", "share.partition.max.record.locks", "200"),
    setting_group("too many locks", "share.partition.max.record.locks", "100000"),
    setting_group("no renewing", "share.renew.acknowledge.enable", "false"),
    setting_group("renewing, perhaps", "share.renew.acknowledge.enable", "perhaps"),
    setting_group("taken back", "share.auto.offset.reset", None, operation=1),
]


SITUATIONS = [*MEMBERS, *DESCRIBING, *FETCHING, *ACKNOWLEDGING, *MOVING, *SETTINGS]
