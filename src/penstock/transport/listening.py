"""Sockets that others connect to."""

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable

BACKLOG_MIN = 128


def listen(host: str, port: int, *, backlog: int) -> socket.socket:
    """Bound and listening, for an event loop. An empty host is every interface, port 0 any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setblocking(False)
        sock.bind((host or "0.0.0.0", port))
        sock.listen(max(backlog, BACKLOG_MIN))
    except OSError:
        sock.close()
        raise
    return sock


def prepare_accepted(sock: socket.socket, *, send_buffer_bytes: int, receive_buffer_bytes: int) -> None:
    """What was accepted, for a channel. A size that is not positive leaves the kernel's own."""
    sock.setblocking(False)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, size in ((socket.SO_SNDBUF, send_buffer_bytes), (socket.SO_RCVBUF, receive_buffer_bytes)):
        if size > 0:
            sock.setsockopt(socket.SOL_SOCKET, option, size)


async def serve_streams(
    accept: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
    host: str,
    port: int,
    *,
    limit: int,
    backlog: int,
) -> asyncio.Server:
    """For pages and other small answers, where asyncio's streams are good enough. OSError says why in few words."""
    try:
        # Empty is every interface, which asyncio calls None.
        return await asyncio.start_server(
            accept,
            host or None,
            port,
            limit=limit,
            backlog=backlog,
        )
    except OSError as error:
        why = os.strerror(error.errno) if error.errno is not None and error.errno > 0 else error.strerror
        raise OSError(error.errno, f"{host or '*'}:{port}: {why}") from error
