"""A batch whose ids are known, in front of its log: appended without those that are duplicates."""

from collections.abc import Sequence
from typing import Final, Protocol

import structlog

from penstock.delivery.dedup.ids import BatchIds, IdRule, without
from penstock.delivery.dedup.machine import IdTable
from penstock.delivery.dedup.metrics import DedupMetrics
from penstock.errors import NotEnoughReplicas, NotLeaderOrFollower
from penstock.model import Clock
from penstock.replication import Appended, Partition, append_note
from penstock.replication.verification import VerificationGuard
from penstock.wire.batch import BatchHeader

SAYS_EVERY_MS: Final = 60_000

_log = structlog.get_logger(__name__)


class TableKeeper(Protocol):
    clock: Clock
    metrics: DedupMetrics
    rule: IdRule
    said_shrunk_at: int

    def ready_table(self) -> IdTable:
        """Level with the log; a Refusal while it is not."""


class PreparedBatch:
    __slots__ = ("_guess", "_keeper", "_partition", "_rule", "ids", "view")

    def __init__(
        self, keeper: TableKeeper, partition: Partition, view: memoryview, ids: BatchIds, rule: IdRule
    ) -> None:
        self.view = view
        self.ids = ids
        self._keeper = keeper
        self._partition = partition
        self._rule = rule
        self._guess: tuple[IdTable, int, Sequence[int], memoryview] | None = None
        """A table and its changes, which places are duplicates then, and what is left."""

    def guess(self, table: IdTable) -> None:
        """In a thread: have the batch at hand that will be appended, if nothing happens meanwhile."""
        changes = table.changes
        duplicates = table.find_duplicates(self.ids.digests)
        self._guess = (table, changes, duplicates, self._without(duplicates) if duplicates else self.view)

    def append(self, *, acks: int, guard: VerificationGuard | None) -> Appended:
        partition, keeper = self._partition, self._keeper
        if not partition.is_leader:
            raise NotLeaderOrFollower(f"{partition.topic_partition} is led by broker {partition.leader}")
        if partition.trouble is not None:
            return partition.append(self.view, acks=acks, guard=guard, is_opened=True)  # which takes nothing new
        table = keeper.ready_table()
        if self._rule != keeper.rule:
            raise NotEnoughReplicas(f"the ids of {partition.topic_partition} are other ones by now")
        now, start = keeper.clock.now(), partition.start_offset
        if table.mark_due(now, start=start):
            mark = table.next_mark(now, start=start)
            marked = append_note(partition, mark.encode(), acks=acks)
            table.mark(mark)
            table.end = marked.next_offset
        header = BatchHeader.peek(self.view)
        producer_id = header.producer_id if header.is_transactional else -1
        digests, deltas = self.ids.digests, self.ids.deltas
        duplicates, view = self._decide(table, producer_id)
        base_offset = partition.end_offset
        appended = partition.append(view, acks=acks, guard=guard, is_opened=True)
        if partition.end_offset > base_offset:  # not so if an idempotent producer sent it again
            if duplicates:
                gone = set(duplicates)
                kept = [place for place in range(len(digests)) if place not in gone]
                digests, deltas = [digests[place] for place in kept], [deltas[place] for place in kept]
                keeper.metrics.duplicates += len(duplicates)
            table.add(digests, [base_offset + delta for delta in deltas], producer_id=producer_id)
            table.end = partition.end_offset
            if table.effective_window_ms < table.window_ms:
                self._say_shrunk(table, now)
        return appended

    def _decide(self, table: IdTable, producer_id: int) -> tuple[Sequence[int], memoryview]:
        """Which are duplicates, and what is left."""
        guess = self._guess
        if guess is not None and producer_id < 0 and guess[0] is table and guess[1] == table.changes:
            return guess[2], guess[3]
        duplicates = table.find_duplicates(self.ids.digests, producer_id=producer_id)
        if guess is not None and duplicates == guess[2]:
            return duplicates, guess[3]
        return duplicates, self._without(duplicates) if duplicates else self.view

    def _without(self, duplicates: Sequence[int]) -> memoryview:
        ids, rules = self.ids, self._partition.rules
        level = rules.target_level if rules.target_codec == BatchHeader.peek(self.view).compression else None
        drop = {ids.places[each] for each in duplicates}
        return memoryview(without(self.view, ids, drop, level=level))

    def _say_shrunk(self, table: IdTable, now: int) -> None:
        keeper = self._keeper
        if abs(now - keeper.said_shrunk_at) >= SAYS_EVERY_MS:
            keeper.said_shrunk_at = now
            _log.warning(
                "more ids than penstock.dedup.ids.max: the oldest do not count any more",
                partition=str(self._partition.topic_partition),
                ids_max=table.ids_max,
                window_ms=table.window_ms,
                window_effective_ms=table.effective_window_ms,
            )
