"""The port to the cluster's metadata: a small key-value store with etcd's semantics.

One revision counts for the whole store and rises by one with every transaction that changes something. Each key knows
the revision at which it came to be, the revision at which it last changed, and how often it was written since it came
to be. Whoever writes says what must still be true (compares); all of a transaction happens or none of it.

Adapters: `memory` (simulation, tests), `embedded` (SQLite, one broker), `etcd` (clusters). One contract test judges
all.
"""

from collections.abc import AsyncGenerator
from typing import Literal, NewType, Protocol

import msgspec

Revision = NewType("Revision", int)
"""The store's own count of transactions; also what fences writers (RULES 1, 9, 13)."""

LeaseId = NewType("LeaseId", int)

NO_REVISION = Revision(0)
NO_LEASE = LeaseId(0)

OPERATIONS_MAX = 128
"""Compares, and writes, that one transaction may hold; etcd's --max-txn-ops."""

TRANSACTION_BYTES_MAX = 1_408 * 1024
"""Bytes of keys and values that one transaction may hold. etcd's --max-request-bytes is 1.5 MiB of the request as it is
sent: the rest is for what the encoding adds to 128 compares and 128 writes."""

HISTORY_REVISIONS_MAX = 10_000
"""Revisions that a local store remembers for watches that start in the past; older ones answer Compacted."""

WATCH_BACKLOG_MAX = 10_000
"""Revisions that wait for one slow watcher; past it the watch ends with Compacted and the watcher lists anew."""


class MetastoreError(Exception):
    """Anything but success; see the subclasses for what a caller can do about it."""


class Conflict(MetastoreError):
    """A compare failed: nothing was written. Read again, decide again."""


class Unavailable(MetastoreError):
    """The store did not answer. Whether the transaction was written is unknown: it is pending, not failed (RULES 6)."""


class Unusable(Unavailable):
    """It will not do either if it is asked again: somebody has to change something first."""


class StoreBehind(Unusable):
    """The store is older than what was seen of it: restored from a backup, or another one (RULES 12)."""


class Compacted(MetastoreError):
    """The revision asked for is no longer remembered: list anew and watch from there."""

    def __init__(self, oldest: Revision) -> None:
        super().__init__(f"the oldest revision still remembered is {oldest}")
        self.oldest = oldest


class LeaseGone(MetastoreError):
    """The lease ran out or was revoked; the keys under it are deleted."""


class InvalidTransaction(ValueError):
    """A transaction that no store would take: too large, or writing one key twice. A bug of the caller."""


class KeyValue(msgspec.Struct, frozen=True):
    key: str
    value: bytes
    create_revision: Revision
    mod_revision: Revision
    version: int
    lease: LeaseId = NO_LEASE


class Listing(msgspec.Struct, frozen=True):
    """Every key under a prefix, in key order, as of one revision. Watch from `revision + 1` to miss nothing."""

    revision: Revision
    items: tuple[KeyValue, ...]


class Compare(msgspec.Struct, frozen=True):
    """What must hold of a key. A key that is absent has both revisions 0."""

    key: str
    field: Literal["create", "mod"]
    revision: Revision


class Put(msgspec.Struct, frozen=True):
    key: str
    value: bytes
    lease: LeaseId = NO_LEASE


class Delete(msgspec.Struct, frozen=True):
    """Deletes one key, or all that begin with `key` when `prefix` is set; counts as one operation, as in etcd."""

    key: str
    prefix: bool = False


class Transaction(msgspec.Struct, frozen=True):
    compares: tuple[Compare, ...] = ()
    puts: tuple[Put, ...] = ()
    deletes: tuple[Delete, ...] = ()


class Written(msgspec.Struct, frozen=True, tag=True):
    item: KeyValue


class Deleted(msgspec.Struct, frozen=True, tag=True):
    key: str
    mod_revision: Revision


Event = Written | Deleted


class Changes(msgspec.Struct, frozen=True):
    """All that one transaction changed, whole: a watcher never sees half of it."""

    revision: Revision
    events: tuple[Event, ...]


def absent(key: str) -> Compare:
    return Compare(key, "create", NO_REVISION)


def created_at(key: str, revision: Revision) -> Compare:
    """The key is still the one that came to be then, whatever was written to it since."""
    return Compare(key, "create", revision)


def unchanged_since(key: str, revision: Revision) -> Compare:
    return Compare(key, "mod", revision)


class Metastore(Protocol):
    async def get(self, key: str) -> KeyValue | None: ...

    async def range(self, prefix: str) -> Listing: ...

    def watch(self, prefix: str, from_revision: Revision) -> AsyncGenerator[Changes, None]:
        """What changed under the prefix at `from_revision` and after, without gap or duplicate, for as long as it is
        iterated. Raises Compacted where the store no longer remembers."""
        ...

    async def commit(self, transaction: Transaction) -> Revision:
        """The revision at which the transaction is durable. Where nothing changed, the store's present one."""
        ...

    async def grant(self, ttl_ms: int) -> LeaseId: ...

    async def keep_alive(self, lease: LeaseId) -> None: ...

    async def revoke(self, lease: LeaseId) -> None: ...

    async def close(self) -> None: ...
