"""/health, /ready and /metrics.

Health is about the broker's promises: it is not well when a log is offline or a disk is full, although it still serves
the rest. Ready is about traffic: whether it listens. An orchestrator restarts on neither: it routes by ready and tells
a person about health.
"""

import asyncio
from http import HTTPStatus
from typing import Protocol

import msgspec

from penstock import __version__
from penstock.access.audit import KnownHead
from penstock.admin.http import Page, Request, Response
from penstock.metrics import MetricsRegistry, render

_JSON = "application/json"


class LogTrouble(msgspec.Struct, frozen=True):
    """A partition (topic-number), and what is wrong with its log."""

    name: str
    reason: str


class FolderTrouble(msgspec.Struct, frozen=True):
    """A data folder, which part of its upkeep fails, and why."""

    folder: str
    step: str
    reason: str


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """What the node knows of its own well-being at this moment."""

    broker_id: int
    cluster_id: str
    waiting_for: str = ""
    """What a start waits for, and why it has not come: the metadata store."""
    offline_logs: list[LogTrouble] = []
    damaged_logs: list[LogTrouble] = []
    """Logs with batches that are refused because their checksum is wrong; the rest of them is served."""
    uncleanable_logs: list[LogTrouble] = []
    incomplete_logs: list[LogTrouble] = []
    """Logs that were missing or too short when the broker started, and have not caught up since."""
    full_folders: list[str] = []
    failing_folders: list[FolderTrouble] = []
    """Data folders whose retention, checkpoints or other upkeep failed when it was last tried."""
    audit_log: str = ""
    """Why the audit log cannot be written to: admin requests are refused until it can."""
    audit_heads: dict[str, KnownHead] = {}
    """How far each broker's audit log is known to reach, for `penstock audit verify`."""
    open_listeners: list[str] = []
    """Those beyond this machine where anybody may do everything: said loudly, and no reason to be unwell."""
    set_aside: list[str] = []
    """Folders of topics that nobody knows: kept, not served, and no reason to be unwell."""

    @property
    def is_well(self) -> bool:
        logs = (self.offline_logs, self.damaged_logs, self.uncleanable_logs, self.incomplete_logs)
        return not (self.waiting_for or self.audit_log or any(logs) or self.full_folders or self.failing_folders)


class HealthFacts(Protocol):
    """What a node must be able to say."""

    @property
    def is_ready(self) -> bool:
        """Whether it listens and answers."""

    def health(self) -> Health: ...


class HealthPage(msgspec.Struct, frozen=True, kw_only=True):
    status: str
    version: str
    ready: bool
    broker_id: int
    cluster_id: str
    waiting_for: str
    offline_logs: list[LogTrouble]
    damaged_logs: list[LogTrouble]
    uncleanable_logs: list[LogTrouble]
    incomplete_logs: list[LogTrouble]
    full_folders: list[str]
    failing_folders: list[FolderTrouble]
    audit_log: str
    audit_heads: dict[str, KnownHead]
    open_listeners: list[str]
    set_aside: list[str]


def pages(facts: HealthFacts, registry: MetricsRegistry) -> dict[str, Page]:
    async def health(_request: Request) -> Response:
        found = facts.health()
        page = HealthPage(
            status="ok" if found.is_well else "degraded",
            version=__version__,
            ready=facts.is_ready,
            broker_id=found.broker_id,
            cluster_id=found.cluster_id,
            waiting_for=found.waiting_for,
            offline_logs=found.offline_logs,
            damaged_logs=found.damaged_logs,
            uncleanable_logs=found.uncleanable_logs,
            incomplete_logs=found.incomplete_logs,
            full_folders=found.full_folders,
            failing_folders=found.failing_folders,
            audit_log=found.audit_log,
            audit_heads=found.audit_heads,
            open_listeners=found.open_listeners,
            set_aside=found.set_aside,
        )
        return _json(page, HTTPStatus.OK if found.is_well else HTTPStatus.SERVICE_UNAVAILABLE)

    async def ready(_request: Request) -> Response:
        if facts.is_ready:
            return _json({"status": "ready"}, HTTPStatus.OK)
        return _json({"status": "not ready"}, HTTPStatus.SERVICE_UNAVAILABLE)

    async def metrics(request: Request) -> Response:
        # The numbers are read on the loop, which takes little; writing them out takes long with many partitions.
        families = registry.snapshot()
        body, content_type = await asyncio.to_thread(render, families, request.headers.get("accept", ""))
        return Response(body, content_type)

    return {"/health": health, "/ready": ready, "/metrics": metrics}


def _json(value: object, status: HTTPStatus) -> Response:
    return Response(msgspec.json.encode(value) + b"\n", _JSON, status)
