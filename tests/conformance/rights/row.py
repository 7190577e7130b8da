"""A row of the table of rights, and what the rows' requests are about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

Body = dict[str, Any]

THERE, MISSING = "rights-there", "rights-missing"
GROUP, TRANSACTION = "rights-group", "rights-transaction"
TOPIC_ID, NO_ID = "$id", bytes(15) + b"\x07"
CLUSTER_RESOURCE, TOPIC_RESOURCE, BROKER_RESOURCE, LOGGER_RESOURCE, METRICS_RESOURCE, GROUP_RESOURCE = (
    4,
    2,
    4,
    8,
    16,
    32,
)
TRANSACTIONAL: Final = 0x10
TIMEOUT = {"timeout_ms": 60_000}


@dataclass(frozen=True)
class Row:
    api: str
    body: Body
    name: str = ""
    version: int = 0
    lists: str = ""
    """What of the answer tells names that the request did not give: the field that holds them."""

    @property
    def title(self) -> str:
        return f"{self.api} v{self.version}{': ' if self.name else ''}{self.name}"
