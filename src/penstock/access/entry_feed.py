"""Keeps what learns of entries as the cluster image has them."""

from collections.abc import Callable, Iterable

from penstock.cluster import ClusterImage, EntryChanged, EntryKind, ImageChange, Subscriber


def follow(image: ClusterImage, kind: EntryKind, learn: Callable[[str, bytes | None], None]) -> None:
    """From now on. Whoever changed an entry is answered only when the broker that took the change has heard of it."""
    for name, entry in image.entries.of(kind).items():
        learn(name, entry.value)

    def hear(changes: Iterable[ImageChange]) -> None:
        there = image.entries.of(kind)
        for change in changes:
            if isinstance(change, EntryChanged) and change.kind is kind:
                entry = there.get(change.name)
                learn(change.name, None if entry is None else entry.value)

    image.subscribe(hear, Subscriber.ACCESS)
