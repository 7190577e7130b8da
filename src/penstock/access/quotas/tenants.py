"""Tenants: all topics whose names begin with a prefix, and all connections of users whose names do, under limits of
their own. They come on top of the quotas of users and clients.

    producer_byte_rate, consumer_byte_rate   bytes of records a second, of all clients together
    stored_bytes                             what is kept of its topics: beyond it nothing is written
    partitions                               of all its topics
    connections                              of its users

As quotas do, rates, stored bytes and connections hold for each broker; partitions are those of the cluster.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from penstock.access.quotas.altering import Quotas
from penstock.access.quotas.entities import (
    CONNECTIONS,
    CONSUMER_BYTE_RATE,
    PARTITIONS,
    PRODUCER_BYTE_RATE,
    STORED_BYTES,
)
from penstock.access.quotas.meters import Meter, Meters, Whom
from penstock.cluster import ClusterImage
from penstock.errors import PolicyViolation

COUNTED_EVERY_S: Final = 1.0
"""How old the sum of stored bytes may be; what is written meanwhile is added."""
NAMES_MAX: Final = 10_000
"""Names of which it is remembered whose they are; it can be found out again."""


class Tenant:
    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.limits: Quotas = {}
        self.produce: Meter | None = None
        self.fetch: Meter | None = None
        self.stored = 0
        self.connections: set[Any] = set()

    def take_in(self, connection: object) -> bool:
        """Whether there is room for one more."""
        if len(self.connections) >= self.limits.get(CONNECTIONS, float("inf")):
            return False
        self.connections.add(connection)
        return True


class Tenants:
    def __init__(self, meters: Meters, image: ClusterImage, now: Callable[[], float]) -> None:
        self._meters = meters
        self._image = image
        self._now = now
        self._by_prefix: dict[str, Tenant] = {}
        self._whose: dict[str, Tenant | None] = {}
        self._counted_at = float("-inf")
        self.sizes: Callable[[], Iterable[tuple[str, int]]] = lambda: ()
        """The bytes of every log of this broker, by topic."""
        self.version = 0
        """Rises whenever limits change."""

    def __bool__(self) -> bool:
        return bool(self._by_prefix)

    def put(self, prefix: str, limits: Quotas) -> None:
        self.version += 1
        self._whose.clear()
        self._counted_at = float("-inf")
        if not limits:
            self._by_prefix.pop(prefix, None)
            return
        tenant = self._by_prefix.setdefault(prefix, Tenant(prefix))
        tenant.limits = limits
        tenant.produce = self._meter(PRODUCER_BYTE_RATE, tenant)
        tenant.fetch = self._meter(CONSUMER_BYTE_RATE, tenant)

    def _meter(self, key: str, tenant: Tenant) -> Meter | None:
        limit = tenant.limits.get(key)
        return None if limit is None else self._meters.rate(key, Whom(tenant=tenant.prefix), limit, now=self._now())

    def of(self, name: str) -> Tenant | None:
        """Whose topic or user this is: that of the longest prefix."""
        if name in self._whose:
            return self._whose[name]
        if len(self._whose) >= NAMES_MAX:
            self._whose.clear()
        found = max((prefix for prefix in self._by_prefix if name.startswith(prefix)), key=len, default=None)
        tenant = self._whose[name] = None if found is None else self._by_prefix[found]
        return tenant

    def require_room(self, topic: str, size: int) -> None:
        """For so many bytes more. Counted whether or not they can be written then: a second later it is seen."""
        tenant = self.of(topic)
        limit = None if tenant is None else tenant.limits.get(STORED_BYTES)
        if tenant is None or limit is None:
            return
        if self._now() - self._counted_at > COUNTED_EVERY_S:
            self._count()
        if tenant.stored + size > limit:
            raise PolicyViolation(
                f"tenant {tenant.prefix} keeps {tenant.stored} bytes on this broker, of {limit:.0f} that it may: "
                "delete records or topics, or have its stored_bytes raised"
            )
        tenant.stored += size

    def _count(self) -> None:
        self._counted_at = self._now()
        for tenant in self._by_prefix.values():
            tenant.stored = 0
        for topic, size in self.sizes():
            whose = self.of(topic)
            if whose is not None:
                whose.stored += size

    def partitions_left(self, tenant: Tenant) -> float:
        """How many more it may have. It looks at all topics: ask once a request."""
        limit = tenant.limits.get(PARTITIONS)
        if limit is None:
            return float("inf")
        topics, prefix = self._image.topics, tenant.prefix
        return limit - sum(
            len(each.partitions)
            for name, each in topics.items()
            if each.source is None and name.startswith(prefix) and self.of(name) is tenant
        )


class CountedAs:
    """As whose a connection counts, and under which login and limits that was found out."""

    __slots__ = ("_connection", "subject", "tenant", "version")

    def __init__(self, connection: object, subject: object, tenant: Tenant | None, version: int) -> None:
        self._connection = connection
        self.subject = subject
        self.tenant = tenant
        self.version = version

    def leave(self) -> None:
        if self.tenant is not None:
            self.tenant.connections.discard(self._connection)
