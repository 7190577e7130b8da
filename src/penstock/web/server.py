"""The process: uvicorn around the application, ended by SIGTERM, by Ctrl-C, or with the process that started it."""

import asyncio
import logging
import os
import signal
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog
import uvicorn
from litestar import Litestar

from penstock.web import slashes

HEAD_BYTES_MAX = 64 * 1024
"""Of a request. A longer one gets 400."""
STOP_S = 5
"""So long a request may go on once a stop is asked for."""
STUCK_MS = 120_000
"""A connection whose other end takes nothing for so long is ended by the kernel."""
NICE = 5
OOM_SCORE = 500

_log = structlog.get_logger(__name__)


class _Server(uvicorn.Server):
    """Ends with exit code 0 when asked to; uvicorn's own raises the signal once more."""

    stopping: asyncio.Event
    """Set as soon as a stop is asked for, so that streams end by themselves."""
    told: Callable[[], None]
    """Called when requests are answered."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if not self.should_exit:
            self.told()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.stop, number)
        yield

    def stop(self, number: int = signal.SIGTERM) -> None:
        self.stopping.set()
        self.handle_exit(number, None)


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; OSError where it cannot."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=1024)


def address_of(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def yield_to_others() -> None:
    """For a process beside a broker: when processor or memory are short, it is the broker that goes on."""
    try:
        os.nice(NICE)
        with open("/proc/self/oom_score_adj", "w", encoding="ascii") as score:
            score.write(str(OOM_SCORE))
    except OSError:
        pass  # as others may have decided, or another system


async def serve(
    app: Litestar,
    listening: socket.socket,
    *,
    connections_max: int,
    told: Callable[[], None] = lambda: None,
    tls: ssl.SSLContext | None = None,
    lifeline: int | None = None,
) -> None:
    """Until it is asked to stop. `told` is called when it answers. `lifeline`: a file that ends when the process that
    started this one does.
    """
    config = uvicorn.Config(
        slashes.kept(app), http="h11", ws="wsproto", loop="none", lifespan="on", log_config=None, access_log=False,
        server_header=False, date_header=False, limit_concurrency=connections_max,
        h11_max_incomplete_event_size=HEAD_BYTES_MAX, timeout_graceful_shutdown=STOP_S, proxy_headers=False,
    )  # fmt: skip
    if tls is not None:
        config.load()
        config.ssl = tls
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    server = _Server(config)
    server.told = told
    server.stopping = app.state.streams.stopping
    if lifeline is not None:
        loop = asyncio.get_running_loop()

        def read() -> None:
            if not os.read(lifeline, 1):
                loop.remove_reader(lifeline)
                server.stop()

        loop.add_reader(lifeline, read)
    # Connections take it over. Head and body of an answer are two writes, and the second would wait for a late ACK.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, STUCK_MS)  # those that are accepted have it too
    await server.serve(sockets=[listening])
    _log.info("web stopped")
