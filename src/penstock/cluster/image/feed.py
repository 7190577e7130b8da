"""Keeps the cluster image up to date, and lets others wait until it holds a revision."""

import asyncio
import heapq
from contextlib import aclosing

import structlog

from penstock.cluster.image.image import ClusterImage
from penstock.cluster.keys import Keys
from penstock.metastore import (
    Compacted,
    KeyValue,
    Listing,
    Metastore,
    Put,
    Revision,
    StoreBehind,
    Transaction,
    Unavailable,
)

_log = structlog.get_logger(__name__)

RETRY_AFTER_S = 0.5

AT_ONCE = 1_000
"""Keys taken in between two turns of the loop, where a transaction does not hold more."""


class ImageFeed:
    """`start` lists, then a task watches from there until `stop`; a watch that lost its place lists anew."""

    def __init__(self, metastore: Metastore, keys: Keys, image: ClusterImage, *, barrier: str | None = None) -> None:
        """A store that others use too counts their transactions, which are never shown here: so a key of this cluster's
        own is needed to see how far the image is, the `barrier`.
        """
        self._barrier = barrier
        self._metastore = metastore
        self._keys = keys
        self._image = image
        self._waiting: list[tuple[Revision, int, asyncio.Future[None]]] = []
        self._asked = 0
        self._task: asyncio.Task[None] | None = None
        self._failure: BaseException | None = None

    async def start(self) -> None:
        self._image.load(await self._metastore.range(self._keys.prefix))
        self._task = asyncio.create_task(self._follow_forever(), name="cluster image")
        self._task.add_done_callback(self._ended)

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
            self._task = None

    async def ended(self) -> None:
        """Return when it is stopped, raise what made it fail: a broker whose image stands still must not go on."""
        if self._task is not None:
            await asyncio.wait([self._task])
        if self._failure is not None:
            raise self._failure

    async def reached(self, revision: Revision) -> None:
        """Wait until the image holds all that was committed up to this revision (RULES 36)."""
        if self._image.revision >= revision:
            return
        if self._task is None or self._task.done():
            raise Unavailable("the cluster image is no longer kept up to date")
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._asked += 1
        heapq.heappush(self._waiting, (revision, self._asked, waiter))
        await waiter

    async def catch_up(self) -> None:
        """Wait until the image holds all that the store does now."""
        puts = () if self._barrier is None else (Put(self._barrier, b"{}"),)
        await self.reached(await self._metastore.commit(Transaction(puts=puts)))

    async def _follow_forever(self) -> None:
        while True:
            try:
                await self._follow()
                return  # the store was closed
            except Compacted:
                _log.warning("cluster image fell behind, listing anew", revision=self._image.revision)
                await self._list_anew()
            except StoreBehind:
                raise  # it has forgotten what brokers acted on: going on could lose records (RULES 12)
            except Unavailable as failure:
                _log.warning("metastore unavailable", reason=str(failure))
                await asyncio.sleep(RETRY_AFTER_S)

    async def _follow(self) -> None:
        watch = self._metastore.watch(self._keys.prefix, Revision(self._image.revision + 1))
        applied = 0
        async with aclosing(watch) as changes_to_come:
            async for changes in changes_to_come:
                self._image.apply(changes)
                self._release()
                applied += len(changes.events)
                if applied >= AT_ONCE:  # after a while away, thousands may come together
                    applied = 0
                    await asyncio.sleep(0)

    async def _list_anew(self) -> None:
        try:
            listing = await self._metastore.range(self._keys.prefix)
            # Nobody but this task changes the image: what is known now is known when the rest is loaded.
            unknown: list[KeyValue] = []
            for start in range(0, len(listing.items), AT_ONCE):
                unknown += (item for item in listing.items[start : start + AT_ONCE] if not self._image.knows(item))
                await asyncio.sleep(0)
            self._image.load(Listing(listing.revision, tuple(unknown)))
            self._release()
        except StoreBehind:
            raise
        except Unavailable as failure:
            _log.warning("metastore unavailable", reason=str(failure))
            await asyncio.sleep(RETRY_AFTER_S)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._failure = None if task.cancelled() else task.exception()
        if self._failure is not None:
            _log.error("cluster image stands still", exc_info=self._failure)
        for _, _, waiter in self._waiting:
            if not waiter.done():
                waiter.set_exception(Unavailable("the cluster image is no longer kept up to date"))
        self._waiting.clear()

    def _release(self) -> None:
        while self._waiting and self._waiting[0][0] <= self._image.revision:
            _, _, waiter = heapq.heappop(self._waiting)
            if not waiter.done():
                waiter.set_result(None)
