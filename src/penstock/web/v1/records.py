"""Records of a topic: written with a say in who must have them, read from a place with a cursor for what comes next."""

import asyncio
from enum import Enum
from typing import Annotated, Any, Final

import msgspec
from litestar import Controller, Response, get, post
from litestar.openapi import ResponseSpec
from litestar.params import PathParameter, QueryParameter
from msgspec import Meta

from penstock.client import AsyncClient, ConsumedRecord, OffsetRange, Resource, ResourceType, Sent, place
from penstock.client.outcomes import one
from penstock.client.records.fetched import Fetched
from penstock.errors import OffsetOutOfRange, Refusal
from penstock.model import TopicPartition
from penstock.web.clients import Login
from penstock.web.options import WebOptions
from penstock.web.places import CURSOR, CURSOR_MAX, EARLIEST, FORMS, Begin, begin_of
from penstock.web.problems import Problem, of_refusal, of_several
from penstock.web.record_json import NewRecord, ReadRecord, as_read, to_send

MIN_IN_SYNC: Final = "min.insync.replicas"
RECORD_BYTES: Final = 2 * 1024
"""What is asked of a broker for each record that is wanted. Where records are larger, a page has fewer of them."""
READ_BYTES_MIN: Final = 64 * 1024
LOOK_AGAIN_S: Final = 0.5
"""A leader that has nothing may hold up the others' news for so long."""


class Acks(Enum):
    LEADER = "leader"
    QUORUM = "quorum"
    ALL = "all"


class Produce(msgspec.Struct, forbid_unknown_fields=True):
    records: Annotated[list[NewRecord], Meta(min_length=1)]
    acks: Acks = Acks.ALL
    """Who must have a record before it counts: its leader, all in-sync replicas, or those where they are a majority."""


class Outcome(msgspec.Struct, omit_defaults=True):
    """Where a record was written, or the problem it met. An offset of -1: an earlier attempt had written it."""

    partition: int
    offset: int | None = None
    problem: dict[str, Any] | None = None


class Produced(msgspec.Struct):
    topic: str
    records: list[Outcome]
    """In the order of the request."""


class Page(msgspec.Struct):
    topic: str
    records: list[ReadRecord]
    """In order within each partition."""
    next: str
    """The cursor for what comes after these."""


Start = Annotated[str, QueryParameter(name="from", description=FORMS, max_length=CURSOR_MAX, pattern=CURSOR)]
TopicName = Annotated[str, PathParameter(description="A topic's name", max_length=249)]


class Records(Controller):
    path = "/topics/{topic:str}/records"

    @post(status_code=200, responses={207: ResponseSpec(Produced, description="Some were written")})
    async def produce(self, login: Login, options: WebOptions, topic: TopicName, data: Produce) -> Response[Produced]:
        """Write records. 200: all are written; 207: some are, and each says what became of it."""
        if len(data.records) > options.records_max:
            raise Problem(
                413, "too-many-records", f"{len(data.records)} records; at most {options.records_max} at once"
            )
        records = [to_send(each, f"records[{i}]") for i, each in enumerate(data.records)]
        if data.acks is Acks.QUORUM:
            await require_quorum(login.client, topic)
        sents = await send(login, topic, records, acks=1 if data.acks is Acks.LEADER else -1)
        outcomes = [outcome_of(each) for each in sents]
        problems = [each.problem for each in outcomes if each.problem is not None]
        if len(problems) < len(outcomes):
            return Response(Produced(topic, outcomes), status_code=207 if problems else 200)
        raise of_several(problems, records=outcomes)

    @get()
    async def read(
        self, login: Login, options: WebOptions, topic: TopicName,
        start: Start = EARLIEST,
        partition: Annotated[int, QueryParameter(ge=0, le=0x7FFFFFFF)] | None = None,
        at_most: Annotated[int, QueryParameter(name="max", ge=1, description="Records at most")] = 100,
        wait_ms: Annotated[int, QueryParameter(ge=0, description="How long to wait for a first record")] = 0,
        as_json: Annotated[bool, QueryParameter(description="Show values that are JSON as such")] = False,
        committed: Annotated[bool, QueryParameter(description="Leave out open and aborted transactions")] = True,
    ) -> Page:  # fmt: skip
        """Read records from a place on. Nothing is kept here between requests: give back `next` for what follows."""
        begin = await begin_of(login.client, topic, start, partition)
        records, offsets = await _read(
            login, begin, min(at_most, options.records_max), min(wait_ms, options.wait_ms_max) / 1000,
            fetch_bytes=min(options.read_bytes_max, max(at_most * RECORD_BYTES, READ_BYTES_MIN)),
            read_committed=committed,
        )  # fmt: skip
        return Page(topic, [as_read(each, as_json=as_json) for each in records], begin.cursor(offsets))


