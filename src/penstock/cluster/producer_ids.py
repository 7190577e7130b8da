"""Producer ids for this broker to give out, fetched from the metadata in blocks.

One of several brokers keeps a spare block, fetched at the start and again whenever one is begun: with the metadata
store away, new producers still get ids (RULES 52). Blocks are in memory only: what is left of one when the process ends
is never given out, so that no copy of a data folder and no second process can give an id twice.

A spare is fetched before anybody can know whether the store was taken back in time: a broker that starts later may have
the logs that show it. So the first block of a process leaves out more ids than were ever given out in between. What
such a store has given out already lies below, and all that it gives out from then on lies above.
"""

import asyncio
from collections.abc import Callable, Collection

import structlog

from penstock.cluster.controller import Controller
from penstock.cluster.image.image import ClusterImage
from penstock.cluster.keys import Keys
from penstock.cluster.membership import joining
from penstock.errors import CoordinatorLoadInProgress, CoordinatorNotAvailable, Refusal
from penstock.metastore import Metastore, MetastoreError

BLOCK_SIZE = 1_000
"""Ids asked for at a time, as in Kafka."""
LEFT_OUT_AT_START = 1 << 32
"""Far more than the producers that come to a cluster between a backup and now; 63 bits are enough for 2,000 million
starts.
"""
RETRY_AFTER_S = 1.0

NO_BLOCK = range(0)

_log = structlog.get_logger(__name__)


class ProducerIds:
    def __init__(
        self, controller: Controller, image: ClusterImage, metastore: Metastore, keys: Keys, *, left_out: int = 0
    ) -> None:
        """`left_out`: so many ids before the first block."""
        self._controller = controller
        self._image = image
        self._metastore = metastore
        self._keys = keys
        self._left = NO_BLOCK
        self._spare = NO_BLOCK
        self._fetching = asyncio.Lock()
        self._spare_wanted = asyncio.Event()
        self._to_leave_out = left_out
        self._above = 0
        """Ids below may be in use, whatever the store says."""

    async def next(self) -> int:
        """One that no producer was ever given before."""
        while not self._has_one():  # others may have used the block up by the time it is our turn
            try:
                await self._fetch(lambda: not self._has_one())
            except Refusal as refusal:
                _log.warning("no producer id to give out", reason=refusal.message)
                raise CoordinatorLoadInProgress(f"no producer ids are left here: {refusal.message}") from refusal
        given, self._left = self._left[0], self._left[1:]
        return given

    async def keep(self) -> None:
        """Have a spare block at hand, from the start on. Never returns."""
        while True:
            self._spare_wanted.clear()
            try:
                await self._fetch(lambda: not self._spare)
                await self._spare_wanted.wait()
            except Refusal:  # of the store that is away, enough is said elsewhere
                await asyncio.sleep(RETRY_AFTER_S)

    async def go_on_above(self, known: Collection[int]) -> None:
        """Somebody has these ids: a store that does not know of them was taken back in time, and gives ids again. The
        blocks that are here may be of such, and so may one that is on its way.
        """
        highest = max(known, default=-1)
        self._above = max(self._above, highest + 1)
        is_behind = highest >= self._image.producer_id_next
        if is_behind or any(each in self._left for each in known):
            self._left = NO_BLOCK
        if is_behind or any(each in self._spare for each in known):
            self._drop_spare()
        if not is_behind:
            return
        try:
            await joining.ensure_producer_ids(self._metastore, self._keys, above=highest + 1)
        except MetastoreError as error:
            raise CoordinatorNotAvailable(str(error)) from error

    def _has_one(self) -> bool:
        if not self._left and self._spare:
            self._left = self._spare
            self._drop_spare()
        return bool(self._left)

    def _drop_spare(self) -> None:
        self._spare = NO_BLOCK
        self._spare_wanted.set()

    async def _fetch(self, is_wanted: Callable[[], bool]) -> None:
        async with self._fetching:
            while is_wanted():
                first = await self._controller.allocate_producer_ids(self._to_leave_out + BLOCK_SIZE)
                first, self._to_leave_out = first + self._to_leave_out, 0
                if first >= self._above:  # else the store was asked before it was raised: the next one is later
                    self._spare = range(first, first + BLOCK_SIZE)
