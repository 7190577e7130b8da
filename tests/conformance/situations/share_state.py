"""State of share groups, as brokers ask each other for it: InitializeShareGroupState, ReadShareGroupState,
WriteShareGroupState, DeleteShareGroupState, ReadShareGroupStateSummary.

Neither broker has an authorizer or another broker beside it, so both answer anybody.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from typing import Any

from tests.conformance.table import Ask, Body, Id, Made, Situation, Step, Topic, Until, situation

ORDERS = Topic("orders", 2)
INITIALIZE, READ, WRITE = "InitializeShareGroupState", "ReadShareGroupState", "WriteShareGroupState"
DELETE, SUMMARY = "DeleteShareGroupState", "ReadShareGroupStateSummary"
NO_ID = "A" * 22
NOT_YET = (14, 15, 16)
AVAILABLE, ACKNOWLEDGED, ARCHIVED = 0, 2, 4


def about(*parts: Body, topic: str = "orders", group: str = "$g") -> Body:
    return {"group_id": group, "topics": [{"topic_id": Id(topic), "partitions": list(parts)}]}


def of(partition: int = 0) -> Body:
    return {"partition": partition}


def begin(partition: int = 0, *, epoch: int = 2, start: int = 10) -> Body:
    return {"partition": partition, "state_epoch": epoch, "start_offset": start}


def led(epoch: int = 0, partition: int = 0) -> Body:
    return {"partition": partition, "leader_epoch": epoch}


def rows(*told: tuple[int, int, int, int]) -> list[Body]:
    names = ("first_offset", "last_offset", "delivery_state", "delivery_count")
    return [dict(zip(names, each, strict=True)) for each in told]


def said(*told: tuple[int, int, int, int], partition: int = 0, **more: Any) -> Body:
    return {
        "partition": partition,
        "state_epoch": 2,
        "leader_epoch": 0,
        "start_offset": -1,
        "delivery_complete_count": 1,
        "state_batches": rows(*told),
        **more,
    }


def initialized(*parts: Body, **more: str) -> Ask:
    return Ask(about(*parts or (begin(),), **more), api=INITIALIZE, version=0)


def written(*told: tuple[int, int, int, int], **more: Any) -> Ask:
    return Ask(about(said(*told, **more)), api=WRITE, version=1)


def seen(*parts: Body) -> Ask:
    return Ask(about(*parts or (led(),)), api=READ, version=0)


SUMMED = Ask(about(led()), api=SUMMARY, version=1)


def _found(answer: Body) -> bool:
    return all(each["error_code"] == 0 for each in answer["coordinators"])


def _there(answer: Body) -> bool:
    return not any(part["error_code"] in NOT_YET for each in answer["results"] for part in each["partitions"])


def _named(partition: int) -> Made:
    """As FindCoordinator is asked for it; the group's name is the same in all runs."""

    def make(saved: Any) -> str:
        topic_id = saved["topics"][0]["topic_id"]
        return f"workers:{urlsafe_b64encode(topic_id).rstrip(b'=').decode()}:{partition}"

    return Made(make)


LOOKED_UP = Ask(
    {"topics": [{"topic_id": bytes(16), "name": "$orders"}], "include_topic_authorized_operations": False,
     "allow_auto_topic_creation": False},
    api="Metadata", version=12, save={"topics": "topics"},
)  # fmt: skip


def found(*keys: Any) -> Body:
    return {"key_type": 2, "coordinator_keys": list(keys)}


FOUND = Until("FindCoordinator", 6, found(_named(0), _named(1)), _found)
GOOD_KEY = f"a:b:{NO_ID}:+7"
BAD_KEYS = (
    f":{NO_ID}:0",
    f" :{NO_ID}:0",
    f"g:{NO_ID}:y",
    f"g:{NO_ID}:",
    "g:x:0",
    f"{NO_ID}:0",
    f"g:{NO_ID}:4294967296",
)
READY: tuple[Step, ...] = (
    ORDERS,
    LOOKED_UP,
    FOUND,
    Until(SUMMARY, 0, about(led(), led(partition=1)), _there),
)


def asking(api: str, name: str, *steps: Step | Body, versions: tuple[int, int] | None = None) -> Situation:
    return situation(api, name, *READY, *steps, versions=versions)


TWO = begin(1, epoch=4, start=-1)

