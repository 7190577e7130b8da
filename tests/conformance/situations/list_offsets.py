"""ListOffsets: the special timestamps, lookup by time, epochs. OffsetForLeaderEpoch too, its near relative."""

from __future__ import annotations

from typing import Any

from tests.conformance.situations.fetch import delete_before
from tests.conformance.situations.produce import FIVE
from tests.conformance.table import Body, Records, Situation, Step, Topic, situation
from tests.support.batches import WHEN, Rec, batch

RISING = [Rec(b"v%d" % number, timestamp_delta=number * 10) for number in range(5)]
TIMES = [
    batch(RISING),  # offsets 0-4 at WHEN .. WHEN+40
    batch(RISING, base_timestamp=WHEN + 1_000),  # 5-9 at WHEN+1000 .. +1040
    batch(RISING, base_timestamp=WHEN + 500, codec="gzip"),  # 10-14, an earlier time again
]


def offsets(*timestamps: int, topic: str = "orders", partition: int = 0, epoch: int = -1, **more: Any) -> Body:
    partitions = [
        {"partition_index": partition + number, "timestamp": each, "current_leader_epoch": epoch}
        for number, each in enumerate(timestamps)
    ]
    return {"replica_id": -1, "topics": [{"name": f"${topic}", "partitions": partitions}], "timeout_ms": 60_000, **more}


def case(name: str, *steps: Step | Body, versions: tuple[int, int] | None = None, **configs: str) -> Situation:
    settings = {key.replace("_", "."): value for key, value in configs.items()}
    return situation(
        "ListOffsets", name, Topic("orders", 2, settings), Records("orders", TIMES), *steps, versions=versions
    )


SPECIAL = {
    "latest": -1,
    "earliest": -2,
    "max timestamp": -3,
    "earliest local": -4,
    "latest tiered": -5,
    "earliest pending upload": -6,
    "an unknown special timestamp": -7,
}
BY_TIME = {
    "the first record's time": WHEN,
    "before all": WHEN - 5_000,
    "between two records": WHEN + 15,
    "between two batches": WHEN + 100,
    "the last record of the middle batch": WHEN + 1_040,
    "a time that comes back": WHEN + 505,
    "after all": WHEN + 5_000,
    "time zero": 0,
}

LIST_OFFSETS = [
    *(case(name, offsets(stamp)) for name, stamp in SPECIAL.items()),
    *(case(f"{name} of an empty partition", offsets(stamp, partition=1)) for name, stamp in SPECIAL.items()),
    *(
        case(f"{name} after records were deleted", delete_before(7), offsets(stamp))
        for name, stamp in SPECIAL.items()
        if stamp > -7
    ),
    *(case(f"by time: {name}", offsets(stamp)) for name, stamp in BY_TIME.items()),
    case("by time below the start", delete_before(7), offsets(WHEN)),
    case(
        "by time with log append time",
        offsets(0),
        offsets(WHEN * 3),
        message_timestamp_type="LogAppendTime",
        versions=(5, 7),
    ),
    case("two partitions", offsets(-1, -1)),
    case("unknown topic", offsets(-1, topic="missing")),
    case("unknown partition", offsets(-1, partition=9)),
    case("negative partition", offsets(-1, partition=-1)),
    case(
        "a topic name that is not valid",
        {"replica_id": -1, "topics": [{"name": "a b", "partitions": [{"partition_index": 0, "timestamp": -1}]}]},
    ),
    case(
        "one partition twice",
        {
            "replica_id": -1,
            "topics": [
                {
                    "name": "$orders",
                    "partitions": [{"partition_index": 0, "timestamp": -1}, {"partition_index": 0, "timestamp": -2}],
                }
            ],
        },
    ),
    case("no topics", {"replica_id": -1, "topics": []}),
    case("a topic without partitions", offsets()),
    case("read committed", offsets(-1, isolation_level=1), offsets(-3, isolation_level=1), versions=(2, 11)),
    case(
        "an isolation level that does not exist",
        offsets(-1, -2, isolation_level=7),
        offsets(WHEN, isolation_level=2),
        offsets(-1, isolation_level=-1),
        versions=(2, 11),
    ),
    case("a debugging consumer", offsets(-1, replica_id=-2)),
    case("the right leader epoch", offsets(-1, epoch=0), versions=(4, 11)),
    case("a leader epoch from the future", offsets(-1, epoch=5), versions=(4, 11)),
    case("a leader epoch from the past", offsets(-1, epoch=-2), versions=(4, 11)),
]


def epochs(*leader_epochs: int, topic: str = "orders", partition: int = 0, current: int = -1, **more: Any) -> Body:
    partitions = [
        {"partition": partition + number, "current_leader_epoch": current, "leader_epoch": each}
        for number, each in enumerate(leader_epochs)
    ]
    return {"replica_id": -1, "topics": [{"topic": f"${topic}", "partitions": partitions}], **more}


def epoch_case(name: str, *steps: Step | Body) -> Situation:
    return situation("OffsetForLeaderEpoch", name, Topic("orders", 2), Records("orders", [batch(FIVE)]), *steps)


OFFSET_FOR_LEADER_EPOCH = [
    epoch_case("the current epoch", epochs(0)),
    epoch_case("an epoch from the future", epochs(5)),
    epoch_case("no epoch", epochs(-1)),
    epoch_case("an epoch below all", epochs(-2)),
    epoch_case("an empty partition", epochs(0, partition=1)),
    epoch_case("unknown topic", epochs(0, topic="missing")),
    epoch_case("unknown partition", epochs(0, partition=9)),
    epoch_case("the right current epoch", epochs(0, current=0)),
    epoch_case("a current epoch from the future", epochs(0, current=4)),
    epoch_case("a current epoch from the past", epochs(0, current=-2)),
    epoch_case("no topics", {"replica_id": -1, "topics": []}),
    epoch_case("a debugging consumer", epochs(0, replica_id=-2)),
]

SITUATIONS = [*LIST_OFFSETS, *OFFSET_FOR_LEADER_EPOCH]