# Writing ------------------------------------------------------------------------------------------------------------


async def send(login: Login, topic: str, records: list[dict[str, Any]], *, acks: int) -> list[Sent]:
    """What became of each record. Problem 503: too much waits to be written already."""
    known = login.client.core.metadata.topics.get(topic)
    named = {each["partition"] for each in records} - {None}
    if known is None or not named <= known.partitions.keys():  # others may have added partitions
        one(await login.client.describe_topics([topic]))
    sents = await login.producer(acks).send_apart(topic, records)
    if sents is None:
        raise Problem(
            503, "producer-full", "Too much waits to be written: send it again later", headers={"retry-after": "1"}
        )
    return sents


def outcome_of(sent: Sent) -> Outcome:
    try:
        written = sent.value()
    except Refusal as refusal:
        return Outcome(sent.place.partition, problem=of_refusal(refusal))
    return Outcome(written.partition, written.offset)


async def require_quorum(client: AsyncClient, topic: str) -> None:
    """acks=all is a quorum only where the in-sync set cannot shrink below a majority."""
    info = one(await client.describe_topics([topic]))
    resource = Resource(ResourceType.TOPIC, topic)
    found = one(await client.describe_configs([resource], names=[MIN_IN_SYNC]))
    least = int(found[MIN_IN_SYNC].value or 1)
    replicas = max(len(each.replicas) for each in info.partitions.values())
    if 2 * least <= replicas:
        raise Problem(
            409, "no-quorum",
            f"{MIN_IN_SYNC} of {topic} is {least} of {replicas} replicas, no majority: raise it, or ask for acks=all",
        )  # fmt: skip


# Reading ------------------------------------------------------------------------------------------------------------


async def _read(
    login: Login, begin: Begin, at_most: int, wait_s: float, **settings: Any
) -> tuple[list[ConsumedRecord], dict[int, int]]:
    """Records, as soon as there are some, and where reading goes on."""
    topic, offsets = begin.topic.name, dict(begin.offsets)
    loop = asyncio.get_running_loop()
    end_s = loop.time() + wait_s
    settings["partition_bytes"] = settings["fetch_bytes"]
    fetch_wait_s = 0.0
    with login.connection() as name:
        while True:
            positions = {place(topic, each): offset for each, offset in offsets.items()}
            found = await login.client.fetch_once(
                positions, connection_name=name, fetch_wait_s=fetch_wait_s, **settings
            )
            if any(isinstance(each, OffsetOutOfRange) for each in found.values()):
                await _refuse_gone(login.client, begin, positions)
            records = _shared_out(found.all(), at_most, turn=sum(offsets.values()))
            offsets |= {where.partition: each.position for where, each in found.done.items()}
            left_s = end_s - loop.time()
            if records or left_s <= 0:
                return records, offsets
            fetch_wait_s = min(left_s, LOOK_AGAIN_S)


def _shared_out(found: dict[TopicPartition, Fetched], at_most: int, *, turn: int) -> list[ConsumedRecord]:
    """A partition that always has more than enough must not keep the others from being read: each has a share, and as
    shares may be fewer than partitions, each is the first at times.
    """
    order = sorted(found)
    first = turn % len(order)
    order = order[first:] + order[:first]
    records: list[ConsumedRecord] = []
    for share in (max(at_most // len(order), 1), at_most):
        for where in order:
            records += found[where].take(min(share, at_most - len(records)))
    return sorted(records, key=lambda each: (each.partition, each.offset))


async def _refuse_gone(client: AsyncClient, begin: Begin, positions: dict[TopicPartition, int]) -> None:
    ranges: dict[TopicPartition, OffsetRange] = (await client.offset_ranges(positions)).all()
    gone = {where: each for where, each in ranges.items() if not each.begin <= positions[where] <= each.end}
    if not gone:
        raise Problem(503, "moving", "The partition was cut or is moving: ask again", headers={"retry-after": "1"})
    where, held = min(gone.items())
    nearest: dict[int, int] = {
        each.partition: min(max(offset, ranges[each].begin), ranges[each].end) for each, offset in positions.items()
    }
    before = positions[where] < held.begin
    raise Problem(
        410 if before else 416, "records-gone" if before else "beyond-the-end",
        f"Partition {where.partition} holds {held.begin} to {held.end}, and not {positions[where]}; `nearest` is a "
        "cursor for what it holds",
        nearest=begin.cursor(nearest),
    )  # fmt: skip
