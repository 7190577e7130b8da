"""What holds for each user and client id: the quotas of the image, at work.

Every broker counts for itself, as in Kafka. What changes in the image holds from the next request on; what was used
until then is not forgotten.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

import msgspec
import structlog

from penstock.access.quotas.addresses import AddressQuotas
from penstock.access.quotas.altering import Quotas, quotas_in
from penstock.access.quotas.entities import (
    CONSUMER_BYTE_RATE,
    CONTROLLER_MUTATION_RATE,
    IP,
    PRODUCER_BYTE_RATE,
    REQUEST_PERCENTAGE,
    TENANT,
    Entity,
    entity_of,
)
from penstock.access.quotas.meters import THROTTLED_NOW, Meter, Meters, MutationMeter, Whom, Windows, hold_back
from penstock.access.quotas.table import QuotaTable
from penstock.access.quotas.tenants import Tenants
from penstock.cluster import ClusterImage, Entry, EntryChanged, EntryKind, ImageChange, Subscriber
from penstock.metrics import MetricsRegistry
from penstock.model import Clock
from penstock.settings import Config
from penstock.settings import broker as settings
from penstock.settings.types import LONG_MAX

SHARES_MAX: Final = 10_000
"""Pairs of user and client id of which it is remembered what holds for them; it can be found out again."""


_log = structlog.get_logger(__name__)


class Share(NamedTuple):
    """What holds for one user with one client id; None where nothing does."""

    produce: Meter | None
    fetch: Meter | None
    time: Meter | None
    mutations: MutationMeter | None


class FetchQuota:
    """What one fetch may take."""

    __slots__ = ("_clock", "_meter", "_tenants")

    def __init__(self, meter: Meter | None, tenants: Tenants, clock: Clock) -> None:
        self._meter = meter
        self._tenants = tenants
        self._clock = clock

    def bytes_max(self, topics: Iterable[str]) -> int:
        """What could be had of these after waiting. More would never be answered."""
        most = (meter.most_at_once for meter in self._meters((topic, 0) for topic in topics))
        return int(min(most, default=LONG_MAX))

    def take(self, sizes: Sequence[tuple[str, int]]) -> float:
        """Count so many bytes of these topics, or for how many seconds the consumer is held back and gets nothing."""
        return hold_back(list(self._meters(sizes).items()), self._clock.monotonic())

    def _meters(self, sizes: Iterable[tuple[str, int]]) -> dict[Meter, int]:
        found: dict[Meter, int] = {} if self._meter is None else {self._meter: 0}
        for topic, size in sizes:
            if self._meter is not None:
                found[self._meter] += size
            tenant = self._tenants.of(topic) if self._tenants else None
            if tenant is not None and tenant.fetch is not None:
                found[tenant.fetch] = found.get(tenant.fetch, 0) + size
        return found


class ClientQuotas:
    def __init__(self, image: ClusterImage, config: Config, clock: Clock, registry: MetricsRegistry) -> None:
        self._image = image
        self._clock = clock
        windows = Windows(config[settings.QUOTA_WINDOW_NUM], config[settings.QUOTA_WINDOW_SIZE_SECONDS])
        self._window_s = windows.length_s
        self.meters = Meters(
            windows,
            Windows(
                config[settings.CONTROLLER_QUOTA_WINDOW_NUM], config[settings.CONTROLLER_QUOTA_WINDOW_SIZE_SECONDS]
            ),
            registry,
        )
        self._table = QuotaTable()
        self.addresses = AddressQuotas()
        self._shares: dict[tuple[str, str], Share] = {}
        self.tenants = Tenants(self.meters, image, self.now)
        self.is_on = False
        """Whether any quota concerns requests at all."""
        self.has_tenants = False
        self.when_switched: Callable[[], None] = lambda: None
        """Called when the first such quota is set, and when the last is gone."""
        self._load(image.entries.of(EntryKind.QUOTAS))
        image.subscribe(self._changed, Subscriber.ACCESS)
        registry.read(THROTTLED_NOW, lambda: self.meters.held(clock.monotonic()))

    def now(self) -> float:
        return self._clock.monotonic()

    def share(self, user: str, client_id: str | None) -> Share:
        asked = user, client_id or ""
        share = self._shares.get(asked)
        if share is None:
            if len(self._shares) >= SHARES_MAX:
                self._shares.clear()
            share = self._shares[asked] = self._find(*asked)
        return share

    def produced(self, share: Share, size: int) -> float:
        """For how many seconds the producer is to be held back."""
        return 0.0 if share.produce is None else share.produce.use(size, self.now())

    def wrote(self, sizes: Iterable[tuple[str, int]]) -> float:
        """The same for the tenants of these topics: the longest counts."""
        held = 0.0
        for topic, size in sizes:
            tenant = self.tenants.of(topic)
            if tenant is not None and tenant.produce is not None:
                held = max(held, tenant.produce.use(size, self.now()))
        return held

    def took(self, share: Share, seconds: float) -> float:
        """The same for the loop's time that a request took."""
        return 0.0 if share.time is None else share.time.use(100 * seconds, self.now())

    def fetches(self, share: Share) -> "FetchQuota | None":
        """What a fetch may take; None where nothing holds it back."""
        if share.fetch is None and not self.has_tenants:
            return None
        return FetchQuota(share.fetch, self.tenants, self._clock)

    def _find(self, user: str, client_id: str) -> Share:
        def rate(key: str, delay_max_s: float | None = None) -> Meter | None:
            found = self._table.allowance(key, user, client_id)
            if found is None:
                return None
            more = {} if delay_max_s is None else {"delay_max_s": delay_max_s}
            return self.meters.rate(key, Whom(found.user, found.client_id), found.limit, now=self.now(), **more)

        found = self._table.allowance(CONTROLLER_MUTATION_RATE, user, client_id)
        mutations = found and self.meters.mutations(
            CONTROLLER_MUTATION_RATE, Whom(found.user, found.client_id), found.limit, now=self.now()
        )
        # A request's time is known when it is over: so it is waited off in pieces of a window, as in Kafka.
        return Share(
            rate(PRODUCER_BYTE_RATE), rate(CONSUMER_BYTE_RATE), rate(REQUEST_PERCENTAGE, self._window_s), mutations
        )

    def _load(self, names: Iterable[str]) -> None:
        entries = self._image.entries.of(EntryKind.QUOTAS)
        for name in names:
            whom, entry = entity_of(name), entries.get(name)
            self._put(whom, {} if entry is None else _readable(name, entry))
        self._shares.clear()
        self.has_tenants = bool(self.tenants)
        was_on, self.is_on = self.is_on, bool(len(self._table)) or self.has_tenants
        if was_on != self.is_on:
            self.when_switched()

    def _put(self, whom: Entity, limits: Quotas) -> None:
        if whom[0].type == IP:
            self.addresses.put(whom[0].name, limits)
        elif whom[0].type == TENANT:
            self.tenants.put(whom[0].name or "", limits)
        else:
            self._table.put(whom, limits)

    def _changed(self, changes: Sequence[ImageChange]) -> None:
        names = [change.name for change in changes if type(change) is EntryChanged and change.kind is EntryKind.QUOTAS]
        if names:
            self._load(names)


def _readable(name: str, entry: Entry) -> Quotas:
    """What is written by a newer version, or by hand, must not stop the image."""
    try:
        return quotas_in(entry.value)
    except msgspec.MsgspecError as error:
        _log.error("quota not understood", entry=name, error=str(error))
        return {}
