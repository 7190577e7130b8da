"""Writes transaction markers to the partitions that this broker leads, for coordinators here and elsewhere.

A marker in `__consumer_offsets` also decides what becomes of the offsets that were committed within its transaction, so
the group coordinator writes it. A marker counts as written when the high watermark has passed it. That a producer has a
later epoch is told then too: whoever is told so sends no marker, and the one that was there before may be all there is.
"""

import asyncio
from collections.abc import Awaitable, Sequence
from typing import Any, Protocol

import msgspec
import structlog

from penstock.cluster import CONSUMER_OFFSETS
from penstock.errors import (
    InvalidProducerEpoch,
    Refusal,
    RequestTimedOut,
    UnknownServerError,
    UnknownTopicOrPartition,
)
from penstock.model import TopicPartition
from penstock.replication import ALL, Appended, Partition, Partitions
from penstock.settings import Config
from penstock.settings.broker import REQUEST_TIMEOUT_MS
from penstock.wire.markers import Marker

AT_ONCE = 100
"""Markers between two turns of the loop: a few milliseconds of writing."""

_log = structlog.get_logger(__name__)

Outcomes = dict[TopicPartition, Refusal | None]


class MarkerEntry(msgspec.Struct, frozen=True):
    """The end of one producer's transaction, and the partitions that are to be told."""

    marker: Marker
    producer_id: int
    producer_epoch: int
    transaction_version: int
    partitions: Sequence[TopicPartition]


class CommittedOffsets(Protocol):
    """The group coordinator, which `__consumer_offsets` belongs to."""

    def complete_transaction(
        self, index: int, marker: Marker, /, *, producer_id: int, producer_epoch: int, transaction_version: int
    ) -> Awaitable[object]:
        """Write the marker and let the transaction's offsets count, or not; done when that is replicated."""


class MarkerWriter:
    def __init__(self, partitions: Partitions, offsets: CommittedOffsets, config: Config) -> None:
        self._partitions = partitions
        self._offsets = offsets
        self._config = config

    async def write(self, entries: Sequence[MarkerEntry]) -> list[Outcomes]:
        """Write all markers; what became of each partition, entry by entry. Those for one partition keep their order.

        All are appended before the first is waited for, in turns if they are many.
        """
        written: list[dict[TopicPartition, asyncio.Future[Any] | Refusal | None]] = []
        begun = 0
        for entry in entries:
            outcomes: dict[TopicPartition, asyncio.Future[Any] | Refusal | None] = {}
            for partition in dict.fromkeys(entry.partitions):  # one that is named twice is told once
                if begun and begun % AT_ONCE == 0:
                    await asyncio.sleep(0)
                outcomes[partition] = self._begin(entry, partition)
                begun += 1
            written.append(outcomes)
        waiting = {future for outcomes in written for future in outcomes.values() if isinstance(future, asyncio.Future)}
        if waiting:
            await asyncio.wait(waiting, timeout=self._config[REQUEST_TIMEOUT_MS] / 1000)
        return [{partition: _outcome(began) for partition, began in outcomes.items()} for outcomes in written]

    def _begin(self, entry: MarkerEntry, at: TopicPartition) -> "asyncio.Future[Any] | Refusal | None":
        try:
            if at.topic == CONSUMER_OFFSETS:
                return asyncio.ensure_future(
                    self._offsets.complete_transaction(
                        at.partition,
                        entry.marker,
                        producer_id=entry.producer_id,
                        producer_epoch=entry.producer_epoch,
                        transaction_version=entry.transaction_version,
                    )
                )
            return self._append(entry, at)
        except Refusal as refusal:
            return refusal
        except Exception as bug:
            return _bug(bug)

    def _append(self, entry: MarkerEntry, at: TopicPartition) -> "asyncio.Future[Any] | None":
        partition = self._partitions.get(at.topic, at.partition)
        if partition is None:
            raise UnknownTopicOrPartition(f"{at} is not here")
        try:
            appended = partition.transactions.append_marker(
                entry.marker,
                producer_id=entry.producer_id,
                producer_epoch=entry.producer_epoch,
                transaction_version=entry.transaction_version,
            )
        except InvalidProducerEpoch as refusal:
            return _once_replicated(partition, refusal)
        pending = partition.acknowledged(appended, acks=ALL)
        return None if pending is None else asyncio.ensure_future(pending)


def _once_replicated(partition: Partition, refusal: Refusal) -> "asyncio.Future[Any]":
    end_offset = partition.end_offset
    rests_on = Appended(end_offset, end_offset, -1, partition.start_offset)
    pending = partition.acknowledged(rests_on, acks=ALL)

    async def refuse() -> None:
        if pending is not None:
            await pending
        raise refusal

    return asyncio.ensure_future(refuse())


def _outcome(began: "asyncio.Future[Any] | Refusal | None") -> Refusal | None:
    if began is None or isinstance(began, Refusal):
        return began
    if not began.done():
        began.cancel()  # the waiting, not the marker
        return RequestTimedOut("The marker was written and is not replicated yet")
    error = began.exception()
    if error is None:
        return None
    return error if isinstance(error, Refusal) else _bug(error)


def _bug(error: BaseException) -> Refusal:
    _log.error("marker not written", exc_info=error)
    return UnknownServerError()
