"""Transactions as their coordinator sees them: InitProducerId, AddPartitionsToTxn, AddOffsetsToTxn, EndTxn,
DescribeTransactions, ListTransactions.

An end is answered before its markers are written, so what follows one waits until it is complete.
"""

from __future__ import annotations

from typing import Any

from tests.conformance.table import Ask, Body, Saved, Situation, Step, Topic, Until, situation

ORDERS = Topic("orders", 3)
PRODUCER, EPOCH = Saved("id"), Saved("epoch")
TV1, TV2 = 4, 5
"""Versions of EndTxn: the last that leaves the epoch, and the first that raises it."""
TRANSACTION = 1


def init_body(producer: Any = -1, epoch: Any = -1, **more: Any) -> Body:
    return {
        "transactional_id": "$t",
        "transaction_timeout_ms": 600_000,
        "producer_id": producer,
        "producer_epoch": epoch,
        **more,
    }


def begun(**more: Any) -> Ask:
    """A producer, known by its id and epoch from here on."""
    save = {"id": "producer_id", "epoch": "producer_epoch"}
    return Ask(init_body(**more), api="InitProducerId", version=5, save=save)


def add_body(
    *partitions: int, producer: Any = PRODUCER, epoch: Any = EPOCH, name: str = "$t", verify: bool = False, **more: Any
) -> Body:
    topics = more.get("topics", [{"name": "$orders", "partitions": list(partitions) or [0]}])
    one = {"transactional_id": name, "producer_id": producer, "producer_epoch": epoch, "verify_only": verify}
    return {
        "transactions": [{**one, "topics": topics}],
        "v3_and_below_transactional_id": name,
        "v3_and_below_producer_id": producer,
        "v3_and_below_producer_epoch": epoch,
        "v3_and_below_topics": topics,
    }


def added(*partitions: int, **more: Any) -> Ask:
    return Ask(add_body(*partitions, **more), api="AddPartitionsToTxn", version=3)


def added_by_producing(*partitions: int) -> Ask:
    return Ask(add_body(*partitions), api="AddPartitionsToTxn", version=5)


def end_body(*, commits: bool = True, producer: Any = PRODUCER, epoch: Any = EPOCH, name: str = "$t") -> Body:
    return {"transactional_id": name, "producer_id": producer, "producer_epoch": epoch, "committed": commits}


def ended(version: int, *, commits: bool = True, **more: Any) -> Ask:
    save = {"id": "producer_id", "epoch": "producer_epoch"} if version >= TV2 else {}
    return Ask(end_body(commits=commits, **more), api="EndTxn", version=version, save=save)


def described(name: str = "$t") -> Ask:
    return Ask({"transactional_ids": [name]}, api="DescribeTransactions", version=0)


def _is_complete(answer: Body) -> bool:
    return not answer["transaction_states"][0]["transaction_state"].startswith("Prepare")


DONE = Until("DescribeTransactions", 0, {"transactional_ids": ["$t"]}, _is_complete)
OPEN = (begun(), added(0, 1))


# Init -------------------------------------------------------------------------------------------------------------


def initing(name: str, *steps: Step | Body, versions: tuple[int, int] | None = None) -> Situation:
    return situation("InitProducerId", name, ORDERS, *steps, versions=versions)


INIT = [
    initing("a transactional id", init_body(), described()),
    initing("a transactional id again", init_body(), init_body(), described()),
    initing("the longest timeout", init_body(transaction_timeout_ms=900_000), described()),
    initing("a timeout too long", init_body(transaction_timeout_ms=900_001)),
    initing("a transaction timeout of nothing", init_body(transaction_timeout_ms=0)),
    initing("a negative transaction timeout", init_body(transaction_timeout_ms=-1)),
    initing("over an open transaction", *OPEN, init_body(), DONE, described(), init_body(), described()),
    initing("over a committed transaction", *OPEN, ended(TV1), DONE, init_body(), described()),
    initing("over an aborted transaction", *OPEN, ended(TV2, commits=False), DONE, init_body(), described()),
    initing("going on with its epoch", begun(), init_body(PRODUCER, EPOCH), described(), versions=(3, 5)),
    initing("going on twice with its epoch", begun(), init_body(PRODUCER, EPOCH), init_body(PRODUCER, EPOCH),
            described(), versions=(3, 5)),
    initing("going on over its open transaction", *OPEN, init_body(PRODUCER, EPOCH), DONE,
            init_body(PRODUCER, EPOCH), described(), versions=(3, 5)),
    initing("going on with an epoch that is fenced", begun(), Ask(init_body(), version=5),
            init_body(PRODUCER, EPOCH), versions=(3, 5)),
    initing("going on with an epoch to come", begun(), init_body(PRODUCER, 7), versions=(3, 5)),
    initing("going on with another's id", begun(), init_body(987_654, 0), versions=(3, 5)),
    initing("going on with an id that never was", init_body(987_654, 3), versions=(3, 5)),
    initing("a producer id without an epoch", init_body(5, -1), versions=(3, 5)),
    initing("a producer epoch without an id", init_body(-1, 5), versions=(3, 5)),
    initing("going on with the epoch that an end gave", *OPEN, ended(TV2), DONE, init_body(PRODUCER, EPOCH),
            described(), versions=(3, 5)),
]  # fmt: skip


