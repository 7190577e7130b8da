"""Many small commits in few large ones: what thousands of partitions write at once when a broker comes back.

A store answers some thousand transactions a second, however small, and while it works through a heap of them leases run
out. So what is to be committed in the same turn of the loop, or while others are under way, goes in one transaction, up
to etcd's limits (RULES 14). Where a compare fails nothing of it is written: then it is tried in halves, until the one
that has moved on is alone with its Conflict.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Final, NamedTuple, cast

from penstock.metastore import OPERATIONS_MAX, Compare, Conflict, Metastore, Revision, Transaction

GATHERED_MAX: Final = 60
"""Commits in one transaction: each of ours has one write and a compare or two, most of them the same."""
IN_FLIGHT_MAX: Final = 2


class _Entry(NamedTuple):
    transaction: Transaction
    outcome: "asyncio.Future[Revision]"


class CommitBatcher:
    def __init__(self, metastore: Metastore) -> None:
        self._metastore = metastore
        self._queue: deque[_Entry] = deque()
        self._carriers: set[asyncio.Task[None]] = set()

    async def commit(self, transaction: Transaction) -> Revision:
        """As the store's own, for transactions of few operations."""
        outcome: asyncio.Future[Revision] = asyncio.get_running_loop().create_future()
        self._queue.append(_Entry(transaction, outcome))
        if len(self._carriers) < IN_FLIGHT_MAX:
            self._carriers.add(asyncio.get_running_loop().create_task(self._carry()))
        return await outcome

    async def close(self) -> None:
        carriers = list(self._carriers)
        for carrier in carriers:
            carrier.cancel()
        if carriers:
            await asyncio.wait(carriers)
        while self._queue:
            self._queue.popleft().outcome.cancel()

    async def _carry(self) -> None:
        try:
            while self._queue:
                await self._commit(self._take())
        finally:
            # With the look at the queue, not when the task is done: whoever comes in between would wait for nobody.
            self._carriers.discard(cast("asyncio.Task[None]", asyncio.current_task()))

    def _take(self) -> list[_Entry]:
        """From the front, one write a key: a second one compares what the first leaves behind."""
        taken: list[_Entry] = []
        keys: set[str] = set()
        compares: set[Compare] = set()
        while self._queue and len(taken) < GATHERED_MAX:
            written = _keys(self._queue[0].transaction)
            compares.update(self._queue[0].transaction.compares)
            if not keys.isdisjoint(written) or (taken and len(compares) > OPERATIONS_MAX):
                break
            keys |= written
            taken.append(self._queue.popleft())
        return taken

    async def _commit(self, entries: Sequence[_Entry]) -> None:
        waiting = [entry for entry in entries if not entry.outcome.done()]
        if not waiting:
            return
        try:
            revision = await self._metastore.commit(_together([entry.transaction for entry in waiting]))
        except Conflict as conflict:
            if len(waiting) == 1:
                _fail(waiting, conflict)
                return
            middle = len(waiting) // 2
            await self._commit(waiting[:middle])
            await self._commit(waiting[middle:])
        except Exception as failure:
            _fail(waiting, failure)
        except asyncio.CancelledError:
            for entry in waiting:
                entry.outcome.cancel()
            raise
        else:
            for entry in waiting:
                if not entry.outcome.done():
                    entry.outcome.set_result(revision)


def _keys(transaction: Transaction) -> set[str]:
    return {put.key for put in transaction.puts} | {delete.key for delete in transaction.deletes}


def _together(transactions: Sequence[Transaction]) -> Transaction:
    compares: dict[Compare, None] = {}
    for transaction in transactions:
        compares.update(dict.fromkeys(transaction.compares))
    return Transaction(
        compares=tuple(compares),
        puts=tuple(put for transaction in transactions for put in transaction.puts),
        deletes=tuple(delete for transaction in transactions for delete in transaction.deletes),
    )


def _fail(entries: Sequence[_Entry], failure: Exception) -> None:
    for entry in entries:
        if not entry.outcome.done():
            entry.outcome.set_exception(failure)
