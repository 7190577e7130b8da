"""Damaged batches are fetched from another replica and put right, without anybody asking (RULES 21, 23).

What a scrub, a compaction or a failed send found bad is refused to readers from then on. What can be read again is
served again: a cable that was loose leaves no damage. If others keep the partition, one of them is
asked for those offsets, as a consumer asks: first the leader, then the in-sync followers, and only for what is below
the high watermark, where all have the same. Nothing else changes meanwhile: the replica stays in sync, since it has
told its leader the truth about what it had, and is whole again within seconds.

The scrub comes round once a week, and reads closed segments only. So a leader also looks at a batch that a follower
asks for again and again: whatever it was sent there it could not take.

Where the other's batches do not fit (replicas compact on their own), or cannot be written where the bad ones are, the
whole log is given up: a leader resigns first,
and the follower that it is then leaves the in-sync set, sets its log aside and fetches anew. That is done only where
somebody else is in sync; the only one in sync goes on with what it has.
"""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from typing import Final, NamedTuple, TypeVar

import structlog

from penstock.cluster import ClusterImage
from penstock.errors import Refusal, refusal_for
from penstock.log import (
    DISK_FULL,
    RepairMismatch,
    RepairTarget,
    batches_that_fit,
    convict,
    examine,
    look_again,
    mended,
    opened,
    repairs,
    suspect,
    write_into,
)
from penstock.model import BrokerId
from penstock.replication.log_port import on_disk
from penstock.replication.machine import Leader
from penstock.replication.partition import Partition
from penstock.replication.peers import Peers
from penstock.wire.batch import HEADER_SIZE, BatchHeader
from penstock.wire.malformed import Malformed
from penstock.wire.messages.fetch_request import FetchPartition, FetchRequest, FetchTopic

EVERY_S: Final = 1.0
AGAIN_AFTER_S: Final = 30.0
"""After nobody could help."""
PARTITIONS_PER_TURN: Final = 500
PIECE_BYTES: Final = 1 << 20
WOUND_BYTES_MAX: Final = 64 << 20
"""Held in memory. What is larger is given up like what does not fit."""
FETCH_VERSION: Final = 13
TIMEOUT_S: Final = 10.0
CONNECTION_NAME: Final = "mend"

_log = structlog.get_logger(__name__)
T = TypeVar("T")


class _Asked(NamedTuple):
    offset: int
    at: int
    is_known: bool
    """To be stuck there."""


