"""The broker's listening sockets and the connections that came in through them.

Bounds: `max.connections` over all and of one listener, `max.connections.per.ip` an address and what the process may
open (a connection over one of them is closed at once, unless it may be a broker's: see `OverLimitConnections`; brokers
do not count), how fast connections come (`ConnectionRates`), `connections.max.idle.ms` for one on which nothing moves,
and `penstock.frame.stall.ms` for one that stops in the middle of a frame. Out of descriptors, accepting pauses for a
moment rather than spinning.
"""

import asyncio
import mmap
import resource
import socket
import sys
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable
from typing import TYPE_CHECKING, Any

import msgspec
import structlog

from penstock.access.principal import ANONYMOUS, Principal
from penstock.access.quotas.entities import CONNECTION_CREATION_RATE
from penstock.access.subject import Subject
from penstock.broker.after_receive import AfterReceive
from penstock.broker.buffers import RequestMemory
from penstock.broker.connection import SCRATCH_SIZE, Connection, FrameHandler, Limits
from penstock.broker.connection_rates import ConnectionRates
from penstock.broker.logins import Logins
from penstock.broker.metrics import CONNECTION_COUNT, REQUEST_MEMORY, ConnectionMetrics
from penstock.broker.over_limit import WAITING_MAX, OverLimitConnections
from penstock.metrics import MetricsRegistry
from penstock.settings import Config
from penstock.settings import broker as settings
from penstock.settings.listeners import Listener
from penstock.settings.per_listener import ListenerConfig
from penstock.transport import Channel, SocketChannel, listen, prepare_accepted

if TYPE_CHECKING:
    from penstock.broker.tls_acceptor import TlsAcceptor

ACCEPT_AT_ONCE = 64
ACCEPT_PAUSE_S = 0.1
TURNED_AWAY_SAID_EVERY_S = 1.0
DESCRIPTORS_KEPT = 64
"""Connections leave so many of the process's open files to checkpoints, metadata, flushes and compaction."""
SWEEP_EVERY_S = 5.0
SWEEP_EVERY_S_MIN = 0.05
LAST_ANSWERS_STALL_S = 0.5
"""How long a stopping broker waits while no peer takes anything of what it is sent."""

_log = structlog.get_logger(__name__)


