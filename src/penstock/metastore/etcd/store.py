"""The metastore of a cluster: an etcd of 3.4 or newer, over gRPC.

Reads and writes go through etcd's consensus; a read may be asked of several endpoints in turn, a commit is asked of one
(see failures.py). Leases count whole seconds there, two at least.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from pathlib import Path
from typing import Self

from penstock.metastore.etcd import messages, methods, watching
from penstock.metastore.etcd.client import Client
from penstock.metastore.etcd.options import EtcdOptions
from penstock.metastore.etcd.seen import SeenRevision, refuse_if_behind
from penstock.metastore.machine import check
from penstock.metastore.port import (
    Changes,
    Compacted,
    Conflict,
    KeyValue,
    LeaseGone,
    LeaseId,
    Listing,
    Revision,
    Transaction,
    Unavailable,
)

PAGE_KEYS_MAX = 5_000
"""Keys in one answer of a listing. Smaller ones cost more, as etcd looks at every key from the page on for each."""

KEYS_A_TURN = 500
"""Decoded in some 2 ms; the loop runs on between two turns."""

LISTING_ATTEMPTS_MAX = 5
"""How often a listing begins anew because its revision was compacted away under it."""


class EtcdMetastore:
    """Open with `await EtcdMetastore.open(options, folder)`; `close` when done. The folder keeps the highest revision
    seen (RULES 12); without one it is kept in memory only."""

    def __init__(self, client: Client, seen: SeenRevision) -> None:
        self._client = client
        self._seen = seen
        self._keeper: asyncio.Task[None] | None = None

    @classmethod
    async def open(cls, options: EtcdOptions, folder: Path | None = None) -> Self:
        """Raises Unavailable, in words, when no endpoint can be used within the request timeout."""
        seen = SeenRevision(folder)
        client = Client(options, seen)
        store = cls(client, seen)
        try:
            await client.connected(asyncio.get_running_loop().time() + options.request_timeout_s)
        except BaseException:
            await client.close()
            raise
        store._keeper = asyncio.create_task(seen.keep(), name="etcd revision keeper")
        return store

    @property
    def endpoint(self) -> str | None:
        """The one in use, or None between two."""
        return self._client.endpoint

    async def get(self, key: str) -> KeyValue | None:
        page = await self._page(messages.range_request(key.encode()))
        return page.items[0] if page.items else None

    async def range(self, prefix: str) -> Listing:
        for _ in range(LISTING_ATTEMPTS_MAX):
            with suppress(Compacted):
                return await self._listing(prefix)
        raise Unavailable(f"etcd was compacted {LISTING_ATTEMPTS_MAX} times while {prefix} was listed")

    def watch(self, prefix: str, from_revision: Revision) -> AsyncGenerator[Changes, None]:
        return watching.watch(self._client, prefix, from_revision)

    async def commit(self, transaction: Transaction) -> Revision:
        check(transaction)
        seen = self._seen.highest
        request = messages.transaction_request(transaction)
        answer = messages.transaction_answer(
            await self._client.ask(methods.TRANSACTION, request, is_repeatable=not _writes(transaction))
        )
        self._judge(seen, answer.header)
        if not answer.succeeded:
            keys = ", ".join(compare.key for compare in transaction.compares[:3])
            raise Conflict(f"a compare failed: {keys}{', ...' if len(transaction.compares) > 3 else ''}")
        return answer.header.revision

    async def grant(self, ttl_ms: int) -> LeaseId:
        """A grant that was carried out unheard leaves a lease that nobody keeps alive: harmless, so it is repeated."""
        request = messages.lease_grant_request(-(-ttl_ms // 1000))
        return messages.lease_answer(await self._client.ask(methods.LEASE_GRANT, request, is_repeatable=True)).lease

    async def keep_alive(self, lease: LeaseId) -> None:
        """A call of its own with a deadline of its own: a stream kept open may be silent for longer than the lease."""
        request = messages.lease_request(lease)
        answer = await self._client.ask(methods.LEASE_KEEP_ALIVE, request, is_repeatable=True)
        if messages.lease_answer(answer).ttl_s <= 0:
            raise LeaseGone(f"lease {lease} has ended")

    async def revoke(self, lease: LeaseId) -> None:
        """Repeated when its outcome is unknown; LeaseGone may then mean that the first time did it."""
        await self._client.ask(methods.LEASE_REVOKE, messages.lease_request(lease), is_repeatable=True)

    async def close(self) -> None:
        if self._keeper is not None:
            self._keeper.cancel()
            with suppress(asyncio.CancelledError):
                await self._keeper
            self._keeper = None
            await asyncio.to_thread(self._seen.write)
        await self._client.close()

    async def _listing(self, prefix: str) -> Listing:
        """All pages as of the revision of the first."""
        start, end = messages.span(prefix)
        page = await self._page(messages.range_request(start, end, limit=PAGE_KEYS_MAX))
        revision, items = page.header.revision, page.items
        while page.more:
            start = items[-1].key.encode() + b"\0"
            page = await self._page(messages.range_request(start, end, limit=PAGE_KEYS_MAX, revision=revision))
            items += page.items
        return Listing(revision, tuple(items))

    async def _page(self, request: bytes) -> messages.RangePage:
        seen = self._seen.highest
        reader = messages.RangeReader(await self._client.ask(methods.RANGE, request, is_repeatable=True))
        while not reader.read(KEYS_A_TURN):
            await asyncio.sleep(0)
        page = reader.page()
        self._judge(seen, page.header)
        return page

    def _judge(self, seen: Revision, header: messages.Header) -> None:
        """By what had been seen before the call: answers may overtake one another."""
        refuse_if_behind(seen=seen, present=header.revision)
        self._seen.note(header.revision)
        self._client.note_term(header.term)


def _writes(transaction: Transaction) -> bool:
    return bool(transaction.puts or transaction.deletes)
