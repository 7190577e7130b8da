"""The metastore of a broker that stands alone: an SQLite file in its data folder, held in memory for reading.

One thread does the blocking work. Commits that arrive while it writes are written together by the next write, so that
many of them cost one fsync; each is decided on its own, in order of arrival. Nothing is answered and no watcher hears
of anything before it is durable.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple, Self, TypeVar

import structlog

from penstock.metastore.local import Leases, Watchers
from penstock.metastore.machine import KeySpace, ending
from penstock.metastore.port import (
    NO_LEASE,
    Changes,
    KeyValue,
    LeaseId,
    Listing,
    MetastoreError,
    Revision,
    Transaction,
    Unavailable,
)
from penstock.metastore.sqlite import Contents, Database, NoRoom, SchemaTooNew
from penstock.model import Clock

__all__ = ["FILE_NAME", "EmbeddedMetastore", "SchemaTooNew"]

FILE_NAME = "penstock-metadata.sqlite"

WISHES_PER_WRITE_MAX = 256
"""Commits that one write to disk may carry; the rest wait for the next."""

_log = structlog.get_logger(__name__)
_T = TypeVar("_T")


class _PendingCommit(NamedTuple):
    transaction: Transaction
    answer: asyncio.Future[Revision]


class EmbeddedMetastore:
    """Open with `await EmbeddedMetastore.open(folder, clock)`; `close` when done."""

    def __init__(
        self, database: Database, clock: Clock, worker: ThreadPoolExecutor, make_room: Callable[[], bool]
    ) -> None:
        self._database = database
        self._make_room = make_room
        self._clock = clock
        self._worker = worker
        self._wishes: list[_PendingCommit] = []
        self._wished = asyncio.Event()
        # Held from deciding until durable, so that no reader sees what a power cut could take back.
        self._settling = asyncio.Lock()
        self._space = KeySpace()
        self._leases = Leases(clock)
        self._watchers = Watchers(self._space.revision)
        self._writer: asyncio.Task[None] | None = None
        self._closed = False
        self._broken: Unavailable | None = None

    @classmethod
    async def open(cls, folder: Path, clock: Clock, *, make_room: Callable[[], bool] = lambda: False) -> Self:
        """`make_room` is called, in a thread, when the disk is full, and says whether another try is worth while."""
        worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="metastore")
        store = cls(Database(folder / FILE_NAME), clock, worker, make_room)
        try:
            store._take(await store._in_thread(store._database.open))
        except BaseException:
            worker.shutdown(wait=True)
            raise
        store._watchers = Watchers(store._space.revision)
        store._writer = asyncio.create_task(store._write_forever(), name="metastore writer")
        return store

    async def get(self, key: str) -> KeyValue | None:
        async with self._settling:
            self._refuse_if_broken()
            return self._space.get(key)

    async def range(self, prefix: str) -> Listing:
        async with self._settling:
            self._refuse_if_broken()
            return Listing(self._space.revision, self._space.range(prefix))

    def watch(self, prefix: str, from_revision: Revision) -> AsyncGenerator[Changes, None]:
        return self._watchers.watch(prefix, from_revision)

    async def commit(self, transaction: Transaction) -> Revision:
        if self._closed:
            raise Unavailable("the metastore is closed")
        self._refuse_if_broken()
        wish = _PendingCommit(transaction, asyncio.get_running_loop().create_future())
        self._wishes.append(wish)
        self._wished.set()
        return await wish.answer

    async def grant(self, ttl_ms: int) -> LeaseId:
        async with self._settling:
            lease = self._leases.grant(ttl_ms)
            await self._write([], granted=[(lease, ttl_ms)])
            self._wished.set()  # the writer must learn of the new deadline
            return lease

    async def keep_alive(self, lease: LeaseId) -> None:
        self._leases.keep_alive(lease)

    async def revoke(self, lease: LeaseId) -> None:
        async with self._settling:
            self._leases.end(lease)
            changes = [made for wish in ending(lease, self._space) if (made := self._stage(wish))]
            await self._write(changes, ended=[lease])

    async def close(self) -> None:
        """What was asked for before is written; what comes later is refused."""
        self._closed = True
        self._wished.set()
        if self._writer is not None:
            await self._writer
            self._writer = None
            self._watchers.close()
            await self._in_thread(self._database.close)
            self._worker.shutdown(wait=True)

    async def _write_forever(self) -> None:
        while True:
            try:
                await asyncio.wait_for(self._wished.wait(), timeout=self._leases.next_deadline_s())
            except TimeoutError:
                await self._expire_leases()
            self._wished.clear()
            while self._wishes:
                async with self._settling:
                    await self._settle()
            if self._closed:
                return

    async def _settle(self) -> None:
        batch = self._wishes[:WISHES_PER_WRITE_MAX]
        del self._wishes[:WISHES_PER_WRITE_MAX]
        outcomes: list[Revision | Exception] = []
        changes: list[Changes] = []
        for wish in batch:
            try:
                self._leases.require({put.lease for put in wish.transaction.puts} - {NO_LEASE})
                made = self._stage(wish.transaction)
                if made is not None:
                    changes.append(made)
                outcomes.append(self._space.revision)
            except (MetastoreError, ValueError) as refusal:
                outcomes.append(refusal)
        try:
            await self._write(changes)
        except Unavailable as failure:
            # A conflict found against what was then not written is no conflict either.
            outcomes = [failure] * len(batch)
        except Exception as bug:
            # Memory may be ahead of the file. Whoever waits must hear of it, which a writer that died cannot tell.
            _log.error("metadata store failed", exc_info=bug)
            self._broken = Unavailable(f"the metadata store failed: {bug!r}")
            outcomes = [self._broken] * len(batch)
        for wish, outcome in zip(batch, outcomes, strict=True):
            if wish.answer.done():  # whoever asked has gone
                continue
            if isinstance(outcome, Exception):
                wish.answer.set_exception(outcome)
            else:
                wish.answer.set_result(outcome)

    def _stage(self, transaction: Transaction) -> Changes | None:
        changes = self._space.decide(transaction)
        if changes is not None:
            self._space.apply(changes)
        return changes

    async def _write(
        self,
        changes: Sequence[Changes],
        *,
        granted: Sequence[tuple[LeaseId, int]] = (),
        ended: Sequence[LeaseId] = (),
    ) -> None:
        if not (changes or granted or ended):
            return
        try:
            await self._in_thread(lambda: self._write_or_make_room(changes, granted=granted, ended=ended))
        except Unavailable as failure:
            _log.error("metadata not written", reason=str(failure))
            await self._reread()
            raise
        for change in changes:
            self._watchers.tell(change)

    def _write_or_make_room(
        self, changes: Sequence[Changes], *, granted: Sequence[tuple[LeaseId, int]], ended: Sequence[LeaseId]
    ) -> None:
        try:
            self._database.write(changes, granted=granted, ended=ended)
        except NoRoom:
            # A full disk is when settings must be changed and topics deleted.
            if not self._make_room():
                raise
            self._database.write(changes, granted=granted, ended=ended)

    async def _reread(self) -> None:
        try:
            self._take(await self._in_thread(self._database.reread))
        except Unavailable as failure:
            # Neither written nor readable: what memory holds may never have been true, so it is not shown to anyone.
            _log.error("metadata cannot be read", reason=str(failure))
            self._broken = failure

    def _refuse_if_broken(self) -> None:
        if self._broken is not None:
            raise self._broken

    async def _expire_leases(self) -> None:
        for lease in self._leases.overdue():
            _log.info("lease expired", lease=lease)
            try:
                await self.revoke(lease)
            except MetastoreError as failure:
                _log.error("lease not ended", lease=lease, reason=str(failure))

    def _take(self, contents: Contents) -> None:
        self._space = KeySpace(contents.items, contents.revision)
        self._leases = Leases(self._clock)
        for lease, ttl_ms in contents.leases:
            self._leases.restore(lease, ttl_ms)

    async def _in_thread(self, work: Callable[[], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._worker, work)
