"""What waits in a schedule topic, worked out from its log as a broker does: what waits is a function of the log."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

import click

from penstock.cli.client import Cluster
from penstock.cli.exits import Failure, NotFound
from penstock.cli.topic.facts import topic_settings
from penstock.client import Client, Resource, ResourceType
from penstock.delivery.schedules.plan import SCHEDULE_ID, Delay
from penstock.delivery.schedules.reading import aborted_batches, batches_in, notes_in, plans_in
from penstock.delivery.schedules.refs import decode as decode_refs
from penstock.delivery.schedules.retries import RetryRules
from penstock.delivery.schedules.retry_groups import RULES, rules_from
from penstock.delivery.schedules.state import ScheduleState
from penstock.errors import refusal_for
from penstock.model import PartitionIndex, TopicPartition
from penstock.settings import Config
from penstock.settings.topic import PENSTOCK_RETRY_GROUP, PENSTOCK_SCHEDULE_DELAY_MS, PENSTOCK_SCHEDULE_TARGET
from penstock.wire.api import ApiKey
from penstock.wire.messages.fetch_request import FetchPartition, FetchRequest, FetchTopic
from penstock.wire.messages.fetch_response import PartitionData
from penstock.wire.records import Record, iterate

FETCH_BYTES: Final = 4 * 1024 * 1024
FETCH_VERSION: Final = 12
"""The last that names topics."""
READ_COMMITTED: Final = 1
EARLIEST: Final = -2

topic_argument = click.argument("topic")


@dataclass(frozen=True)
class Waiting:
    partition: int
    due_ms: int
    record: Record
    is_recurring: bool

    @property
    def id(self) -> str | None:
        return next((_text(value) for name, value in self.record.headers if name == SCHEDULE_ID), None)

    @property
    def due(self) -> str:
        return when(self.due_ms)


@dataclass
class PartitionState:
    """One partition of a schedule topic, up to the end of what is committed."""

    partition: int
    start_offset: int = 0
    end_offset: int = 0
    on_the_way: int = 0
    waiting: list[Waiting] = field(default_factory=list)


def when(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode(errors="backslashreplace")


def read_topic(cluster: Cluster, topic: str, only: int | None = None) -> list[PartitionState]:
    """Every partition, or one. A Failure where it is no schedule topic."""
    delay = _delay_of(cluster, topic)
    with cluster.doing(f"read {topic}") as client:
        client.run(client.core.need_topics([topic]))
        indexes = sorted(client.core.metadata.topics[topic].partitions)
        if only is not None and only not in indexes:
            raise NotFound(f"{topic} has no partition {only}: it has 0 to {indexes[-1]}")
        return [_read_partition(client, topic, index, delay) for index in indexes if only in (None, index)]


def _delay_of(cluster: Cluster, topic: str) -> Delay:
    settings = {each.name: each.value for each in topic_settings(cluster, [topic])[topic]}
    if not settings.get(PENSTOCK_SCHEDULE_TARGET.name):
        raise Failure(f"{topic} is no schedule topic: it has no {PENSTOCK_SCHEDULE_TARGET.name}")
    group = settings.get(PENSTOCK_RETRY_GROUP.name)
    return rules_of(cluster, group) if group else int(settings.get(PENSTOCK_SCHEDULE_DELAY_MS.name) or -1)


def rules_of(cluster: Cluster, group: str) -> RetryRules:
    resource = Resource(ResourceType.GROUP, group)
    found = cluster.value(
        cluster.client().describe_configs([resource])[resource], doing=f"read the settings of {group}"
    )
    given = {name: each.value for name, each in found.items() if each.value is not None}
    return rules_from(Config.for_broker().for_group({name: given[name] for name in RULES if name in given}), group)


def _read_partition(client: Client, topic: str, index: int, delay: Delay) -> PartitionState:
    """Notes first, as a broker does: so nothing is kept that has long been fired."""
    pieces = list(_pieces(client, topic, index))
    state = PartitionState(index)
    if not pieces:
        return state
    state.start_offset, state.end_offset = pieces[0][1], pieces[-1][1]
    known = ScheduleState(state.start_offset, 0)
    machine = known.machine
    for data, start, _ in pieces:
        for position, content in notes_in(data, start)[0]:
            known.replay(content, position)
    state.on_the_way = sum(len(decode_refs(refs)) for refs in known.relay.open_refs())
    for data, start, transactions in pieces:
        aborted = aborted_batches(data, transactions)
        for planned in plans_in(data, aborted, start=start, delay=delay)[0]:
            known.take(planned)
        state.end_offset = max([state.end_offset, *(header.next_offset for header, _ in batches_in(data))])
    due = {offset: at for at, offset in machine.wheel.all() if machine.is_waiting(at, offset)}
    for data, _, _ in pieces:
        for header, batch in batches_in(data):
            if not header.is_control:
                for record in iterate(batch):
                    if record.offset in due:
                        recurring = record.offset in machine.recurring
                        state.waiting.append(Waiting(index, due[record.offset], record, recurring))
    state.waiting.sort(key=lambda each: (each.due_ms, each.record.offset))
    return state


Piece = tuple[bytes, int, list[tuple[int, int]]]
"""Batches, the offset that they were read from, and the aborted transactions among them."""


def _pieces(client: Client, topic: str, index: int) -> Iterator[Piece]:
    at = TopicPartition(topic, PartitionIndex(index))
    offset = _begin(client, at)
    while True:
        told = _fetch(client, at, offset)
        data = _whole(bytes(told.records or b""))
        if not data:
            return
        yield data, offset, [(each.producer_id, each.first_offset) for each in told.aborted_transactions or ()]
        offset = max(header.next_offset for header, _ in batches_in(data))


def _begin(client: Client, at: TopicPartition) -> int:
    found = client.list_offsets({at: EARLIEST})[at]
    if isinstance(found, Exception):
        raise found
    return found.offset


def _fetch(client: Client, at: TopicPartition, offset: int) -> PartitionData:
    part = FetchPartition(at.partition, -1, offset, partition_max_bytes=FETCH_BYTES)
    request = FetchRequest(
        max_wait_ms=0,
        min_bytes=0,
        max_bytes=FETCH_BYTES,
        isolation_level=READ_COMMITTED,
        topics=[FetchTopic(at.topic, partitions=[part])],
    )
    core = client.core
    answer = client.run(core.ask(core.metadata.leader_of(at), request, api_key=ApiKey.FETCH, at_most=FETCH_VERSION))
    told: PartitionData = answer.responses[0].partitions[0]
    if told.error_code:
        raise refusal_for(told.error_code)(f"{at}")
    return told


def _whole(data: bytes) -> bytes:
    """Without a batch that was cut off at the end."""
    end = 0
    while end + 12 <= len(data):
        size = 12 + int.from_bytes(data[end + 8 : end + 12], "big")
        if end + size > len(data):
            break
        end += size
    return data[:end]
