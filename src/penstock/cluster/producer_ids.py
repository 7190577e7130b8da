"""Producer ids for this broker to give out, fetched from the metadata in blocks."""

import asyncio

from penstock.cluster.controller import Controller
from penstock.model import ProducerId

BLOCK_SIZE = 1_000
"""Ids asked for at a time, as in Kafka; what is left of a block at a restart is never given out."""


class ProducerIds:
    def __init__(self, controller: Controller) -> None:
        self._controller = controller
        self._next = 0
        self._end = 0
        self._fetching = asyncio.Lock()

    async def next(self) -> ProducerId:
        """An id that no producer was given before."""
        while self._next == self._end:  # others may have used the block up by the time it is our turn
            await self._fetch_block()
        given = ProducerId(self._next)
        self._next += 1
        return given

    async def _fetch_block(self) -> None:
        async with self._fetching:
            if self._next == self._end:
                self._next = await self._controller.allocate_producer_ids(BLOCK_SIZE)
                self._end = self._next + BLOCK_SIZE
