"""Which metastore a broker uses: its settings say."""

from collections.abc import Callable
from pathlib import Path

from penstock.metastore.port import Metastore
from penstock.model import Clock
from penstock.settings import Config
from penstock.settings.broker import PENSTOCK_ETCD_ENDPOINTS


async def open_metastore(
    config: Config, folder: Path, clock: Clock, *, make_room: Callable[[], bool] = lambda: False
) -> Metastore:
    """etcd where its endpoints are set, else the broker's own in its first data folder. Close it when done.

    Raises Unavailable in words; StoreBehind when etcd is older than what this folder's broker has seen (RULES 12).
    """
    if not config[PENSTOCK_ETCD_ENDPOINTS]:
        from penstock.metastore.embedded import EmbeddedMetastore  # noqa: PLC0415 - SQLite takes 1 MB

        return await EmbeddedMetastore.open(folder, clock, make_room=make_room)
    # Only here: grpc takes 11 MB and 25 ms (more on a cold disk), and must not be imported before a fork.
    from penstock.metastore.etcd.options import options_from  # noqa: PLC0415
    from penstock.metastore.etcd.store import EtcdMetastore  # noqa: PLC0415

    return await EtcdMetastore.open(options_from(config), folder)
