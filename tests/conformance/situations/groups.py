"""Groups: FindCoordinator, JoinGroup, SyncGroup, Heartbeat, LeaveGroup, ListGroups, DescribeGroups, DeleteGroups.

Groups begin their first rebalance at once on both brokers. A member joins in version 3, which needs no second request,
unless joining is what is compared.
"""

from __future__ import annotations

from typing import Any

from tests.conformance.table import Ask, Body, Saved, Situation, Step, situation

SUBSCRIPTION = b"\x00\x00\x00\x00\x00\x01\x00\x06orders\xff\xff\xff\xff"
RANGE = {"name": "range", "metadata": SUBSCRIPTION}
STICKY = {"name": "sticky", "metadata": SUBSCRIPTION}
GROUP, TRANSACTION, SHARE = 0, 1, 2
MEMBER = Saved("m")


def join_body(member: Any = "", *, instance: str | None = None, **more: Any) -> Body:
    return {
        "group_id": "$g",
        "session_timeout_ms": 60_000,  # a busy machine may take seconds between two requests
        "rebalance_timeout_ms": 60_000,
        "member_id": member,
        "group_instance_id": instance,
        "protocol_type": "consumer",
        "protocols": [RANGE],
        **more,
    }


def joined(name: str = "m", **more: Any) -> Ask:
    """A member is in, and its id known under this name."""
    version = 5 if more.get("instance") else 3
    return Ask(join_body(**more), api="JoinGroup", version=version, save={name: "member_id"})


def sync_body(member: Any = MEMBER, generation: int = 1, *shares: Any, **more: Any) -> Body:
    return {
        "group_id": "$g",
        "generation_id": generation,
        "member_id": member,
        "group_instance_id": None,
        "protocol_type": "consumer",
        "protocol_name": "range",
        "assignments": [{"member_id": each, "assignment": b"share"} for each in shares],
        **more,
    }


def synced(generation: int = 1, **more: Any) -> Ask:
    return Ask(sync_body(Saved("m"), generation, Saved("m"), **more), api="SyncGroup", version=3)


STABLE = (joined(), synced())
STATIC = (joined(instance="i"), synced(group_instance_id="i"))
PROMISED = Ask(join_body(), api="JoinGroup", version=6, save={"p": "member_id"})


# Find -------------------------------------------------------------------------------------------------------------


def finding(name: str, key: str, kind: int = GROUP, versions: tuple[int, int] | None = None) -> Situation:
    body = {"key": key, "key_type": kind, "coordinator_keys": [key]}
    return situation("FindCoordinator", name, body, versions=versions)


FIND_COORDINATOR = [
    finding("a group", "$g"),
    finding("an empty group id", ""),
    finding("a kind that does not exist", "$g", 9, versions=(1, 6)),
    finding("a share group in an older version", "$g", SHARE, versions=(1, 5)),
    finding("a share group's state under a key that is none", "$g", SHARE, versions=(6, 6)),
    situation("FindCoordinator", "several groups", {"key_type": GROUP, "coordinator_keys": ["$a", "$b", "$a"]},
              versions=(4, 6)),
    situation("FindCoordinator", "no groups", {"key_type": GROUP, "coordinator_keys": []}, versions=(4, 6)),
]  # fmt: skip


# Join -------------------------------------------------------------------------------------------------------------


def joining(name: str, *steps: Step | Body, versions: tuple[int, int] | None = None) -> Situation:
    return situation("JoinGroup", name, *steps, versions=versions)


