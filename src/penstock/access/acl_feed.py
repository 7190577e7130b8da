"""Keeps an authorizer's rules as the cluster image has them."""

from collections.abc import Iterable

from penstock.access.authorizer import Authorizer
from penstock.cluster import ClusterImage, EntryChanged, EntryKind, ImageChange, Subscriber


def follow(authorizer: Authorizer, image: ClusterImage) -> None:
    """From now on. Whoever changed a rule is answered only when the broker that took the change has heard of it."""
    for name, entry in image.entries.of(EntryKind.ACLS).items():
        authorizer.learn(name, entry.value)

    def hear(changes: Iterable[ImageChange]) -> None:
        there = image.entries.of(EntryKind.ACLS)
        for change in changes:
            if isinstance(change, EntryChanged) and change.kind is EntryKind.ACLS:
                entry = there.get(change.name)
                authorizer.learn(change.name, None if entry is None else entry.value)

    image.subscribe(hear, Subscriber.ACCESS)
