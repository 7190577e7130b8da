"""A broker as a program: the node, its HTTP pages, the file that tells its addresses, and systemd's notification.

`run` serves until it is cancelled, and has stopped cleanly when it returns.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager

import structlog

from penstock.access.audit import known_heads
from penstock.admin import systemd
from penstock.admin.addresses import forget_addresses, tell_addresses
from penstock.admin.http import HttpServer
from penstock.admin.pages import FolderTrouble, Health, LogTrouble, pages
from penstock.broker.node import Node
from penstock.log import FREE_BYTES_MIN, LogFolder
from penstock.model import TopicPartition
from penstock.settings import Config, data_folders
from penstock.settings import broker as settings
from penstock.settings.exposure import open_listeners
from penstock.settings.listeners import http_listener

_log = structlog.get_logger(__name__)

STORE = "the metadata store"


async def run(config: Config) -> None:
    async with running(config):
        await asyncio.Event().wait()


@asynccontextmanager
async def running(config: Config) -> AsyncIterator[Node]:
    node = Node(config)
    node.store_wait.told = _tell_systemd
    try:
        node.read_certificates()
        async with AsyncExitStack() as closing:
            http = _http_server(config, node)
            if http is not None:
                await closing.enter_async_context(http)
            await closing.enter_async_context(node.running())
            folder = data_folders(config)[0]
            closing.callback(forget_addresses, folder)
            tell_addresses(
                folder,
                listeners={name: _address(at.host, at.port) for name, at in node.endpoints.items()},
                http=None if http is None else http.address,
            )
            _warn_of_open_listeners(config)
            systemd.notify(systemd.READY, systemd.status("ready"))
            try:
                yield node
            finally:
                systemd.notify(systemd.STOPPING)
    except BaseExceptionGroup as group:
        # One background task failed, or one start step: its own error says more than the group around it.
        if len(group.exceptions) == 1:
            raise group.exceptions[0] from None
        raise


def _warn_of_open_listeners(config: Config) -> None:
    for listener in open_listeners(config):
        _log.warning(
            "anybody who reaches this listener may read, write and delete everything",
            listener=str(listener),
            advice="ask who is there (SASL_SSL) and set authorizer.class.name; `penstock init --secure` makes both",
        )


def _tell_systemd(waits_because: str | None) -> None:
    if waits_because is None:
        systemd.notify(systemd.status("starting"))
    else:
        systemd.notify(systemd.status(f"waiting for {STORE}: {waits_because}"), systemd.MORE_TIME)


def _http_server(config: Config, node: Node) -> HttpServer | None:
    listener = http_listener(config)
    if listener is None:
        return None
    return HttpServer(
        pages(NodeFacts(node), node.registry),
        host=listener.host,
        port=listener.port,
        connections_max=config[settings.PENSTOCK_HTTP_CONNECTIONS_MAX],
        timeout_seconds=config[settings.PENSTOCK_HTTP_TIMEOUT_MS] / 1000,
        tls=node.tls.of_streams(listener.name) if node.tls is not None and listener.has_tls else None,
    )


class NodeFacts:
    """What a node says of its own well-being."""

    def __init__(self, node: Node) -> None:
        self._node = node

    @property
    def is_ready(self) -> bool:
        return self._node.is_ready

    def health(self) -> Health:
        node = self._node
        return Health(
            broker_id=node.broker_id,
            cluster_id=node.cluster_id,
            waiting_for=f"{STORE}: {node.store_wait.reason}" if node.store_wait.reason is not None else "",
            offline_logs=_troubles(node.partitions.offline() if node.partitions is not None else {}),
            damaged_logs=_troubles({p: f"{count} bad batches" for p, count in node.damaged_batches().items()}),
            uncleanable_logs=_troubles(node.uncleanable_logs()),
            incomplete_logs=_troubles(node.incomplete_logs()),
            full_folders=[str(folder.path) for folder in node.folders if _is_full(folder)],
            failing_folders=[
                FolderTrouble(str(folder.path), step, reason)
                for folder in node.folders
                for step, reason in sorted(folder.failing.items())
            ],
            audit_log="" if node.services is None or node.services.audit is None else node.services.audit.trouble,
            audit_heads={} if node.services is None else known_heads(node.services.image),
            open_listeners=[str(listener) for listener in open_listeners(node.config)],
            set_aside=[str(folder.path / name) for folder in node.folders for name in folder.strays],
        )


def _troubles(found: Mapping[TopicPartition, str]) -> list[LogTrouble]:
    return [LogTrouble(str(partition), reason) for partition, reason in sorted(found.items())]


def _is_full(folder: LogFolder) -> bool:
    try:
        space = os.statvfs(folder.path)
    except OSError:
        return True
    return space.f_bavail * space.f_frsize < FREE_BYTES_MIN


def _address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
