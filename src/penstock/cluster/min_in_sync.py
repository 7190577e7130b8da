"""One min.insync.replicas for all brokers, kept with the cluster's dynamic defaults as Kafka keeps it (KIP-966).

Whoever leads and whoever elects must mean the same number. Kafka writes it once, when a cluster is formatted, and takes
no notice of settings files afterwards. Here a file that was changed still counts: a broker that starts with another
number than files last gave makes that the cluster's, unless a client has set one meanwhile.
"""

import structlog

from penstock.cluster.keys import Keys
from penstock.cluster.records import Decoders, SettingsRecord, encode
from penstock.cluster.resources import BROKER_DEFAULTS
from penstock.metastore import NO_REVISION, Conflict, KeyValue, Metastore, Put, Revision, Transaction, unchanged_since
from penstock.settings.broker_log import MIN_INSYNC_REPLICAS
from penstock.settings.config import Config

NAME = MIN_INSYNC_REPLICAS.name

_log = structlog.get_logger(__name__)


async def agree_on_min_in_sync(metastore: Metastore, keys: Keys, config: Config) -> None:
    given = config.static.get(NAME)
    own = None if given is None else str(MIN_INSYNC_REPLICAS.parse(given))
    while True:
        from_files = await metastore.get(keys.from_files(NAME))
        defaults = await metastore.get(keys.settings(BROKER_DEFAULTS))
        wanted = _wanted(own, now=_texts(defaults).get(NAME), from_files=_texts(from_files).get(NAME))
        if wanted is None:
            return
        try:
            await metastore.commit(
                Transaction(
                    compares=(
                        unchanged_since(keys.from_files(NAME), _revision(from_files)),
                        unchanged_since(keys.settings(BROKER_DEFAULTS), _revision(defaults)),
                    ),
                    puts=(
                        Put(keys.from_files(NAME), encode(SettingsRecord({NAME: wanted}))),
                        Put(keys.settings(BROKER_DEFAULTS), encode(SettingsRecord({**_texts(defaults), NAME: wanted}))),
                    ),
                )
            )
        except Conflict:
            continue
        _log.info("min.insync.replicas set for all brokers", value=wanted, before=_texts(defaults).get(NAME))
        return


def _wanted(own: str | None, *, now: str | None, from_files: str | None) -> str | None:
    """The number to write for the cluster; None where it stays as it is."""
    if now is None:
        return own or str(MIN_INSYNC_REPLICAS.default)
    if own is None or own == now:
        return None
    if now == from_files:
        return own
    _log.warning("min.insync.replicas of the settings file has no effect: a client set another", file=own, cluster=now)
    return None


def _texts(item: KeyValue | None) -> dict[str, str]:
    return {} if item is None else Decoders.settings.decode(item.value).settings


def _revision(item: KeyValue | None) -> Revision:
    return NO_REVISION if item is None else item.mod_revision
