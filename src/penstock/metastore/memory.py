"""A metastore in memory: the reference for the contract, and the one in which simulations and tests run.

Nothing happens on its own: a lease runs out when `expire_leases` is called, so a simulation decides when that is.
"""

from collections.abc import AsyncGenerator

from penstock.metastore.local import Leases, Watchers
from penstock.metastore.machine import KeySpace, ending
from penstock.metastore.port import (
    NO_LEASE,
    NO_REVISION,
    Changes,
    KeyValue,
    LeaseId,
    Listing,
    Revision,
    Transaction,
)
from penstock.model import Clock


class MemoryMetastore:
    def __init__(self, clock: Clock) -> None:
        self._space = KeySpace()
        self._watchers = Watchers(NO_REVISION)
        self._leases = Leases(clock)

    async def get(self, key: str) -> KeyValue | None:
        return self._space.get(key)

    async def range(self, prefix: str) -> Listing:
        return Listing(self._space.revision, self._space.range(prefix))

    def watch(self, prefix: str, from_revision: Revision) -> AsyncGenerator[Changes, None]:
        return self._watchers.watch(prefix, from_revision)

    async def commit(self, transaction: Transaction) -> Revision:
        self._leases.require({put.lease for put in transaction.puts} - {NO_LEASE})
        changes = self._space.decide(transaction)
        if changes is not None:
            self._space.apply(changes)
            self._watchers.tell(changes)
        return self._space.revision

    async def grant(self, ttl_ms: int) -> LeaseId:
        return self._leases.grant(ttl_ms)

    async def keep_alive(self, lease: LeaseId) -> None:
        self._leases.keep_alive(lease)

    async def revoke(self, lease: LeaseId) -> None:
        self._leases.end(lease)
        for transaction in ending(lease, self._space):
            await self.commit(transaction)

    async def expire_leases(self) -> None:
        for lease in self._leases.overdue():
            await self.revoke(lease)

    async def close(self) -> None:
        self._watchers.close()
