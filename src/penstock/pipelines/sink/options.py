"""What a writer needs to know, on the driver and in every task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from penstock.pipelines.problems import PipelineProblem

MARKERS_TOPIC = "__penstock_sink"
_TRANSACTION_TIMEOUT_MS = 600_000
_PATIENCE_S = 300.0


@dataclass(frozen=True, slots=True)
class SinkOptions:
    bootstrap: str
    topics: tuple[str, ...]
    """Every topic that rows may go to; with more than one, the rows name theirs in the column `topic`."""
    markers: str = MARKERS_TOPIC
    transaction_timeout_ms: int = _TRANSACTION_TIMEOUT_MS
    """How long a transaction whose writer is gone, and is not started again, holds up readers of committed records.
    One that is started again ends it at once, so this is long rather than short: a batch must be written within it."""
    patience_s: float = _PATIENCE_S
    """How long a broker that does not answer is waited for."""
    tasks_max: int | None = None
    """Tasks to write with at most; a task writes its target partitions one after the other."""
    kafka: Mapping[str, str] = field(default_factory=dict)
    """Further settings of librdkafka's clients, such as security.protocol."""

    def __post_init__(self) -> None:
        if not self.topics:
            raise PipelineProblem("the sink needs a topic", hint='Give topic="orders", or topics=[…] for several.')

    def hasty(self, answer_s: float) -> SinkOptions:
        """For a question that somebody waits for at a terminal."""
        return replace(self, patience_s=answer_s)

    def client(self) -> dict[str, Any]:
        return {
            "bootstrap.servers": self.bootstrap,
            "log_level": 2,
            "error_cb": _unheard,
            # Half of it is how long a client waits from its first connection to its second.
            "reconnect.backoff.ms": 20,
            **self.kafka,
        }

    def producer(self, transactional_id: str, *, batch_bytes_max: int) -> dict[str, Any]:
        return {
            "linger.ms": 10,
            "compression.type": "lz4",
            **self.client(),
            "transactional.id": transactional_id,
            "transaction.timeout.ms": self.transaction_timeout_ms,
            # The topic judges how large a record may be, after compression; the client only must not fill a batch of
            # several records beyond that.
            "message.max.bytes": 1_000_000_000,
            "batch.size": batch_bytes_max,
            "delivery.report.only.error": True,
        }

    def consumer(self, *, isolation: str) -> dict[str, Any]:
        return {
            **self.client(),
            "group.id": "penstock-sink",  # never joined or committed to; librdkafka wants one
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "fetch.wait.max.ms": 10,  # the end of the log is told by a fetch that finds nothing
            "auto.offset.reset": "error",
            "isolation.level": isolation,
        }


def _unheard(error: object) -> None:
    """Connections that come and go are librdkafka's business; what fails is told by the call that fails."""
    del error