class Mending:
    def __init__(
        self,
        due: Callable[[int], Sequence[Partition]],
        peers: Peers,
        image: ClusterImage,
        *,
        me: BrokerId,
        give_up: Callable[[Partition, str], bool],
    ) -> None:
        """`due` says whom to look at in which turn.

        `give_up` has a log fetched anew where somebody else is in sync, else says False.
        """
        self._due = due
        self._peers = peers
        self._image = image
        self._me = me
        self._give_up = give_up
        self._not_before: dict[tuple[bytes, int], float] = {}
        self._asked: dict[tuple[bytes, int], dict[BrokerId, _Asked]] = {}
        """Where followers were at the last look that are not in sync."""

    async def run(self) -> None:
        """Until cancelled."""
        for turn in count():
            await asyncio.sleep(EVERY_S)
            for partition, stuck_at in await self._look(turn):
                try:
                    for offset in stuck_at:
                        await self._examine(partition, offset)
                    if on_disk(partition.log).damage:
                        await self.mend(partition)
                except Exception:  # a bug, or a disk that fails: the other logs are none the worse
                    _log.exception("mending failed", partition=str(partition.topic_partition))
                    self._later(partition)

    async def _look(self, turn: int) -> list[tuple[Partition, list[int]]]:
        """Logs that are damaged, or may be, and offsets at which followers are stuck."""
        now = asyncio.get_running_loop().time()
        found, asked = [], self._asked
        self._asked = {}
        for number, partition in enumerate(self._due(turn)):
            if not number % PARTITIONS_PER_TURN:
                await asyncio.sleep(0)
            if len(partition.in_sync) >= len(partition.replicas) and not on_disk(partition.log).damage.ranges:
                continue  # nearly all, each second
            stuck_at = self._stuck_at(partition, asked.get(_key(partition), {}))
            if (stuck_at or on_disk(partition.log).damage) and self._not_before.get(_key(partition), 0.0) <= now:
                found.append((partition, stuck_at))
        return found

    def _stuck_at(self, partition: Partition, before: dict[BrokerId, "_Asked"]) -> list[int]:
        """Where followers have asked again since the last look; told once. Whoever is away asks for nothing."""
        role, log = partition.role, partition.log
        if len(partition.in_sync) >= len(partition.replicas) or not isinstance(role, Leader):
            return []
        stuck_at = []
        places = self._asked[_key(partition)] = {}
        for broker in partition.replicas:
            progress = None if broker in partition.in_sync else role.progress_of(broker)
            if progress is None:
                continue
            was, is_known = before.get(broker), False
            if was is not None and was.offset == progress.end:
                is_known = was.is_known or was.at < progress.fetched_at
                if is_known and not was.is_known and log.start_offset <= progress.end < log.end_offset:
                    stuck_at.append(progress.end)
            places[broker] = _Asked(progress.end, progress.fetched_at, is_known)
        return stuck_at

    async def _examine(self, partition: Partition, offset: int) -> None:
        log = on_disk(partition.log)
        try:
            suspected = suspect(log, offset)
            bad = [] if suspected is None else await asyncio.to_thread(examine, suspected)
        except (Refusal, FileNotFoundError):
            return  # known already, or deleted meanwhile
        if suspected is not None and partition.log is log:
            convict(suspected, bad)

    def _later(self, partition: Partition) -> None:
        self._not_before[_key(partition)] = asyncio.get_running_loop().time() + AGAIN_AFTER_S

    async def mend(self, partition: Partition) -> None:
        """Everything in this log that is known to be bad, as far as others can help."""
        self._not_before.pop(_key(partition), None)
        log = on_disk(partition.log)
        if log.trouble is not None and log.trouble.stops_reads:
            return  # it will be fetched anew as a whole
        if log.trouble is None and log.damage.is_known_in(log.active.base_offset):
            log.rolling.roll()  # what is appended to cannot be written into
        await look_again(log)
        for repair in repairs(log):
            if partition.log is not log or not repair.is_current:
                return
            if not await self._mend(partition, repair):
                self._later(partition)
                return

    async def _mend(self, partition: Partition, repair: RepairTarget) -> bool:
        name = str(partition.topic_partition)
        if repair.next_base > partition.high_watermark or repair.known.first_offset < repair.log.start_offset:
            return False  # not everybody's yet, or about to be deleted
        misfit: str | None = None
        for broker in self._others(partition):
            try:
                if await self._mend_from(broker, partition, repair):
                    return True
            except RepairMismatch as error:
                misfit = str(error)
            except (Refusal, Malformed, OSError) as error:
                _log.warning("no help with damage", partition=name, broker=broker, reason=str(error))
        if misfit is not None and repair.is_current:
            _log.error("damaged batch cannot be mended", partition=name, reason=misfit)
            return self._give_up(partition, f"the batch at {repair.known.first_offset} is damaged, and {misfit}")
        return False

    def _others(self, partition: Partition) -> list[BrokerId]:
        """Who has what this replica lacks; the leader has the last word."""
        others = [broker for broker in partition.in_sync if broker not in (self._me, partition.leader)]
        leader = [partition.leader] if partition.leader not in (self._me, -1) else []
        return [broker for broker in (*leader, *others) if broker in self._image.brokers]

    async def _mend_from(self, broker: BrokerId, partition: Partition, repair: RepairTarget) -> bool:
        with opened(repair) as fd:
            fitting = await self._find_fitting(broker, partition, repair, fd)
            if fitting is None or not repair.is_current:
                return False
            try:
                left = await _to_the_end(partial(write_into, repair, fd, fitting))
            except OSError as error:
                if error.errno in DISK_FULL:
                    raise
                # What was written may be in memory alone, and look sound from now on (RULES 20).
                raise RepairMismatch(f"nothing can be written there: {error}") from error
            if repair.is_current:
                mended(repair, left)
        _log.warning(
            "damaged batch mended",
            partition=str(partition.topic_partition),
            first_offset=repair.known.first_offset,
            size_bytes=len(fitting),
            broker=broker,
        )
        return True

    async def _find_fitting(
        self, broker: BrokerId, partition: Partition, repair: RepairTarget, fd: int
    ) -> bytes | None:
        """Batches of another replica that fill the damaged range; None where it has not all of them to give."""
        sent = b""
        while len(sent) < WOUND_BYTES_MAX:
            piece = await self._fetch(broker, partition, _end_of(sent, repair.known.first_offset))
            if not piece:
                return None  # its high watermark is behind ours
            sent += piece
            fitting = await asyncio.to_thread(batches_that_fit, repair, fd, sent)
            if fitting is not None:
                return fitting
        raise RepairMismatch(f"more than {WOUND_BYTES_MAX} bytes are not as another replica has them")

    async def _fetch(self, broker: BrokerId, partition: Partition, offset: int) -> bytes:
        """Whole batches from an offset on, as a consumer gets them; empty where there are none yet."""
        wanted = FetchPartition(partition=partition.index, fetch_offset=offset, partition_max_bytes=PIECE_BYTES)
        request = FetchRequest(
            max_wait_ms=0,
            min_bytes=1,
            max_bytes=PIECE_BYTES,
            topics=[FetchTopic(topic_id=partition.topic_id, partitions=[wanted])],
        )
        answer = await self._peers.ask(
            broker, request, version=FETCH_VERSION, timeout_s=TIMEOUT_S, connection_name=CONNECTION_NAME
        )
        if answer.error_code:
            raise refusal_for(answer.error_code)(f"broker {broker} says so")
        (row,) = answer.responses[0].partitions
        if row.error_code:
            raise refusal_for(row.error_code)(f"broker {broker} says so")
        return _whole_batches(bytes(row.records or b""))


async def _to_the_end(write: Callable[[], T]) -> T:
    """In a thread, which a stop waits for too: once its descriptor is let go, another file may have the number."""
    writing = asyncio.get_running_loop().run_in_executor(None, write)
    try:
        await asyncio.wait([writing])
    finally:
        await asyncio.wait([writing])
    return writing.result()


def _key(partition: Partition) -> tuple[bytes, int]:
    return partition.topic_id, partition.index


def _whole_batches(records: bytes) -> bytes:
    """Without the batch that is cut short at the end."""
    position = 0
    while len(records) - position >= HEADER_SIZE:
        size = BatchHeader.peek(records, position).size
        if not HEADER_SIZE <= size <= len(records) - position:
            break
        position += size
    return records[:position]


def _end_of(batches: bytes, first_offset: int) -> int:
    """Where to ask on: after the last batch."""
    position, offset = 0, first_offset
    while position < len(batches):
        header = BatchHeader.peek(batches, position)
        position, offset = position + header.size, header.next_offset
    return offset
