"""The metadata store of a simulated world, and what one broker sees of it over the network.

The store itself is the real key space. A broker's requests may be lost on the way there, so that nothing happens, or on
the way back, so that it happens and nobody is told; or they arrive after the broker has given up waiting. A watch tells
everything in order, but late, and stalls while the network is cut.
"""

import asyncio
import contextvars
import random
from collections import deque
from collections.abc import AsyncGenerator, Callable
from typing import Any, TypeVar

from penstock.metastore import (
    Changes,
    Compacted,
    KeyValue,
    LeaseGone,
    LeaseId,
    Listing,
    MetastoreError,
    Revision,
    Transaction,
    Unavailable,
)
from penstock.metastore.machine import KeySpace, ending
from simulation.loop import WORLD, Handle, SimulatedLoop
from simulation.network import STORE, Network, fail, resolve

TIMEOUT_S = 1.0
"""After which a broker takes the store for unavailable."""

_T = TypeVar("_T")


class SimulatedStore:
    def __init__(self, loop: SimulatedLoop, network: Network, dice: random.Random) -> None:
        self.loop = loop
        self.network = network
        self.dice = dice
        self.space = KeySpace()
        self.history: list[Changes] = []
        self.clients: list[StoreClient] = []
        self.is_down = False
        self.late: set[int] = set()
        """Brokers whose watch stands still, though their requests are answered."""
        self.on_change: Callable[[Changes], None] = lambda _: None
        self.on_send: Callable[[int, Transaction], float] = lambda _sender, _transaction: 0.0
        """Asked when a transaction is sent: how long to hold it up, in seconds."""
        self._leases: dict[LeaseId, tuple[int, Handle]] = {}
        self._leases_granted = 0
        self.unknown_outcomes = self.expired = 0
        self.under_way: list[Transaction] = []
        """What was sent and will arrive."""

    def commit(self, transaction: Transaction) -> Revision:
        for put in transaction.puts:
            if put.lease and put.lease not in self._leases:
                raise LeaseGone(f"lease {put.lease} has ended")
        changes = self.space.decide(transaction)
        if changes is not None:
            self.space.apply(changes)
            self.history.append(changes)
            self.on_change(changes)
            for client in self.clients:
                client.offer(changes)
        return self.space.revision

    def since(self, revision: int) -> list[Changes]:
        first = len(self.history)
        while first and self.history[first - 1].revision >= revision:
            first -= 1
        return self.history[first:]

    def grant(self, ttl_ms: int) -> LeaseId:
        self._leases_granted += 1
        lease = LeaseId(self._leases_granted)
        self._keep(lease, ttl_ms)
        return lease

    def keep_alive(self, lease: LeaseId) -> None:
        if lease not in self._leases:
            raise LeaseGone(f"lease {lease} has ended")
        ttl_ms, timer = self._leases[lease]
        timer.cancel()
        self._keep(lease, ttl_ms)

    def _keep(self, lease: LeaseId, ttl_ms: int) -> None:
        timer = self.loop.call_later(ttl_ms / 1000, self._expire, lease, context=WORLD)
        self._leases[lease] = ttl_ms, timer

    def _expire(self, lease: LeaseId) -> None:
        if self.is_down:  # nobody could renew it: it has its full time again
            self._keep(lease, self._leases[lease][0])
        else:
            self.expired += 1
            self.revoke(lease)

    def revoke(self, lease: LeaseId) -> None:
        if lease not in self._leases:
            raise LeaseGone(f"lease {lease} has ended")
        self._leases.pop(lease)[1].cancel()
        for transaction in ending(lease, self.space):
            self.commit(transaction)

    def network_changed(self) -> None:
        """A cut was made or mended, or the store went or came back: watches go on where they can."""
        for client in list(self.clients):
            client.go_on()


