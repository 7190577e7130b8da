"""Ports that stay ours while the broker that listens on them is down.

A port that is merely remembered can be given to somebody else between a kill and the next start. A socket that is bound
and never listens keeps it: the kernel hands a bound port to nobody who asks for any port, and lets the broker, which
sets SO_REUSEADDR as this does, listen on it.
"""

import re
import socket
from weakref import finalize

_ANY_PORT = re.compile(r"(?P<before>[^,]*?)(?P<host>\[[0-9a-fA-F:.%]+\]|[^/:,\[\]]*):0(?=,|$)")


def keep_ports(owner: object, addresses: str) -> str:
    """The same addresses with a port for each that asks for any (`:0`), kept for as long as the owner lives."""
    return _ANY_PORT.sub(lambda found: f"{found['before']}{found['host']}:{_keep_one(owner, found['host'])}", addresses)


def _keep_one(owner: object, host: str) -> int:
    host = host.strip("[]")
    sock = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, 0))
    except BaseException:
        sock.close()
        raise
    finalize(owner, sock.close)
    port: int = sock.getsockname()[1]
    return port