# Partitions and offsets -------------------------------------------------------------------------------------------


def adding(name: str, *steps: Step | Body, versions: tuple[int, int] | None = None) -> Situation:
    return situation("AddPartitionsToTxn", name, ORDERS, *steps, versions=versions)


ADD_PARTITIONS = [
    adding("two of a topic", begun(), add_body(0, 2), described()),
    adding("the same again", begun(), add_body(0), add_body(0), described()),
    adding("more of them", begun(), add_body(0), add_body(1, 2), described()),
    adding("to the next transaction", *OPEN, ended(TV1), DONE, add_body(2), described()),
    adding("none", begun(), add_body(topics=[]), described()),
    adding("a topic without partitions", begun(), add_body(topics=[{"name": "$orders", "partitions": []}]),
           described()),
    adding("a partition that does not exist", begun(), add_body(0, 3), described()),
    adding("a topic that does not exist", begun(), add_body(topics=[{"name": "$nope", "partitions": [0]}])),
    adding("a negative partition", begun(), add_body(-1)),
    adding("an internal topic", begun(), add_body(topics=[{"name": "__consumer_offsets", "partitions": [0]}])),
    adding("an older epoch", begun(), begun(), add_body(0, epoch=0)),
    adding("an epoch to come", begun(), add_body(0, epoch=5)),
    adding("another's producer id", begun(), add_body(0, producer=987_654)),
    adding("an id that never was", add_body(0, producer=987_654, epoch=0)),
    adding("an empty transactional id", begun(), add_body(0, name="")),
    adding("after the epoch rose", *OPEN, ended(TV2), DONE, add_body(1), described()),
    adding("with the epoch of before the end", begun(), added(0), Ask(end_body(), api="EndTxn", version=TV2), DONE,
           add_body(0)),
    adding("verifying what is in", *OPEN, add_body(0, 1, verify=True), versions=(4, 5)),
    adding("verifying what is not in", *OPEN, add_body(1, 2, verify=True), described(), versions=(4, 5)),
    adding("verifying without a transaction", begun(), add_body(0, verify=True), described(), versions=(4, 5)),
    adding("verifying an older epoch", begun(), begun(), add_body(0, epoch=0, verify=True), versions=(4, 5)),
    adding("verifying another's producer id", begun(), add_body(0, producer=987_654, verify=True), versions=(4, 5)),
    adding("verifying an id that never was", add_body(0, producer=5, epoch=0, verify=True), versions=(4, 5)),
    adding("verifying after a commit", *OPEN, ended(TV1), DONE, add_body(0, verify=True), versions=(4, 5)),
    adding("several transactions at once", begun(), {"transactions": [
        *add_body(0)["transactions"],
        {**add_body(1, producer=5, epoch=0)["transactions"][0], "transactional_id": "$other"},
    ]}, described(), versions=(4, 5)),
    situation("AddPartitionsToTxn", "no transactions", {"transactions": []}, versions=(4, 5), patience_s=8.0),
]  # fmt: skip


def offsets_body(*, producer: Any = PRODUCER, epoch: Any = EPOCH, name: str = "$t", group: str = "one-group") -> Body:
    """The group is the same in every run: which partition is its own is to be the same."""
    return {"transactional_id": name, "producer_id": producer, "producer_epoch": epoch, "group_id": group}


def offsets_adding(name: str, *steps: Step | Body) -> Situation:
    return situation("AddOffsetsToTxn", name, *steps)


ADD_OFFSETS = [
    offsets_adding("of a group", begun(), offsets_body(), described()),
    offsets_adding("of a group twice", begun(), offsets_body(), offsets_body(), described()),
    offsets_adding("of an empty group id", begun(), offsets_body(group=""), described()),
    offsets_adding("an older epoch", begun(), begun(), offsets_body(epoch=0)),
    offsets_adding("another's producer id", begun(), offsets_body(producer=987_654)),
    offsets_adding("an id that never was", offsets_body(producer=5, epoch=0)),
    offsets_adding("an empty transactional id", offsets_body(producer=5, epoch=0, name="")),
]


# Ends -------------------------------------------------------------------------------------------------------------


def ending(name: str, *steps: Step | Body, versions: tuple[int, int] | None = None) -> Situation:
    return situation("EndTxn", name, ORDERS, *steps, versions=versions)


def both_ways(name: str, *steps: Step, then: tuple[Step, ...] = (), versions: tuple[int, int] | None = None) -> Any:
    return [
        ending(f"{name}: {word}", *steps, end_body(commits=commits), *then, versions=versions)
        for word, commits in (("commit", True), ("abort", False))
    ]