class StoreClient:
    """A `Metastore`, for one process."""

    def __init__(self, store: SimulatedStore, broker_id: int, context: contextvars.Context) -> None:
        self._store = store
        self._me = broker_id
        self._context = context
        self._watch: _Watch | None = None
        store.clients.append(self)

    async def get(self, key: str) -> KeyValue | None:
        return await self._ask(lambda: self._store.space.get(key))

    async def range(self, prefix: str) -> Listing:
        space = self._store.space
        return await self._ask(lambda: Listing(space.revision, space.range(prefix)))

    async def commit(self, transaction: Transaction) -> Revision:
        held_s = self._store.on_send(self._me, transaction)
        return await self._ask(lambda: self._store.commit(transaction), held_s=held_s, sent=transaction)

    async def grant(self, ttl_ms: int) -> LeaseId:
        return await self._ask(lambda: self._store.grant(ttl_ms))

    async def keep_alive(self, lease: LeaseId) -> None:
        await self._ask(lambda: self._store.keep_alive(lease))

    async def revoke(self, lease: LeaseId) -> None:
        await self._ask(lambda: self._store.revoke(lease))

    async def close(self) -> None:
        self.forget()

    def forget(self) -> None:
        if self in self._store.clients:
            self._store.clients.remove(self)

    async def _ask(self, operation: Callable[[], _T], *, held_s: float = 0.0, sent: Transaction | None = None) -> _T:
        store, loop = self._store, self._store.loop
        answer: asyncio.Future[Any] = loop.create_future()
        timer = loop.call_later(TIMEOUT_S, fail, answer, Unavailable("no answer in time"), context=self._context)
        if store.network.passes(self._me, STORE):
            if sent is not None:
                store.under_way.append(sent)
            loop.call_later(held_s + store.network.delay_s(), self._arrive, operation, answer, sent, context=WORLD)
        try:
            result: _T = await answer
            return result
        finally:
            timer.cancel()

    def _arrive(self, operation: Callable[[], Any], answer: "asyncio.Future[Any]", sent: Transaction | None) -> None:
        store = self._store
        if sent is not None:
            store.under_way.remove(sent)
        if store.is_down:
            return
        try:
            value, error = operation(), None
        except MetastoreError as refused:
            value, error = None, refused
        if answer.done() or not store.network.passes(STORE, self._me):
            store.unknown_outcomes += error is None
            return
        if error is not None:
            store.loop.call_later(store.network.delay_s(), fail, answer, error, context=self._context)
        else:
            store.loop.call_later(store.network.delay_s(), resolve, answer, value, context=self._context)

    # The watch --------------------------------------------------------------------------------------------------

    def watch(self, prefix: str, from_revision: Revision) -> AsyncGenerator[Changes, None]:
        self._watch = _Watch(self._store, self._me, self._context)
        for changes in self._store.since(from_revision):
            self._watch.offer(changes)
        return self._watch.follow()

    def offer(self, changes: Changes) -> None:
        if self._watch is not None:
            self._watch.offer(changes)

    def go_on(self) -> None:
        if self._watch is not None:
            self._watch.go_on()


class _Watch:
    def __init__(self, store: SimulatedStore, me: int, context: contextvars.Context) -> None:
        self._store = store
        self._me = me
        self._context = context
        self._stalled: deque[Changes] = deque()
        self._arrived: deque[Changes] = deque()
        self._last_arrival_s = 0.0
        self._woken: asyncio.Future[None] | None = None
        self._broken: MetastoreError | None = None

    def offer(self, changes: Changes) -> None:
        if self._broken is not None:
            return
        if self._stalled or self._is_stalled():
            self._stalled.append(changes)
            return
        loop, network = self._store.loop, self._store.network
        self._last_arrival_s = max(self._last_arrival_s, loop.time() + network.delay_s())
        loop.call_at(self._last_arrival_s, self._arrive, changes, context=self._context)

    def _is_stalled(self) -> bool:
        store = self._store
        return store.is_down or self._me in store.late or (STORE, self._me) in store.network.cuts

    def go_on(self) -> None:
        """What a cut held back comes at once; or the connection did not survive, and the watch begins anew."""
        if not self._stalled or self._is_stalled():
            return
        chance = self._store.dice.random()
        if chance < 0.5:
            stalled, self._stalled = self._stalled, deque()
            for changes in stalled:
                self.offer(changes)
        else:
            oldest = Revision(self._store.space.revision)
            self._broken = Compacted(oldest) if chance < 0.65 else Unavailable("the connection broke")
            self._store.loop.call_soon(self._wake, context=self._context)

    def _arrive(self, changes: Changes) -> None:
        self._arrived.append(changes)
        self._wake()

    def _wake(self) -> None:
        if self._woken is not None and not self._woken.done():
            self._woken.set_result(None)

    async def follow(self) -> AsyncGenerator[Changes, None]:
        while True:
            while self._arrived:
                yield self._arrived.popleft()
            if self._broken is not None:
                raise self._broken
            self._woken = self._store.loop.create_future()
            await self._woken
