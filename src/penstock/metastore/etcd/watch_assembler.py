"""From etcd's watch answers to whole transactions: fragments joined, what was seen before left out. Pure.

etcd splits its answers between transactions, except where an answer is sent in fragments: those may cut anywhere. So a
transaction is whole when one of a later revision begins, or when an answer is no fragment.
"""

from collections.abc import Iterator

from penstock.metastore.etcd.messages import WatchAnswer
from penstock.metastore.port import Changes, Event, Revision, Written


class WatchAssembler:
    """Begins anew with every stream: what was half received on the last one comes again."""

    def __init__(self, from_revision: Revision) -> None:
        self._from = from_revision
        self._revision = Revision(0)
        self._events: list[Event] = []

    def add(self, answer: WatchAnswer) -> Iterator[Changes]:
        for event in answer.events:
            revision = event.item.mod_revision if isinstance(event, Written) else event.mod_revision
            if revision < self._from:
                continue
            if revision != self._revision:
                yield from self._finish()
                self._revision = revision
            self._events.append(event)
        if answer.events and not answer.is_fragment:
            yield from self._finish()

    def _finish(self) -> Iterator[Changes]:
        if self._events:
            yield Changes(self._revision, tuple(self._events))
            self._events = []