JOIN_GROUP = [
    joining("a member, and again with its id", Ask(join_body(), save={"m": "member_id"}), join_body(Saved("m"))),
    joining("a static member", join_body(instance="i"), versions=(5, 9)),
    joining("an empty group id", join_body(group_id="")),
    joining("a session too short", join_body(session_timeout_ms=5_999)),
    joining("a session too long", join_body(session_timeout_ms=1_800_001)),
    joining("no protocols", join_body(protocols=[])),
    joining("an empty protocol type", join_body(protocol_type="")),
    joining("an unknown member of no group", join_body("ghost")),
    joining("an unknown member", *STABLE, join_body("ghost")),
    joining("an unknown static member", *STABLE, join_body("ghost", instance="i"), versions=(5, 9)),
    joining("another protocol", *STABLE, join_body(protocols=[STICKY])),
    joining("another protocol type", *STABLE, join_body(protocol_type="connect")),
    joining("a leader again while stable", *STABLE, join_body(Saved("m"))),
    joining("a leader again before it has synced", joined(), join_body(Saved("m"))),
    joining("a static leader restarts while stable", *STATIC, join_body(instance="i"), versions=(5, 9)),
    joining("a fenced static member", *STATIC, joined("n", instance="i"), join_body(Saved("m"), instance="i"),
            versions=(5, 9)),
    joining("a static member restarts before it has synced", joined(instance="i"), join_body(instance="i"),
            versions=(5, 9)),
    joining("a static member with another protocol", *STATIC, join_body(instance="i", protocols=[STICKY]),
            versions=(5, 9)),
    joining("the first of two protocols is chosen", join_body(protocols=[STICKY, RANGE]), versions=(0, 3)),
    joining("a member that has left", *STABLE, Ask({"group_id": "$g", "member_id": Saved("m")}, "LeaveGroup", 2),
            join_body(Saved("m"))),
    joining("another protocol type after all have left", *STABLE,
            Ask({"group_id": "$g", "member_id": Saved("m")}, "LeaveGroup", 2),
            join_body(protocol_type="connect", protocols=[{"name": "x", "metadata": b"\xff"}]), versions=(0, 3)),
]  # fmt: skip


# Sync, heartbeat, leave -------------------------------------------------------------------------------------------


def syncing(name: str, *steps: Step | Body, versions: tuple[int, int] | None = None) -> Situation:
    return situation("SyncGroup", name, *steps, versions=versions)


SYNC_GROUP = [
    syncing("the leader hands in its own share", joined(), sync_body(Saved("m"), 1, Saved("m"))),
    syncing("the leader forgets itself", joined(), sync_body()),
    syncing("the leader names a stranger", joined(), sync_body(Saved("m"), 1, "ghost", Saved("m"))),
    syncing("again while stable", *STABLE, sync_body()),
    syncing("an older generation", *STABLE, sync_body(generation=0)),
    syncing("a later generation", *STABLE, sync_body(generation=7)),
    syncing("an unknown member", *STABLE, sync_body("ghost")),
    syncing("no group", sync_body("ghost")),
    syncing("an empty group id", sync_body("ghost", group_id="")),
    syncing("a promised id", PROMISED, sync_body(Saved("p"))),
    syncing("another protocol", *STABLE, sync_body(protocol_name="sticky"), versions=(5, 5)),
    syncing("another protocol type", *STABLE, sync_body(protocol_type="connect"), versions=(5, 5)),
    syncing("no protocol", *STABLE, sync_body(protocol_name=None, protocol_type=None), versions=(5, 5)),
    syncing("a fenced static member", *STATIC, joined("n", instance="i"), sync_body(group_instance_id="i"),
            versions=(3, 5)),
]  # fmt: skip


def heartbeat(member: Any = MEMBER, generation: int = 1, **more: Any) -> Body:
    return {"group_id": "$g", "generation_id": generation, "member_id": member, "group_instance_id": None, **more}


def beating(name: str, *steps: Step | Body, versions: tuple[int, int] | None = None) -> Situation:
    return situation("Heartbeat", name, *steps, versions=versions)


HEARTBEAT = [
    beating("a member", *STABLE, heartbeat()),
    beating("a member that has not synced", joined(), heartbeat()),
    beating("an older generation", *STABLE, heartbeat(generation=0)),
    beating("an unknown member", *STABLE, heartbeat("ghost")),
    beating("no group", heartbeat("ghost")),
    beating("an empty group id", heartbeat("ghost", group_id="")),
    beating("a promised id", PROMISED, heartbeat(Saved("p"), 0)),
    beating("a member while another id is promised", *STABLE, PROMISED, heartbeat()),
    beating("a static member", *STATIC, heartbeat(group_instance_id="i"), versions=(3, 4)),
    beating("a fenced static member", *STATIC, joined("n", instance="i"), heartbeat(group_instance_id="i"),
            versions=(3, 4)),
    beating("an unknown instance", *STABLE, heartbeat(group_instance_id="other"), versions=(3, 4)),
]  # fmt: skip


def leave(*members: Body, one: Any = "") -> Body:
    return {"group_id": "$g", "member_id": one, "members": list(members)}


def who(member: Any = "", instance: str | None = None) -> Body:
    return {"member_id": member, "group_instance_id": instance, "reason": "why not"}


def leaving(name: str, *steps: Step | Body, versions: tuple[int, int] | None = None) -> Situation:
    return situation("LeaveGroup", name, *steps, versions=versions)


