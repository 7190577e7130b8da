"""What share groups keep, in memory: stands in for the share coordinator where nothing but its promises matters."""

import asyncio
from collections.abc import Sequence

from penstock.coordinators.shares.states import SharePartitionKey, ShareState, ShareSummary, StateBatch, newer_relay
from penstock.delivery.shares.archiving import kept_batch
from penstock.delivery.shares.ranges import STATE_BITS, Row, add_row
from penstock.errors import FencedLeaderEpoch, FencedStateEpoch, Refusal


class Kept:
    def __init__(self) -> None:
        self.state_epoch = 0
        self.leader_epoch = -1
        self.start_offset = -1
        self.done = -1
        self.cells: dict[int, tuple[int, int]] = {}
        """States and delivery counts; a state has why in it, see delivery/shares/archiving.py."""
        self.relay = b""
        self.waits: dict[int, int] = {}

    def batches(self) -> list[StateBatch]:
        """Neighbours that agree are one."""
        rows: list[Row] = []
        for offset in sorted(self.cells):
            if offset >= self.start_offset:
                add_row(rows, offset, offset, *self.cells[offset], self.waits.get(offset, 0))
        return [kept_batch(row, int(row[4])) for row in rows]


class StatesInMemory:
    """Keeps what it is told when it is told, unless a test holds writes back or has them refused."""

    def __init__(self) -> None:
        self.kept: dict[SharePartitionKey, Kept] = {}
        self.refusal: Refusal | None = None
        self.gate = asyncio.Event()
        self.gate.set()
        self.writes = 0

    def of(self, key: SharePartitionKey) -> Kept:
        return self.kept.setdefault(key, Kept())

    async def initialize(self, key: SharePartitionKey, *, state_epoch: int, start_offset: int) -> None:
        kept = self.kept[key] = Kept()
        kept.state_epoch, kept.start_offset = state_epoch, start_offset

    async def read(self, key: SharePartitionKey, *, leader_epoch: int) -> ShareState:
        await self.gate.wait()
        kept = self._owned(key, leader_epoch)
        return ShareState(kept.state_epoch, kept.start_offset, kept.batches(), kept.relay)

    async def write(
        self,
        key: SharePartitionKey,
        *,
        state_epoch: int,
        leader_epoch: int,
        start_offset: int,
        delivery_complete_count: int,
        batches: Sequence[StateBatch],
        relay: bytes = b"",
    ) -> None:
        await self.gate.wait()
        kept = self._owned(key, leader_epoch)
        if state_epoch != kept.state_epoch:
            raise FencedStateEpoch
        self.writes += 1
        kept.start_offset = max(kept.start_offset, start_offset)
        kept.done = delivery_complete_count
        kept.relay = newer_relay(kept.relay, relay)
        for each in batches:
            for offset in range(each.first_offset, each.last_offset + 1):
                state, count = kept.cells.get(offset, (0, 0))
                standing = count, state & STATE_BITS, kept.waits.get(offset, 0), state >> 4
                if each.standing > standing:
                    kept.cells[offset] = each.delivery_state | each.dead_letter_reason << 4, each.delivery_count
                    kept.waits[offset] = each.not_before_ms

    async def summary(self, key: SharePartitionKey, *, leader_epoch: int) -> ShareSummary:
        kept = self.of(key)
        return ShareSummary(kept.state_epoch, kept.leader_epoch, kept.start_offset, kept.done)

    async def delete(self, key: SharePartitionKey) -> None:
        self.kept.pop(key, None)

    def _owned(self, key: SharePartitionKey, leader_epoch: int) -> Kept:
        if self.refusal is not None:
            raise self.refusal
        kept = self.of(key)
        if leader_epoch < kept.leader_epoch:
            raise FencedLeaderEpoch
        kept.leader_epoch = leader_epoch
        return kept
