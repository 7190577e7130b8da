"""The key space of a local store: what a transaction would change (decide), and the change itself (apply).

Theory: `revision` is the number of transactions that changed something. A key's `create_revision` is the revision of
its first write since it was last absent, `mod_revision` that of its last write, `version` counts writes since creation.
A transaction's writes all carry the one revision it made. Deleting what is not there changes nothing, and a transaction
that changes nothing takes no revision.
"""

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator

from penstock.metastore.port import (
    NO_LEASE,
    NO_REVISION,
    OPERATIONS_MAX,
    TRANSACTION_BYTES_MAX,
    Changes,
    Compare,
    Conflict,
    Delete,
    Deleted,
    Event,
    InvalidTransaction,
    KeyValue,
    LeaseId,
    Revision,
    Transaction,
    Written,
)


def check(transaction: Transaction) -> None:
    """Hold every adapter to etcd's limits, so that what works embedded works on a cluster."""
    writes = len(transaction.puts) + len(transaction.deletes)
    if max(writes, len(transaction.compares)) > OPERATIONS_MAX:
        raise InvalidTransaction(
            f"{len(transaction.compares)} compares and {writes} writes in one transaction: at most {OPERATIONS_MAX}"
        )
    size = sum(len(compare.key) for compare in transaction.compares)
    size += sum(len(put.key) + len(put.value) for put in transaction.puts)
    size += sum(len(delete.key) for delete in transaction.deletes)
    if size > TRANSACTION_BYTES_MAX:
        raise InvalidTransaction(f"{size} bytes in one transaction; at most {TRANSACTION_BYTES_MAX}")
    put_keys = [put.key for put in transaction.puts]
    if len(set(put_keys)) < len(put_keys):
        raise InvalidTransaction("one key is put twice in one transaction")
    for delete in transaction.deletes:
        if any(key.startswith(delete.key) if delete.prefix else key == delete.key for key in put_keys):
            raise InvalidTransaction(f"{delete.key} is both put and deleted in one transaction")


class KeySpace:
    """Keys in order, with their values. Pure: the clock, the disk and the watchers are the adapter's."""

    def __init__(self, items: Iterable[KeyValue] = (), revision: Revision = NO_REVISION) -> None:
        self.revision = revision
        self._items = {item.key: item for item in items}
        self._keys = sorted(self._items)

    def get(self, key: str) -> KeyValue | None:
        return self._items.get(key)

    def range(self, prefix: str) -> tuple[KeyValue, ...]:
        return tuple(self._items[key] for key in self._under(prefix))

    def held_by(self, lease: LeaseId) -> tuple[str, ...]:
        return tuple(key for key in self._keys if self._items[key].lease == lease)

    def decide(self, transaction: Transaction) -> Changes | None:
        """What the transaction changes, or None for nothing. Raises Conflict. Changes nothing itself."""
        check(transaction)
        for compare in transaction.compares:
            if self._revision_of(compare) != compare.revision:
                raise Conflict(f"{compare.key} has moved on from {compare.field} revision {compare.revision}")
        revision = Revision(self.revision + 1)
        events: list[Event] = []
        deleted: set[str] = set()
        for delete in transaction.deletes:
            for key in self._under(delete.key) if delete.prefix else (delete.key,):
                if key in self._items and key not in deleted:
                    deleted.add(key)
                    events.append(Deleted(key, revision))
        for put in transaction.puts:
            before = self._items.get(put.key)
            events.append(
                Written(
                    KeyValue(
                        key=put.key,
                        value=put.value,
                        create_revision=before.create_revision if before else revision,
                        mod_revision=revision,
                        version=before.version + 1 if before else 1,
                        lease=put.lease,
                    )
                )
            )
        return Changes(revision, tuple(events)) if events else None

    def apply(self, changes: Changes) -> None:
        for event in changes.events:
            if isinstance(event, Written):
                if event.item.key not in self._items:
                    insort(self._keys, event.item.key)
                self._items[event.item.key] = event.item
            elif self._items.pop(event.key, None) is not None:
                del self._keys[bisect_left(self._keys, event.key)]
        self.revision = changes.revision

    def _under(self, prefix: str) -> Iterator[str]:
        for index in range(bisect_left(self._keys, prefix), len(self._keys)):
            if not self._keys[index].startswith(prefix):
                return
            yield self._keys[index]

    def _revision_of(self, compare: Compare) -> Revision:
        item = self._items.get(compare.key)
        if item is None:
            return NO_REVISION
        return item.create_revision if compare.field == "create" else item.mod_revision


def ending(lease: LeaseId, space: KeySpace) -> Iterator[Transaction]:
    """The transactions that delete what a lease held; more than one only where it held more than a transaction may."""
    if lease == NO_LEASE:
        return
    keys = space.held_by(lease)
    for start in range(0, len(keys), OPERATIONS_MAX):
        yield Transaction(deletes=tuple(Delete(key) for key in keys[start : start + OPERATIONS_MAX]))
