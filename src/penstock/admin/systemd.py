"""Telling systemd that the broker is ready or stopping (a unit of Type=notify). Without systemd nothing happens."""

import os
import socket
from collections.abc import Mapping

import structlog

_log = structlog.get_logger(__name__)

READY = "READY=1"
STOPPING = "STOPPING=1"
MORE_TIME = "EXTEND_TIMEOUT_USEC=60000000"
"""A start is not over for another minute: whoever waits longer says so again."""


def status(words: str) -> str:
    """What `systemctl status` shows; one line."""
    return "STATUS=" + " ".join(words.split())


def notify(*states: str, environment: Mapping[str, str] | None = None) -> bool:
    """Send states, such as READY or "STATUS=recovering 3 of 12 logs". Says whether anybody listens."""
    address = (os.environ if environment is None else environment).get("NOTIFY_SOCKET")
    if not address:
        return False
    if address[0] == "@":  # an abstract socket: its name begins with a zero byte
        address = "\0" + address[1:]
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as channel:
            channel.sendto("\n".join(states).encode(), address)
    except OSError as error:
        _log.warning("systemd cannot be told", states=states, reason=str(error))
        return False
    return True
