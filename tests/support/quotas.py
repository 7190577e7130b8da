"""Quotas at work, on an image that a test writes and a clock that it moves."""

from collections.abc import Mapping

import msgspec
from tests.support.clocks import ManualClock

from penstock.access.quotas.client_quotas import ClientQuotas
from penstock.cluster import ClusterImage, EntryKind, Keys
from penstock.metastore import Changes, Deleted, KeyValue, Revision, Written
from penstock.metrics import MetricsRegistry
from penstock.settings import Config


class SomeQuotas:
    def __init__(self, quotas: Mapping[str, Mapping[str, float]] = {}, **config: str) -> None:
        """By the names of their entries: `client-id=app&user=anna`."""
        self.keys = Keys("penstock")
        self.image = ClusterImage(self.keys)
        self.clock = ManualClock()
        self.registry = MetricsRegistry(1000)
        self._revision = 1
        settings = {name.replace("_", "."): value for name, value in config.items()}
        self.quotas = ClientQuotas(self.image, Config.for_broker(settings), self.clock, self.registry)
        for name, limits in quotas.items():
            self.set(name, **limits)

    def set(self, name: str, **limits: float) -> None:
        """These are all its limits now; without any it is gone."""
        self._revision += 1
        revision, key = Revision(self._revision), self.keys.entry(EntryKind.QUOTAS, name)
        value = msgspec.json.encode(limits)
        event = Written(KeyValue(key, value, revision, revision, 1)) if limits else Deleted(key, revision)
        self.image.apply(Changes(revision, (event,)))