SITUATIONS = [
    asking(INITIALIZE, "two partitions", about(begin(), TWO), seen(), seen(led(partition=1)), SUMMED),
    asking(INITIALIZE, "once more", initialized(), written((11, 12, 2, 1)), about(begin(start=50)), seen(), SUMMED),
    asking(INITIALIZE, "of a later epoch", initialized(), written((11, 12, 2, 1)), about(begin(epoch=3)), seen()),
    asking(INITIALIZE, "of an earlier epoch", initialized(), written((11, 12, 2, 1)), about(begin(epoch=1)), seen()),
    asking(INITIALIZE, "without an epoch", initialized(), about(begin(epoch=-1)), SUMMED),
    asking(INITIALIZE, "a partition that does not exist", about(begin(7))),
    asking(INITIALIZE, "a negative partition", about(begin(-1))),
    asking(INITIALIZE, "a topic that does not exist", about(begin(), topic="nobody")),
    asking(INITIALIZE, "no group", about(begin(), group="")),
    asking(INITIALIZE, "no topics", {"group_id": "$g", "topics": []}),
    asking(INITIALIZE, "no partitions", about()),
    asking(READ, "what was not initialized", about(led())),
    asking(READ, "a partition that does not exist", about(led(partition=7))),
    asking(READ, "a negative partition", about(led(partition=-1))),
    asking(READ, "by a later leader, then by an earlier one", initialized(), about(led(5)), SUMMED, about(led(4)),
           about(led(5)), written((11, 12, 2, 1)), written((11, 12, 2, 1), leader_epoch=5), about(led(-1))),
    asking(READ, "no group", initialized(), about(led(), group="")),
    asking(WRITE, "rows, and rows again", initialized(), about(said((12, 13, 2, 1), (15, 19, 0, 1))),
           about(said((14, 14, 2, 1), (16, 17, 2, 2), (18, 18, 0, 0))), seen(), SUMMED),
    asking(WRITE, "a start that moves on", initialized(), about(said((10, 14, 2, 1), (17, 17, 0, 1))),
           about(said(start_offset=13)), seen(), about(said((17, 17, 4, 1), start_offset=17)), seen(), SUMMED),
    asking(WRITE, "rows before the start", initialized(), about(said((3, 12, 2, 1), start_offset=11)), seen()),
    asking(WRITE, "many times", initialized(), *(written((20 + 2 * n, 20 + 2 * n, 2, 1)) for n in range(12)),
           about(said((19, 19, 2, 1))), seen()),
    asking(WRITE, "of an earlier state epoch", initialized(), about(said((11, 11, 2, 1), state_epoch=1)), seen()),
    asking(WRITE, "of a later state epoch", initialized(), about(said((11, 11, 2, 1), state_epoch=9)), seen(), SUMMED),
    asking(WRITE, "without epochs", initialized(), seen(led(3)),
           about(said((11, 11, 2, 1), state_epoch=-1, leader_epoch=-1)), seen(led(3)), SUMMED),
    asking(WRITE, "by a later leader that never read", initialized(), about(said((11, 11, 2, 1), leader_epoch=6)),
           about(said((12, 12, 2, 1), leader_epoch=5)), SUMMED),
    asking(WRITE, "what was not initialized", about(said((11, 11, 2, 1)))),
    asking(WRITE, "a negative partition", about(said((11, 11, 2, 1), partition=-1))),
    asking(WRITE, "one good partition and one bad", initialized(), about(said((11, 11, 2, 1)), said(partition=1))),
    asking(WRITE, "no group", about(said(), group="")),
    asking(DELETE, "what is there", initialized(), written((11, 11, 2, 1)), about(of()), seen(), SUMMED),
    asking(DELETE, "what is not there", about(of())),
    asking(DELETE, "and begin again with an earlier epoch", initialized(begin(epoch=5)), about(of()),
           initialized(begin(epoch=1)), seen()),
    asking(DELETE, "a partition that does not exist", about(of(7))),
    asking(DELETE, "a negative partition", about(of(-1))),
    asking(DELETE, "no group", about(of(), group="")),
    asking(SUMMARY, "what is there", initialized(begin(), TWO), about(led(), led(partition=1))),
    asking(SUMMARY, "after a write", initialized(), written((11, 11, 2, 1), start_offset=11), about(led())),
    asking(SUMMARY, "after a write of an older broker", initialized(), written((11, 11, 2, 1)),
           Ask(about(said((12, 12, 2, 1), delivery_complete_count=-1)), api=WRITE, version=0), about(led())),
    asking(SUMMARY, "what was not initialized", about(led())),
    asking(SUMMARY, "a topic that does not exist", about(led(), topic="nobody")),
    asking(SUMMARY, "a negative partition", about(led(partition=-1))),
    situation("FindCoordinator", "a share partition", Until("FindCoordinator", 6, found(GOOD_KEY), _found),
              found(GOOD_KEY, *BAD_KEYS), versions=(6, 6)),
]  # fmt: skip
