"""Connections to the cluster, by whoever asks: each login has a client of its own, so that the cluster knows who it is.

A client is lent out while requests or streams use it and kept for a while after that. A login that the cluster refuses
is forgotten at once.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import structlog

from penstock.client import AsyncClient, AsyncProducer, Sasl
from penstock.errors import SaslAuthenticationFailed
from penstock.web.cluster import Cluster
from penstock.web.options import WebOptions
from penstock.web.problems import Problem

CLIENT_ID = "penstock-web"
LOOK_EVERY_S = 5.0

_log = structlog.get_logger(__name__)


class Login:
    """A user's connections, and how many use them."""

    def __init__(self, client: AsyncClient, sasl: Sasl | None) -> None:
        self.client = client
        self._producers: dict[int, AsyncProducer] = {}
        self._slots: list[int] = []
        self._slots_made = 0
        self.sasl = sasl
        self.users = 0
        self.idle_since_s = 0.0
        self.is_refused = False

    def producer(self, acks: int) -> AsyncProducer:
        if acks not in self._producers:
            self._producers[acks] = self.client.producer(
                acks=acks, linger_s=0.0, create_topics=False, delivery_timeout_s=self.client.core.settings.timeout_s
            )
        return self._producers[acks]

    @contextmanager
    def connection(self) -> Iterator[str]:
        """The name of connections that nobody else uses meanwhile: who waits for records keeps nobody waiting."""
        if not self._slots:
            self._slots_made += 1
            self._slots.append(self._slots_made)
        slot = self._slots.pop()
        try:
            yield f"web {slot}"
        finally:
            self._slots.append(slot)


class Clients:
    def __init__(self, cluster: Cluster, options: WebOptions) -> None:
        self.cluster = cluster
        self._options = options
        self._logins: dict[Sasl | None, Login] = {}
        self._closing: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def lent(self, sasl: Sasl | None) -> AsyncIterator[Login]:
        """The connections of a login, for as long as the block lasts."""
        login = self._login(sasl)
        login.users += 1
        try:
            yield login
        except SaslAuthenticationFailed:
            login.is_refused = True
            raise
        finally:
            login.users -= 1
            login.idle_since_s = asyncio.get_running_loop().time()
            if login.is_refused and not login.users:
                self._drop(login)

    @asynccontextmanager
    async def own(self) -> AsyncIterator[AsyncClient]:
        """The client of the web process itself, for what nobody in particular asked for."""
        async with self.lent(self.cluster.own) as login:
            yield login.client

    async def keep(self) -> None:
        """Close what nobody has used for a while. Never returns."""
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            before_s = asyncio.get_running_loop().time() - self._options.login_idle_s
            for login in [each for each in self._logins.values() if not each.users and each.idle_since_s < before_s]:
                self._drop(login)

    async def close(self) -> None:
        for login in list(self._logins.values()):
            self._drop(login)
        if self._closing:
            await asyncio.wait(self._closing)

    def _login(self, sasl: Sasl | None) -> Login:
        known = self._logins.get(sasl)
        if known is not None and not known.is_refused:
            return known
        if len(self._logins) >= self._options.logins_max:
            self._make_room()
        client = AsyncClient(
            self.cluster.bootstrap,
            client_id=CLIENT_ID,
            timeout_s=self._options.timeout_s,
            tls=self.cluster.tls,
            sasl=sasl,
        )
        self._logins[sasl] = made = Login(client, sasl)
        return made

    def _make_room(self) -> None:
        idle = [each for each in self._logins.values() if not each.users]
        if not idle:
            raise Problem(
                503, "too-many-logins", f"{self._options.logins_max} users are at work here (logins_max)",
                headers={"retry-after": "5"},
            )  # fmt: skip
        self._drop(min(idle, key=lambda each: each.idle_since_s))

    def _drop(self, login: Login) -> None:
        if self._logins.get(login.sasl) is login:
            del self._logins[login.sasl]
        closing = asyncio.get_running_loop().create_task(login.client.close())
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)