class SocketServer:
    def __init__(
        self,
        config: Config,
        handler: FrameHandler,
        *,
        afterwards: AfterReceive,
        registry: MetricsRegistry,
        spawn: Callable[[Coroutine[Any, Any, Any]], "asyncio.Task[Any]"],
        peer_listener: str | None = None,
        tls: "TlsAcceptor | None" = None,
        logins: Logins | None = None,
        rates: ConnectionRates | None = None,
    ) -> None:
        """`peer_listener`: where other brokers come in, if there are any. `tls` and `logins`: for listeners that take
        them.
        """
        self._logins = logins
        self._rates = rates
        self._config = config
        self._handler = handler
        self._afterwards = afterwards
        self._metrics = registry.of(ConnectionMetrics)
        self._spawn = spawn
        self._tls = tls
        memory_max = config[settings.QUEUED_MAX_REQUEST_BYTES]
        self._memory = RequestMemory(sys.maxsize if memory_max < 0 else memory_max)
        # The kernel gives a page of it when something is first received into that: a quiet broker needs few.
        self._scratch = memoryview(mmap.mmap(-1, SCRATCH_SIZE, flags=mmap.MAP_PRIVATE))
        self._limits = Limits(
            frame_size_max=config[settings.SOCKET_REQUEST_MAX_BYTES],
            in_flight_max=config[settings.PENSTOCK_REQUESTS_IN_FLIGHT_MAX],
        )
        self._limits_of_strangers = Limits(
            frame_size_max=config[settings.SASL_SERVER_MAX_RECEIVE_SIZE],
            in_flight_max=config[settings.PENSTOCK_REQUESTS_IN_FLIGHT_MAX],
            is_for_strangers=True,
        )
        # The kernel hands out the lowest free descriptor: its number tells how many are taken.
        self._descriptors_max = resource.getrlimit(resource.RLIMIT_NOFILE)[0] - DESCRIPTORS_KEPT
        self._listening: dict[str, socket.socket] = {}
        self._connections: set[Connection] = set()
        self._of_brokers: set[Connection] = set()
        self._peer_listener = peer_listener
        self._over_limit = OverLimitConnections(
            handler,
            patience_s=2 * config[settings.PENSTOCK_BROKER_HEARTBEAT_MS] / 1000,
            turned_away=lambda connection: self._note_turned_away(connection.peer, "max.connections"),
        )
        self._per_address: Counter[str] = Counter()
        self._per_listener: Counter[str] = Counter()
        self._turned_away_said, self._turned_away_unsaid = float("-inf"), 0
        registry.read(CONNECTION_COUNT, lambda: [((), len(self._connections))])
        registry.read(REQUEST_MEMORY, lambda: [((), self._memory.bytes_held)])

    def bind(self, listeners: Iterable[Listener]) -> dict[str, int]:
        """Open every listener; the answer has the real ports, by name. Connections wait until `accept`."""
        listeners = tuple(listeners)
        encrypted = [f"use {listener}" for listener in listeners if listener.has_tls]
        self._limits = msgspec.structs.replace(self._limits, encrypted_at=", or ".join(encrypted))
        for listener in listeners:
            self._listening[listener.name] = _listen(
                listener, backlog=self._config[settings.SOCKET_LISTEN_BACKLOG_SIZE]
            )
        return {name: int(sock.getsockname()[1]) for name, sock in self._listening.items()}

    def accept(self) -> None:
        loop = asyncio.get_running_loop()
        for name, sock in self._listening.items():
            loop.add_reader(sock.fileno(), self._accept_some, name, sock)

    def _accept_some(self, listener: str, sock: socket.socket) -> None:
        for _ in range(ACCEPT_AT_ONCE):
            try:
                accepted, address = sock.accept()
            except BlockingIOError:
                return
            except OSError as error:
                _log.warning("cannot accept", listener=listener, error=str(error))
                self._pause_accepting(listener, sock)
                return
            self._admit(listener, accepted, str(address[0]), int(address[1]))
            pause_s = 0.0 if self._rates is None else self._rates.pause_s(listener)
            if pause_s > 0:
                self._pause_accepting(listener, sock, pause_s)
                return

    def _pause_accepting(self, listener: str, sock: socket.socket, seconds: float = ACCEPT_PAUSE_S) -> None:
        loop = asyncio.get_running_loop()
        loop.remove_reader(sock.fileno())

        def go_on() -> None:
            if sock.fileno() >= 0:
                loop.add_reader(sock.fileno(), self._accept_some, listener, sock)

        loop.call_later(seconds, go_on)

    def _admit(self, listener: str, sock: socket.socket, host: str, port: int) -> None:
        self._metrics.accepted += 1
        limit = self._limit_reached(sock, listener, host)
        may_be_broker = listener == self._peer_listener and sock.fileno() < self._descriptors_max + WAITING_MAX
        if limit is not None and not may_be_broker:
            self._note_turned_away(host, limit)
            if limit == CONNECTION_CREATION_RATE and self._rates is not None:
                self._rates.turn_away_later(sock)
            else:
                sock.close()
            return
        _prepare(sock, self._config)
        self._per_address[host] += 1
        peer = f"{host}:{port}"
        if self._tls is not None and self._tls.concerns(listener):
            self._tls.begin(
                listener,
                sock,
                peer,
                ready=lambda channel, principal: self._open(channel, listener, peer, limit, principal),
                failed=lambda: self._forget_address(host),
            )
        else:
            self._open(SocketChannel(sock, asyncio.get_running_loop()), listener, peer, limit)

    def _open(
        self, channel: Channel, listener: str, peer: str, limit: str | None, principal: Principal = ANONYMOUS
    ) -> None:
        """`limit`: which one it came in over."""
        loop = asyncio.get_running_loop()
        connection = Connection(
            channel,
            listener=listener,
            peer=peer,
            loop=loop,
            handler=self._handler if limit is None else self._over_limit,
            memory=self._memory,
            scratch=self._scratch,
            afterwards=self._afterwards,
            limits=self._limits if limit is None else self._limits_of_strangers,
            spawn=self._spawn,
            on_closed=self._closed,
        )
        if principal is not ANONYMOUS:
            connection.caller.subject = Subject(principal, host=connection.caller.subject.host)
        self._connections.add(connection)
        self._per_listener[listener] += 1
        if listener == self._peer_listener:
            connection.caller.on_proved = lambda: self._is_of_broker(connection)
        if limit is not None:
            self._over_limit.wait(connection)
        elif self._logins is not None and self._logins.guards(listener):
            self._logins.begin(connection, self._handler, self._limits)

    def _limit_reached(self, sock: socket.socket, listener: str, host: str) -> str | None:
        others = len(self._of_brokers) + len(self._over_limit)
        half_open = 0 if self._tls is None else len(self._tls)
        if len(self._connections) + half_open - others >= self._config[settings.MAX_CONNECTIONS]:
            return "max.connections"
        if sock.fileno() >= self._descriptors_max:
            return "open files"
        if self._per_address[host] >= self._address_limit(host):
            return "max.connections.per.ip"
        own = ListenerConfig(self._config, listener).own(settings.MAX_CONNECTIONS)
        if own is not None and self._per_listener[listener] >= own:
            return f"max.connections of {listener}"
        if self._rates is not None and self._rates.is_too_fast(host):
            return CONNECTION_CREATION_RATE
        return None

    def _is_of_broker(self, connection: Connection) -> None:
        if connection not in self._of_brokers:
            self._of_brokers.add(connection)
            self._forget_address(_host_of(connection))
            self._over_limit.left(connection)
            connection.hand_to(self._handler, self._limits)

    def _address_limit(self, host: str) -> int:
        overrides = self._config[settings.MAX_CONNECTIONS_PER_IP_OVERRIDES]
        for entry in filter(None, overrides.split(",")):
            address, _, limit = entry.rpartition(":")
            if address.strip() == host:
                return int(limit)
        return self._config[settings.MAX_CONNECTIONS_PER_IP]

    def _note_turned_away(self, peer: str, limit: str) -> None:
        """A flood of them is told of once a second."""
        self._metrics.turned_away += 1
        now = asyncio.get_running_loop().time()
        if now - self._turned_away_said < TURNED_AWAY_SAID_EVERY_S:
            self._turned_away_unsaid += 1
            return
        _log.warning("connection turned away", peer=peer, limit=limit, before=self._turned_away_unsaid)
        self._turned_away_said, self._turned_away_unsaid = now, 0

    def _closed(self, connection: Connection) -> None:
        connection.caller.on_proved = None
        if connection.caller.on_closed is not None:
            connection.caller.on_closed()
        if connection.caller.on_gone is not None:
            connection.caller.on_gone()
        if connection.caller.tenant is not None:
            connection.caller.tenant.leave()
        self._connections.discard(connection)
        self._per_listener[connection.listener] -= 1
        self._over_limit.left(connection)
        if connection in self._of_brokers:
            self._of_brokers.discard(connection)
        else:
            self._forget_address(_host_of(connection))
        self._metrics.closed += 1

    def _forget_address(self, host: str) -> None:
        self._per_address[host] -= 1
        if not self._per_address[host]:
            del self._per_address[host]

    async def sweep(self) -> None:
        """Close what is idle for too long, for as long as the broker runs. Brokers keep theirs: closing one would make
        this broker a suspect.
        """
        loop = asyncio.get_running_loop()
        while True:
            stall_ms = self._config[settings.PENSTOCK_FRAME_STALL_MS]
            idle_ms_max = self._config[settings.CONNECTIONS_MAX_IDLE_MS]
            shortest_ms = min(stall_ms, idle_ms_max) if idle_ms_max >= 0 else stall_ms
            await asyncio.sleep(max(min(SWEEP_EVERY_S, shortest_ms / 4_000), SWEEP_EVERY_S_MIN))
            now = loop.time()
            for connection in list(self._connections):
                idle_ms = connection.idle_s(now) * 1000
                if connection.is_frame_late(now, stall_ms / 1000):
                    connection.close("stalled within a frame")
                elif 0 <= idle_ms_max < idle_ms and not connection.is_waited_for and not connection.caller.is_broker:
                    connection.close("idle")

    def send_away(self) -> None:
        """Close clients' connections, so that they look for other brokers; the brokers' own stay. Who comes again is
        answered: it is told of no leader here.
        """
        clients = [connection for connection in self._connections if connection not in self._of_brokers]
        for connection in clients:
            connection.close("cut off from the cluster")

    async def stop(self) -> None:
        """Take no more connections and requests, give answers under way a moment to leave, then close."""
        loop = asyncio.get_running_loop()
        for sock in self._listening.values():
            loop.remove_reader(sock.fileno())
            sock.close()
        if self._tls is not None:
            self._tls.close()
        if self._rates is not None:
            self._rates.close()
        for connection in list(self._connections):
            connection.take_no_more()
        await self._last_answers(loop)
        for connection in list(self._connections):
            connection.close("the broker stops")

    async def _last_answers(self, loop: asyncio.AbstractEventLoop) -> None:
        """Requests that are being carried out get their time; a peer that does not read gets next to none."""
        now = loop.time()
        deadline, moved_at, unsent_before = now + self._config[settings.PENSTOCK_SHUTDOWN_TIMEOUT_MS] / 1000, now, -1
        while now < deadline:
            unsent = sum(connection.unsent_bytes for connection in self._connections)
            is_working = any(connection.is_working for connection in self._connections)
            if is_working or unsent != unsent_before:
                unsent_before, moved_at = unsent, now
            if not is_working and (not unsent or now - moved_at > LAST_ANSWERS_STALL_S):
                return
            await asyncio.sleep(0.01)
            now = loop.time()


def _host_of(connection: Connection) -> str:
    return connection.peer.rpartition(":")[0]


def _listen(listener: Listener, *, backlog: int) -> socket.socket:
    try:
        return listen(listener.host, listener.port, backlog=backlog)
    except OSError as error:
        raise OSError(error.errno, f"{listener}: {error.strerror}") from error


def _prepare(sock: socket.socket, config: Config) -> None:
    prepare_accepted(
        sock,
        send_buffer_bytes=config[settings.SOCKET_SEND_BUFFER_BYTES],
        receive_buffer_bytes=config[settings.SOCKET_RECEIVE_BUFFER_BYTES],
    )
