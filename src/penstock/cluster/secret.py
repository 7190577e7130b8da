"""The secret that all brokers of a cluster know, and nobody else: whoever can read the metadata store (RULES 25)."""

import base64

from penstock.cluster.keys import Keys
from penstock.cluster.records import Decoders, SecretRecord, encode
from penstock.metastore import Conflict, Metastore, Put, Transaction, absent
from penstock.model import Dice

SECRET_BYTES = 32


async def ensure_secret(metastore: Metastore, keys: Keys, dice: Dice) -> bytes:
    """The one there is, else one made up now. It is read once, at start, and is no part of the image."""
    item = await metastore.get(keys.secret)
    if item is None:
        made = base64.b64encode(dice.random_bytes(SECRET_BYTES)).decode()
        put = Put(keys.secret, encode(SecretRecord(made)))
        try:
            await metastore.commit(Transaction(compares=(absent(keys.secret),), puts=(put,)))
        except Conflict:
            pass  # another broker was first
        item = await metastore.get(keys.secret)
        assert item is not None, "the secret is never deleted"
    return base64.b64decode(Decoders.secret.decode(item.value).secret)
