"""The secret that all brokers of a cluster know, and nobody else (RULES 25).

It is in the metadata store: sealed where brokers have a key for secrets, so that whoever reads the store or a copy of
it is no broker yet. Without such a key whoever can read the store knows it. One that was made before there was a key is
sealed when it is exchanged.

It is exchanged for another in three writes, with time between them for every broker to hear of each, so that at no
moment two brokers have none in common:

    1   the old one, and the one to come     both are believed, brokers prove themselves by the old one
    2   the new one, and the one before      both are believed, brokers prove themselves by the new one
    3   the new one                          whoever knows only the old one is a stranger
"""

import base64
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

from penstock.cluster.keys import Keys
from penstock.cluster.records import Decoders, SecretRecord, encode
from penstock.errors import Fatal
from penstock.metastore import Conflict, Metastore, Put, Transaction, absent, unchanged_since
from penstock.model import Dice

SECRET_BYTES: Final = 32
ABOUT: Final = "the cluster's secret"
SEALED: Final = ":"
"""In every text that is sealed, and never in base64."""


class Sealing(Protocol):
    """Keeps secrets under a key that is not in the store."""

    def seal(self, secret: bytes, *, about: str) -> str:
        """It has a colon in it."""

    def open(self, text: str, *, about: str) -> bytes:
        """ValueError, in words, where it was sealed under another key."""


class SecretSealed(Fatal):
    """It does not open here. In words."""


class Secrets:
    """What a broker proves itself by, and what it believes others by; changes in place while it is exchanged."""

    def __init__(self, current: bytes, *others: bytes, sealing: Sealing | None = None) -> None:
        self.current = current
        self.believed = (current, *others)
        self.is_sealed = False
        """Whether the store's copy tells nobody what it is."""
        self._sealing = sealing

    def take(self, value: bytes) -> None:
        """From the store's record. SecretSealed, and nothing has changed, where it does not open."""
        record = Decoders.secret.decode(value)
        texts = [text for text in (record.secret, record.next, record.previous) if text]
        self.believed = tuple(_opened(text, self._sealing) for text in texts)
        self.current = self.believed[0]
        self.is_sealed = all(SEALED in text for text in texts)


async def ensure_secret(metastore: Metastore, keys: Keys, dice: Dice, sealing: Sealing | None = None) -> Secrets:
    """The one there is, else one made up now. The image tells of a change, but does not keep it."""
    item = await metastore.get(keys.secret)
    if item is None:
        put = Put(keys.secret, encode(SecretRecord(_text(_make(dice), sealing))))
        try:
            await metastore.commit(Transaction(compares=(absent(keys.secret),), puts=(put,)))
        except Conflict:
            pass  # another broker was first
        item = await metastore.get(keys.secret)
        assert item is not None, "the secret is never deleted"
    secrets = Secrets(b"", sealing=sealing)
    secrets.take(item.value)
    return secrets


async def exchange_secret(
    metastore: Metastore, keys: Keys, dice: Dice, pause: Callable[[], Awaitable[None]], sealing: Sealing | None = None
) -> bool:
    """All three writes; goes on where an earlier attempt ended. False: there is none, the cluster was never started.

    Conflict: somebody else is at it. SecretSealed: `sealing` is not what brokers seal by.
    """
    while True:
        item = await metastore.get(keys.secret)
        if item is None:
            return False
        record = Decoders.secret.decode(item.value)
        current = _again(record.secret, sealing)
        if record.next:
            following = SecretRecord(_again(record.next, sealing), previous=current)
        elif record.previous:
            following = SecretRecord(current)
        else:
            following = SecretRecord(current, next=_text(_make(dice), sealing))
        guard = unchanged_since(keys.secret, item.mod_revision)
        await metastore.commit(Transaction(compares=(guard,), puts=(Put(keys.secret, encode(following)),)))
        if record.previous:
            return True
        await pause()


def _make(dice: Dice) -> bytes:
    return dice.random_bytes(SECRET_BYTES)


def _text(secret: bytes, sealing: Sealing | None) -> str:
    return base64.b64encode(secret).decode() if sealing is None else sealing.seal(secret, about=ABOUT)


def _opened(text: str, sealing: Sealing | None) -> bytes:
    if SEALED not in text:
        return base64.b64decode(text)
    if sealing is None:
        raise SecretSealed(
            "the cluster's secret is sealed: set penstock.secrets.key.file to the file that the other brokers have"
        )
    try:
        return sealing.open(text, about=ABOUT)
    except ValueError as problem:
        raise SecretSealed(f"penstock.secrets.key.file is not the one of the other brokers: {problem}") from None


def _again(text: str, sealing: Sealing | None) -> str:
    """Sealed by the key that is used now, whatever it was before."""
    return _text(_opened(text, sealing), sealing)
