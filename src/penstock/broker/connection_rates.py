"""How fast connections come: over all listeners, on each, and from each address (KIP-612).

A listener that is too fast is not asked for a while: connections wait in its backlog. An address that is too fast is
turned away, and hears of it only after a while: who tries again at once would not get further.

Bounds: so many addresses are remembered as users and client ids are; and `HELD_MAX` connections wait to be turned
away, of which a new one sends the oldest away.
"""

import asyncio
import socket
from collections import OrderedDict
from typing import Final

from penstock.access.quotas.client_quotas import ClientQuotas
from penstock.access.quotas.entities import CONNECTION_CREATION_RATE
from penstock.access.quotas.meters import THROTTLED_NOW, Meters, Whom, Windows, hold_back
from penstock.access.quotas.rates import WindowedRate
from penstock.metrics import MetricsRegistry
from penstock.settings import Config
from penstock.settings import broker as settings
from penstock.settings.per_listener import ListenerConfig
from penstock.settings.types import INT_MAX

HELD_MAX: Final = 256
HELD_S_MAX: Final = 1.0
"""A window, as in Kafka."""


class ConnectionRates:
    def __init__(
        self, config: Config, quotas: ClientQuotas, registry: MetricsRegistry, *, peer_listener: str | None
    ) -> None:
        """`peer_listener`: the listener of brokers, where it is not the only one."""
        self._config = config
        self._quotas = quotas
        self._peer_listener = peer_listener
        windows = Windows(config[settings.QUOTA_WINDOW_NUM], config[settings.QUOTA_WINDOW_SIZE_SECONDS])
        self._windows = windows
        self._addresses = Meters(windows, windows, registry)
        self._all = WindowedRate(*windows)
        self._listeners: dict[str, WindowedRate] = {}
        registry.read(THROTTLED_NOW, lambda: self._addresses.held(quotas.now()))
        self._held: OrderedDict[socket.socket, asyncio.TimerHandle] = OrderedDict()

    def pause_s(self, listener: str) -> float:
        """A connection was accepted: for how long the listener's next ones are to wait."""
        now, longest = self._quotas.now(), 0.0
        limit = self._config[settings.MAX_CONNECTION_CREATION_RATE]
        if limit < INT_MAX and listener != self._peer_listener:
            self._all.record(1, now)
            longest = self._all.delay_s(limit, now)
        own = ListenerConfig(self._config, listener).own(settings.MAX_CONNECTION_CREATION_RATE)
        if own is not None:
            rate = self._listeners.setdefault(listener, WindowedRate(*self._windows))
            rate.record(1, now)
            longest = max(longest, rate.delay_s(own, now))
        return longest

    def is_too_fast(self, host: str) -> bool:
        """Whether this connection is one too many of its address. One that is does not count."""
        limit = self._quotas.addresses.limit(host)
        if limit is None:
            return False
        now = self._quotas.now()
        meter = self._addresses.rate(CONNECTION_CREATION_RATE, Whom(address=host), limit, now=now)
        return hold_back([(meter, 1)], now) > 0

    def turn_away_later(self, sock: socket.socket) -> None:
        if len(self._held) >= HELD_MAX:
            oldest, timer = self._held.popitem(last=False)
            timer.cancel()
            oldest.close()
        self._held[sock] = asyncio.get_running_loop().call_later(HELD_S_MAX, self._turn_away, sock)

    def _turn_away(self, sock: socket.socket) -> None:
        del self._held[sock]
        sock.close()

    def close(self) -> None:
        for sock, timer in self._held.items():
            timer.cancel()
            sock.close()
        self._held.clear()