LEAVE_GROUP = [
    leaving("a member", *STABLE, leave(who(Saved("m")), one=Saved("m"))),
    leaving("an unknown member", *STABLE, leave(who("ghost"), one="ghost")),
    leaving("a member of no group", leave(who("ghost"), one="ghost")),
    leaving("an empty group id", {**leave(who("ghost"), one="ghost"), "group_id": ""}),
    leaving("a promised id", PROMISED, leave(who(Saved("p")), one=Saved("p"))),
    leaving("nobody", *STABLE, leave(), versions=(3, 5)),
    leaving("by instance", *STATIC, leave(who("", "i")), versions=(3, 5)),
    leaving("by an instance that nobody has", *STATIC, leave(who("", "other")), versions=(3, 5)),
    leaving("neither member nor instance", *STATIC, leave(who()), versions=(3, 5)),
    leaving("several", *STATIC, leave(who(Saved("m"), "i"), who("ghost"), who("", "i")), versions=(3, 5)),
    leaving("a fenced static member", *STATIC, joined("n", instance="i"), leave(who(Saved("m"), "i")),
            versions=(3, 5)),
]  # fmt: skip


# Groups as a whole ------------------------------------------------------------------------------------------------


def listing(name: str, *steps: Step | Body, versions: tuple[int, int] | None = None) -> Situation:
    return situation("ListGroups", name, *steps, versions=versions)


def having(states: list[str], types: list[str] | None = None) -> Body:
    return {"states_filter": states, "types_filter": types or []}


LIST_GROUPS = [
    listing("all", *STABLE, having([])),
    listing("one that rebalances", joined(), having([])),
    listing("by state", *STABLE, having(["stable"]), having(["Empty", "Dead"]), having(["Stable", "EMPTY"]),
            having(["no such state"]), versions=(4, 5)),
    listing("by type", *STABLE, having([], ["classic"]), having([], ["Consumer"]), having(["Stable"], ["CLASSIC"]),
            having([], ["no such type"]), versions=(5, 5)),
]  # fmt: skip


def describe(*groups: str, **more: Any) -> Body:
    return {"groups": list(groups), **more}


def describing(name: str, *steps: Step | Body, versions: tuple[int, int] | None = None) -> Situation:
    return situation("DescribeGroups", name, *steps, versions=versions)


DESCRIBE_GROUPS = [
    describing("a stable group", *STABLE, describe("$g")),
    describing("a static member", *STATIC, describe("$g")),
    describing("a group that has not synced", joined(), describe("$g")),
    describing("an empty group", *STABLE, Ask(leave(one=Saved("m")), "LeaveGroup", 2), describe("$g")),
    describing("a group with nothing but a promise", PROMISED, describe("$g")),
    describing("no such group", describe("$g")),
    describing("an empty group id", describe("")),
    describing("operations", *STABLE, describe("$g", "$h", include_authorized_operations=True), versions=(3, 6)),
    describing("several", *STABLE, describe("$g", "$h")),
    describing("a group twice", *STABLE, describe("$g", "$g")),
    describing("nothing", describe()),
]


def deleting(name: str, *steps: Step | Body, versions: tuple[int, int] | None = None) -> Situation:
    return situation("DeleteGroups", name, *steps, versions=versions)


def delete(*groups: str) -> Body:
    return {"groups_names": list(groups)}


DELETE_GROUPS = [
    deleting("a group with members", *STABLE, delete("$g")),
    deleting("an empty group, and again", *STABLE, Ask(leave(one=Saved("m")), "LeaveGroup", 2), delete("$g"),
             delete("$g"), Ask(describe("$g"), "DescribeGroups", 6)),
    deleting("a group with nothing but a promise", PROMISED, delete("$g")),
    deleting("no such group", delete("$g")),
    deleting("an empty group id", delete("")),
    deleting("several", *STABLE, delete("$g", "$h")),
    deleting("a group twice", *STABLE, Ask(leave(one=Saved("m")), "LeaveGroup", 2), delete("$g", "$g")),
    deleting("nothing", delete()),
]  # fmt: skip

SITUATIONS = [
    *FIND_COORDINATOR, *JOIN_GROUP, *SYNC_GROUP, *HEARTBEAT, *LEAVE_GROUP, *LIST_GROUPS, *DESCRIBE_GROUPS,
    *DELETE_GROUPS,
]  # fmt: skip
