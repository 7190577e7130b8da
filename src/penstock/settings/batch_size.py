"""How large a batch may be: as fits the request that brings it. All who take batches take that much (RULES 48)."""

from typing import Final

from penstock.settings.broker import SOCKET_REQUEST_MAX_BYTES
from penstock.settings.config import Config

BESIDE_A_BATCH: Final = 128 * 1024
"""What else a Produce request has: names, above all, of which client and transactional id may have 32 KiB each."""


def batch_bytes_max(broker: Config) -> int:
    """The largest batch that can be sent to this broker."""
    return max(broker[SOCKET_REQUEST_MAX_BYTES] - BESIDE_A_BATCH, 0)


def why_too_large(name: str, value: int, broker: Config) -> str | None:
    """What is wrong with a limit for batches, in words; None where they fit a request."""
    most = batch_bytes_max(broker)
    if value <= most:
        return None
    return (
        f"{name} ({value}) is more than fits a request: socket.request.max.bytes "
        f"({broker[SOCKET_REQUEST_MAX_BYTES]}) leaves {most} for a batch. Lower the one or raise the other"
    )
