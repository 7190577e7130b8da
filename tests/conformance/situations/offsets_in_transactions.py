"""Offsets within transactions: TxnOffsetCommit, and what OffsetFetch and the others say while one is open."""

from __future__ import annotations

from typing import Any

from tests.conformance.situations.groups import STABLE, STATIC, joined
from tests.conformance.situations.offsets import committed, delete, fetch, fetched, part
from tests.conformance.situations.transactions import DONE, EPOCH, PRODUCER, TV1, begun, ended
from tests.conformance.table import Ask, Body, Saved, Situation, Step, Topic, situation

ORDERS = Topic("orders", 2)
ADDS_FROM = 5
MEMBERS_FROM = 3


def commit(*parts: Body, topic: str = "orders", member: Any = "", generation: int = -1, **more: Any) -> Body:
    return {
        "transactional_id": "$t",
        "group_id": "$g",
        "producer_id": PRODUCER,
        "producer_epoch": EPOCH,
        "generation_id": generation,
        "member_id": member,
        "group_instance_id": None,
        "topics": [{"name": f"${topic}", "partitions": list(parts) or [part()]}],
        **more,
    }


def committed_within(*parts: Body, **more: Any) -> Ask:
    return Ask(commit(*parts, **more), api="TxnOffsetCommit", version=4)


ADDED = Ask(
    {"transactional_id": "$t", "producer_id": PRODUCER, "producer_epoch": EPOCH, "group_id": "$g"},
    api="AddOffsetsToTxn", version=4,
)  # fmt: skip
OPEN = (begun(), ADDED)
"""The group's partition is part of the transaction."""
STABLE_ONLY = Ask(fetch(require_stable=True), api="OffsetFetch", version=9)


def committing(
    name: str, *steps: Step | Body, versions: tuple[int, int] | None = None, alone: bool = False
) -> Situation:
    return situation("TxnOffsetCommit", name, ORDERS, *steps, versions=versions, alone=alone)


# Kafka asks about several transactions at once and takes the version of the first for that of all; and of two
# questions about one transactional id at the same time it refuses the first. Alone each gets its own answer.


TXN_OFFSET_COMMIT = [
    committing("and the transaction commits", *OPEN, commit(part(0, 5), part(1, 7)), fetched(), STABLE_ONLY,
               ended(TV1), DONE, STABLE_ONLY),
    committing("and the transaction aborts", committed(part(0, 3)), *OPEN, commit(), STABLE_ONLY,
               ended(TV1, commits=False), DONE, STABLE_ONLY),
    committing("the same again", *OPEN, commit(), commit(part(0, 6)), ended(TV1), DONE, fetched()),
    committing("text and epoch", *OPEN, commit(part(committed_metadata="text", committed_leader_epoch=0)),
               ended(TV1), DONE, fetched()),
    committing("no text", *OPEN, commit(part(committed_metadata=None)), ended(TV1), DONE, fetched()),
    committing("text too long", *OPEN, commit(part(committed_metadata="x" * 4097), part(1)), ended(TV1), DONE,
               fetched()),
    committing("not added to the transaction", begun(), commit(), fetched(), versions=(0, 4), alone=True),
    committing("added by committing", begun(), commit(), STABLE_ONLY, ended(TV1), DONE, fetched(),
               versions=(ADDS_FROM, ADDS_FROM)),
    committing("after the transaction", *OPEN, ended(TV1), DONE, commit(), versions=(0, 4), alone=True),
    committing("a plain commit after it", *OPEN, commit(), committed(part(0, 9)), STABLE_ONLY, ended(TV1), DONE,
               fetched()),
    committing("a plain commit before it", committed(part(0, 9)), *OPEN, commit(), ended(TV1), DONE, fetched()),
    committing("an id that never was", commit(producer_id=987_654, producer_epoch=0)),
    committing("another's producer id", *OPEN, commit(producer_id=987_654)),
    committing("an older epoch", begun(), *OPEN, commit(producer_epoch=0)),
    committing("an epoch to come", *OPEN, commit(producer_epoch=7)),
    committing("an empty transactional id", *OPEN, commit(transactional_id=""), alone=True),
    committing("an empty group id", *OPEN, commit(group_id="")),
    committing("nothing", *OPEN, commit(topics=[])),
    committing("unknown topic", *OPEN, commit(topic="missing")),
    committing("a good and an unknown partition", *OPEN, commit(part(0), part(7)), ended(TV1), DONE, fetched()),
    committing("a generation of no group", *OPEN, commit(member="ghost", generation=1),
               versions=(MEMBERS_FROM, 5)),
    committing("a member of no group", *OPEN, commit(member="ghost"), versions=(MEMBERS_FROM, 5)),
    committing("a member", *STABLE, *OPEN, commit(member=Saved("m"), generation=1), ended(TV1), DONE, fetched(),
               versions=(MEMBERS_FROM, 5)),
    committing("an older generation", *STABLE, *OPEN, commit(member=Saved("m"), generation=0),
               versions=(MEMBERS_FROM, 5)),
    committing("an unknown member", *STABLE, *OPEN, commit(member="ghost", generation=1), versions=(MEMBERS_FROM, 5)),
    committing("a member without a generation", *STABLE, *OPEN, commit(member=Saved("m")),
               versions=(MEMBERS_FROM, 5)),
    committing("nobody while there are members", *STABLE, *OPEN, commit(), ended(TV1), DONE, fetched()),
    committing("before the shares are out", joined(), *OPEN, commit(member=Saved("m"), generation=1), ended(TV1),
               DONE, fetched(), versions=(MEMBERS_FROM, 5)),
    committing("a static member", *STATIC, *OPEN, commit(member=Saved("m"), generation=1, group_instance_id="i"),
               versions=(MEMBERS_FROM, 5)),
    committing("a fenced static member", *STATIC, joined("n", instance="i"), *OPEN,
               commit(member=Saved("m"), generation=1, group_instance_id="i"), versions=(MEMBERS_FROM, 5)),
]  # fmt: skip

WHILE_OPEN = [
    situation("OffsetFetch", "stable offsets of an open transaction", ORDERS, committed(part(0, 3)), *OPEN,
              committed_within(part(0, 5)), fetch(require_stable=True), fetch(), versions=(7, 10)),
    situation("OffsetFetch", "stable offsets of all topics, one in an open transaction", ORDERS,
              committed(part(0, 3)), *OPEN, committed_within(part(0, 5), part(1, 6)),
              fetch(every=True, require_stable=True), versions=(7, 10)),
    situation("OffsetDelete", "an offset in an open transaction", ORDERS, *OPEN, committed_within(), delete(),
              STABLE_ONLY, ended(TV1), DONE, fetched()),
    situation("DeleteGroups", "with offsets in an open transaction", ORDERS, *OPEN, committed_within(),
              {"groups_names": ["$g"]}, ended(TV1), DONE, fetched()),
    situation("DescribeGroups", "with offsets in an open transaction", ORDERS, *OPEN, committed_within(),
              {"groups": ["$g"], "include_authorized_operations": False}),
]  # fmt: skip

SITUATIONS = [*TXN_OFFSET_COMMIT, *WHILE_OPEN]
