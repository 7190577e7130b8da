"""The secret that all brokers of a cluster know, and nobody else: whoever can read the metadata store (RULES 25).

It is exchanged for another in three writes, with time between them for every broker to hear of each, so that at no
moment two brokers have none in common:

    1   the old one, and the one to come     both are believed, brokers prove themselves by the old one
    2   the new one, and the one before      both are believed, brokers prove themselves by the new one
    3   the new one                          whoever knows only the old one is a stranger
"""

import base64
from collections.abc import Awaitable, Callable

from penstock.cluster.keys import Keys
from penstock.cluster.records import Decoders, SecretRecord, encode
from penstock.metastore import Conflict, Metastore, Put, Transaction, absent, unchanged_since
from penstock.model import Dice

SECRET_BYTES = 32


class Secrets:
    """What a broker proves itself by, and what it believes others by; changes in place while it is exchanged."""

    def __init__(self, current: bytes, *others: bytes) -> None:
        self.current = current
        self.believed = (current, *others)

    def take(self, value: bytes) -> None:
        """From the store's record."""
        record = Decoders.secret.decode(value)
        self.current = base64.b64decode(record.secret)
        others = (base64.b64decode(text) for text in (record.next, record.previous) if text)
        self.believed = (self.current, *others)


async def ensure_secret(metastore: Metastore, keys: Keys, dice: Dice) -> Secrets:
    """The one there is, else one made up now. The image tells of a change, but does not keep it."""
    item = await metastore.get(keys.secret)
    if item is None:
        put = Put(keys.secret, encode(SecretRecord(_make(dice))))
        try:
            await metastore.commit(Transaction(compares=(absent(keys.secret),), puts=(put,)))
        except Conflict:
            pass  # another broker was first
        item = await metastore.get(keys.secret)
        assert item is not None, "the secret is never deleted"
    secrets = Secrets(b"")
    secrets.take(item.value)
    return secrets


async def exchange_secret(metastore: Metastore, keys: Keys, dice: Dice, pause: Callable[[], Awaitable[None]]) -> bool:
    """All three writes; goes on where an earlier attempt ended. False: there is none, the cluster was never started.

    Conflict: somebody else is at it.
    """
    while True:
        item = await metastore.get(keys.secret)
        if item is None:
            return False
        record = Decoders.secret.decode(item.value)
        if record.next:
            following = SecretRecord(record.next, previous=record.secret)
        elif record.previous:
            following = SecretRecord(record.secret)
        else:
            following = SecretRecord(record.secret, next=_make(dice))
        guard = unchanged_since(keys.secret, item.mod_revision)
        await metastore.commit(Transaction(compares=(guard,), puts=(Put(keys.secret, encode(following)),)))
        if record.previous:
            return True
        await pause()


def _make(dice: Dice) -> str:
    return base64.b64encode(dice.random_bytes(SECRET_BYTES)).decode()
