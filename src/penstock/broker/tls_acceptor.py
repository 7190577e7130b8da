"""Accepted sockets of listeners with TLS on their way to be connections: handshakes, and what became of them.

Strangers come at their own pace. Each failure counts; of each kind one line a second is logged.
"""

import asyncio
import socket
from collections.abc import Callable

import structlog

from penstock.access.principal import Principal
from penstock.access.principal_mapping import NoRuleMatches
from penstock.broker.tls import BrokerTls
from penstock.metrics import Metrics, MetricsRegistry, counter, reading
from penstock.settings import Config, Listener
from penstock.settings import broker as settings
from penstock.transport import Channel, SocketChannel
from penstock.transport.handshakes import Bounds, Handshakes, TlsServerChannel, Why
from penstock.transport.kernel_tls import KernelTlsChannel
from penstock.transport.tls import Stage, TlsChannel

HALF_OPEN = reading("penstock_tls_handshakes_half_open", "Connections that are in their TLS handshake now.")
LOG_EVERY_S = 1.0

_log = structlog.get_logger(__name__)


class HandshakeMetrics(Metrics, prefix="penstock_tls_handshakes"):
    made = counter("TLS handshakes made.")
    failed = counter(
        "TLS handshakes that failed: no certificate that is believed, no common version, or no TLS at all."
    )
    late = counter("Connections closed because they took longer than penstock.tls.handshake.timeout.ms.")
    pushed_out = counter("Connections closed within their TLS handshake because of penstock.tls.half.open.max.")
    plaintext = counter("Connections closed because they did not encrypt at a listener with TLS.")


class TlsAcceptor:
    def __init__(
        self, tls: BrokerTls, config: Config, listeners: tuple[Listener, ...], registry: MetricsRegistry
    ) -> None:
        self._tls = tls
        self._config = config
        self._plain = [str(listener) for listener in listeners if not listener.has_tls]
        self._metrics = registry.of(HandshakeMetrics)
        self._loop = asyncio.get_running_loop()
        self._stage = Stage()
        self._handshakes = Handshakes(self._loop, self._bounds)
        self._told_s: dict[str, float] = {}
        registry.read(HALF_OPEN, lambda: [((), len(self._handshakes))])

    def __len__(self) -> int:
        """How many are on their way."""
        return len(self._handshakes)

    def concerns(self, listener: str) -> bool:
        return listener in self._tls.by_listener

    def begin(
        self,
        listener: str,
        sock: socket.socket,
        peer: str,
        *,
        ready: Callable[[Channel, Principal], None],
        failed: Callable[[], None],
    ) -> None:
        """Calls `ready` with the channel and who its certificate says it is, or `failed` when the socket is closed."""
        tls = self._tls.by_listener[listener]

        def make() -> TlsServerChannel:
            if self._tls.in_kernel:
                return KernelTlsChannel(sock, self._loop, tls.context.ssl)
            return TlsChannel.of_server(sock, self._loop, self._stage, tls.context.ssl)

        def made(channel: Channel, certificate: bytes | None) -> None:
            try:
                principal = tls.principal_of(certificate)
            except (NoRuleMatches, ValueError) as error:
                channel.close()
                came_to_nothing(Why("failed", str(error)))
                return
            self._metrics.made += not isinstance(channel, SocketChannel)
            ready(channel, principal)

        def came_to_nothing(why: Why) -> None:
            self._note(why, listener, peer)
            failed()

        self._handshakes.begin(sock, make=make, is_optional=tls.is_optional, ready=made, failed=came_to_nothing)

    def close(self) -> None:
        self._handshakes.close()

    def _bounds(self) -> Bounds:
        config = self._config
        return Bounds(
            config[settings.PENSTOCK_TLS_HALF_OPEN_MAX],
            config[settings.PENSTOCK_TLS_HANDSHAKES_PER_SECOND_MAX],
            config[settings.PENSTOCK_TLS_HANDSHAKE_TIMEOUT_MS] / 1000,
        )

    def _note(self, why: Why, listener: str, peer: str) -> None:
        metrics = self._metrics
        match why.kind:
            case "plaintext":
                metrics.plaintext += 1
                use = f"use {self._plain[0]}, or " if self._plain else ""
                self._log_now_and_then(why, listener, peer, f"it does not encrypt: {use}set security.protocol to SSL")
                return
            case "timeout":
                metrics.late += 1
            case "limit":
                metrics.pushed_out += 1
            case "failed":
                metrics.failed += 1
            case _:
                _log.debug("TLS handshake not made", peer=peer, listener=listener, reason=why.text)
                return
        self._log_now_and_then(why, listener, peer, why.text)

    def _log_now_and_then(self, why: Why, listener: str, peer: str, reason: str) -> None:
        now = self._loop.time()
        if now - self._told_s.get(why.kind, -LOG_EVERY_S) >= LOG_EVERY_S:
            self._told_s[why.kind] = now
            _log.warning("TLS handshake not made", peer=peer, listener=listener, reason=reason)
