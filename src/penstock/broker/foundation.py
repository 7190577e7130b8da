"""What a broker stands on before it has any service: the metadata store, its cluster, its data folders.

A broker that stands alone locks its first folder and finds the store in there. One of several, which share an etcd,
asks the store first which cluster it is.
"""

import resource
from collections.abc import Iterable, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path

import structlog

from penstock.access.secrets_file import SecretsFile
from penstock.cluster import Cluster, ClusterPorts, ControllerMetrics, StoreWait, TcpProbe, new_cluster_id
from penstock.errors import Fatal, Refusal
from penstock.log import (
    FilePool,
    LogFolder,
    give_up_reserve,
    read_identity,
    require_first_folder,
    require_known_folders,
)
from penstock.metastore import Metastore, MetastoreError, open_metastore
from penstock.metrics import MetricsRegistry
from penstock.model import BrokerId, Clock, Dice
from penstock.settings import Config, data_folders
from penstock.settings import broker as settings
from penstock.transport import ContextOf, without_tls

OPEN_FILES_MIN = 64
PROBE_PATIENCE = 0.75
"""Of a heartbeat: an answer that takes longer has missed it, and the next is asked for in time."""

_log = structlog.get_logger(__name__)


class Foundation:
    def __init__(
        self,
        config: Config,
        *,
        clock: Clock,
        dice: Dice,
        registry: MetricsRegistry,
        metastore: Metastore | None,
        context_of: ContextOf = without_tls,
    ) -> None:
        """`context_of`: for connections to other brokers."""
        self._config = config
        self._context_of = context_of
        self._clock = clock
        self._dice = dice
        self._registry = registry
        self._shared_metastore = metastore
        self._me = BrokerId(config[settings.NODE_ID])
        self.store_wait = StoreWait()
        self.cluster: Cluster | None = None
        self.cluster_id = ""
        self.folders: list[LogFolder] = []
        self.is_folder_gone = False
        """A data folder of the former start was given up."""

    async def open(self, closing: AsyncExitStack) -> Cluster:
        """All of it, to be closed by `closing`. The image is there and kept up to date."""
        is_shared = self._shared_metastore is not None or self._config[settings.PENSTOCK_ETCD_ENDPOINTS]
        self.cluster = await (self._open_among_others(closing) if is_shared else self._open_alone(closing))
        return self.cluster

    async def _open_alone(self, closing: AsyncExitStack) -> Cluster:
        paths = data_folders(self._config)
        require_first_folder(paths)
        self._open_folders(closing, paths[:1], self._cluster_id_on_disk() or new_cluster_id(self._dice))
        with start_refused_in_words():
            first = self.folders[0].path
            metastore = await open_metastore(self._config, first, self._clock, make_room=lambda: give_up_reserve(first))
            closing.push_async_callback(metastore.close)
            cluster = Cluster(metastore, broker_id=self._me, config=self._config, dice=self._dice)
            self.cluster_id = await cluster.start(proposed_cluster_id=self.folders[0].identity.cluster_id)
        closing.push_async_callback(cluster.stop)
        self._look_for_folders(cluster)
        self._open_folders(closing, paths[1:], self.cluster_id)
        return cluster

    async def _open_among_others(self, closing: AsyncExitStack) -> Cluster:
        """The store is asked for the cluster's id before the data folder takes one (RULES 15)."""
        first = data_folders(self._config)[0]
        first.mkdir(mode=0o700, parents=True, exist_ok=True)
        with start_refused_in_words():
            metastore = self._shared_metastore
            if metastore is None:
                metastore = await self.store_wait.answered(lambda: open_metastore(self._config, first, self._clock))
                closing.push_async_callback(metastore.close)
            heartbeat_s = self._config[settings.PENSTOCK_BROKER_HEARTBEAT_MS] / 1000
            probe = TcpProbe(timeout_s=heartbeat_s * PROBE_PATIENCE, context_of=self._context_of)
            metrics = self._registry.of(ControllerMetrics)
            cluster = Cluster(
                metastore,
                broker_id=self._me,
                config=self._config,
                dice=self._dice,
                name=self._config[settings.PENSTOCK_CLUSTER_NAME],
                others=ClusterPorts(
                    self._clock,
                    probe,
                    metrics=metrics,
                    wait=self.store_wait,
                    sealing=SecretsFile(self._config, stands_alone=False).keys(),
                ),
            )
            self.cluster_id = await cluster.start(proposed_cluster_id=self._cluster_id_on_disk())
        closing.push_async_callback(cluster.stop)
        self._look_for_folders(cluster)
        self._open_folders(closing, data_folders(self._config), self.cluster_id)
        return cluster

    # Data folders -----------------------------------------------------------------------------------------------

    def _look_for_folders(self, cluster: Cluster) -> None:
        """Before any is taken: refused where they are not those that the broker had, unless that is meant (RULES
        46).
        """
        former = cluster.last_identity()
        if former is None:
            return
        gone = require_known_folders(
            data_folders(self._config),
            broker_id=self._me,
            first=former.folder_id,
            folders=former.folders,
            machine=former.machine,
            accepted=self._config[settings.PENSTOCK_LOG_DIRS_ACCEPT],
        )
        if gone:
            _log.warning("data folders given up", ids=gone)
            self.is_folder_gone = True

    def _open_folders(self, closing: AsyncExitStack, paths: Iterable[Path], cluster_id: str) -> None:
        pool = self.folders[0].pool if self.folders else FilePool(self._open_files_max())
        for path in paths:
            folder = LogFolder(path, cluster_id=cluster_id, node_id=self._me, pool=pool, clock=self._clock)
            closing.callback(self._close_folder, folder)
            self.folders.append(folder)

    def _close_folder(self, folder: LogFolder) -> None:
        folder.close(broker_epoch=-1 if self.cluster is None else self.cluster.broker_epoch)

    def _cluster_id_on_disk(self) -> str | None:
        for path in data_folders(self._config):
            identity = read_identity(path)
            if identity is not None:
                return identity.cluster_id
        return self._config[settings.PENSTOCK_CLUSTER_ID] or None

    def _open_files_max(self) -> int:
        """Half of what the process may open, after asking for as much as it is allowed: sockets need the rest."""
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft < hard:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
            soft = hard
        return self._config[settings.PENSTOCK_OPEN_FILES_MAX] or max(soft // 2, OPEN_FILES_MIN)


@contextmanager
def start_refused_in_words() -> Iterator[None]:
    """What stands in the way of a start is for a person to read, and no bug."""
    try:
        yield
    except Refusal as refusal:
        raise Fatal(refusal.message) from refusal
    except MetastoreError as error:
        raise Fatal(str(error)) from error
