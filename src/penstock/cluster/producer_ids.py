"""Producer ids for this broker to give out, fetched from the metadata in blocks."""

import asyncio
from collections.abc import Collection

from penstock.cluster import membership
from penstock.cluster.controller import Controller
from penstock.cluster.image import ClusterImage
from penstock.cluster.keys import Keys
from penstock.errors import CoordinatorNotAvailable
from penstock.metastore import Metastore, MetastoreError
from penstock.model import ProducerId

BLOCK_SIZE = 1_000
"""Ids asked for at a time, as in Kafka; what is left of a block at a restart is never given out."""


class ProducerIds:
    def __init__(self, controller: Controller, image: ClusterImage, metastore: Metastore, keys: Keys) -> None:
        self._controller = controller
        self._image = image
        self._metastore = metastore
        self._keys = keys
        self._next = 0
        self._end = 0
        self._fetching = asyncio.Lock()
        self._above = 0
        """Ids below may be in use, whatever the store says."""

    async def next(self) -> ProducerId:
        """An id that no producer was given before."""
        while self._next == self._end:  # others may have used the block up by the time it is our turn
            await self._fetch_block()
        given = ProducerId(self._next)
        self._next += 1
        return given

    async def go_on_above(self, known: Collection[int]) -> None:
        """Somebody has these ids: a store that does not know of them was taken back in time, and gives ids again. The
        block that is here may be of such, and so may one that is on its way.
        """
        highest = max(known, default=-1)
        self._above = max(self._above, highest + 1)
        is_behind = highest >= self._image.producer_id_next
        if is_behind or any(self._next <= each < self._end for each in known):
            self._next = self._end
        if not is_behind:
            return
        try:
            await membership.ensure_producer_ids(self._metastore, self._keys, above=highest + 1)
        except MetastoreError as error:
            raise CoordinatorNotAvailable(str(error)) from error

    async def _fetch_block(self) -> None:
        async with self._fetching:
            while self._next == self._end:
                first = await self._controller.allocate_producer_ids(BLOCK_SIZE)
                if first >= self._above:  # else the store was asked before it was raised: the next one is later
                    self._next, self._end = first, first + BLOCK_SIZE