END = [
    *both_ways("an open transaction", *OPEN, then=(DONE, described())),
    *both_ways("nothing was added", begun(), then=(DONE, described())),
    *both_ways("again after a commit", *OPEN, Ask(end_body(), version=None), DONE, then=(DONE, described())),
    *both_ways("again after an abort", *OPEN, Ask(end_body(commits=False)), DONE, then=(DONE, described())),
    *both_ways("the next one, empty, after a commit", *OPEN, ended(TV2), DONE, then=(DONE, described())),
    *both_ways("the next one, empty, after an abort", *OPEN, ended(TV2, commits=False), DONE, then=(DONE, described())),
    *both_ways("a second transaction", *OPEN, ended(TV2), DONE, added(2), then=(DONE, described())),
    *both_ways("offsets only", begun(), Ask(offsets_body(), api="AddOffsetsToTxn", version=4),
               then=(DONE, described())),
    ending("an older epoch", begun(), begun(), added(0), end_body(epoch=0)),
    ending("an epoch to come", *OPEN, end_body(epoch=9)),
    ending("a negative epoch", *OPEN, end_body(epoch=-1)),
    ending("another's producer id", *OPEN, end_body(producer=987_654)),
    ending("an id that never was", end_body(producer=5, epoch=0)),
    ending("an empty transactional id", end_body(producer=5, epoch=0, name="")),
    *both_ways("after a new producer aborted it", begun(), added(0),
               Ask(init_body(), api="InitProducerId", version=5), DONE, then=(DONE, described())),
]  # fmt: skip


# Looking ----------------------------------------------------------------------------------------------------------

DESCRIBE = [
    situation("DescribeTransactions", "an open transaction", ORDERS, *OPEN, {"transactional_ids": ["$t"]}),
    situation("DescribeTransactions", "several, some unknown", begun(), {"transactional_ids": ["$t", "$no", "$t"]}),
    situation("DescribeTransactions", "none", {"transactional_ids": []}),
    situation("DescribeTransactions", "an empty id", {"transactional_ids": [""]}),
    situation("DescribeTransactions", "offsets", begun(), Ask(offsets_body(), api="AddOffsetsToTxn", version=4),
              {"transactional_ids": ["$t"]}),
]  # fmt: skip


def list_body(**filters: Any) -> Body:
    return {
        "state_filters": [],
        "producer_id_filters": [],
        "duration_filter": -1,
        "transactional_id_pattern": None,
        **filters,
    }


def listing(name: str, *steps: Step | Body, versions: tuple[int, int] | None = None) -> Situation:
    return situation("ListTransactions", name, ORDERS, *steps, versions=versions)


# More than no time must have passed since it began, and a broker may be asked within the same millisecond.
OLDER = Until(
    "ListTransactions", 1, list_body(duration_filter=0, producer_id_filters=[PRODUCER]),
    lambda answer: len(answer["transaction_states"]) == 1,
)  # fmt: skip

LIST = [
    listing("all", *OPEN, list_body()),
    listing("by state", *OPEN, list_body(state_filters=["Ongoing"]), list_body(state_filters=["Empty"])),
    listing("by states that are only passed through", *OPEN, list_body(state_filters=["Dead", "PrepareEpochFence"])),
    listing("by a state nobody knows", *OPEN, list_body(state_filters=["Asleep"])),
    listing("by a state nobody knows and one that is", *OPEN, list_body(state_filters=["Asleep", "Ongoing", "Asleep"])),
    listing("by a state in lower case", *OPEN, list_body(state_filters=["ongoing"])),
    listing("by producer", *OPEN, list_body(producer_id_filters=[PRODUCER]), list_body(producer_id_filters=[987_654])),
    listing("by duration", *OPEN, OLDER, list_body(duration_filter=0), list_body(duration_filter=3_600_000),
            versions=(1, 2)),
    listing("by duration, not begun", begun(), list_body(duration_filter=3_600_000), versions=(1, 2)),
    listing("by pattern", *OPEN, list_body(transactional_id_pattern="cf-.*-t"),
            list_body(transactional_id_pattern="cf"), versions=(2, 2)),
    listing("by an empty pattern", *OPEN, list_body(transactional_id_pattern=""), versions=(2, 2)),
    listing("by a pattern that is none", list_body(transactional_id_pattern="(["), versions=(2, 2)),
]  # fmt: skip


# Find -------------------------------------------------------------------------------------------------------------

FIND = [
    situation("FindCoordinator", f"a transactional id{what}", {"key": key, "key_type": TRANSACTION,
              "coordinator_keys": [key]}, versions=(1, 6))
    for what, key in (("", "$t"), (" that is empty", ""))
]  # fmt: skip

SITUATIONS = [*INIT, *ADD_PARTITIONS, *ADD_OFFSETS, *END, *DESCRIBE, *LIST, *FIND]
