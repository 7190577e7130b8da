"""The cluster as a broker takes part in it: the image, the controller, and the broker's own registration.

cluster = Cluster(metastore, broker_id=..., config=..., dice=...)
await cluster.start(proposed_cluster_id=...)   # the image is there and kept up to date
await cluster.join(BrokerRecord(...))          # registered under a new epoch: now it may serve
...
await cluster.stop()
"""

from collections.abc import Sequence

from penstock.cluster import membership
from penstock.cluster.changes import ImageChange, SettingsChanged
from penstock.cluster.controller import Controller
from penstock.cluster.feed import ImageFeed
from penstock.cluster.image import ClusterImage
from penstock.cluster.keys import Keys
from penstock.cluster.machine import ControllerMachine
from penstock.cluster.producer_ids import ProducerIds
from penstock.cluster.records import BrokerRecord
from penstock.cluster.resources import BROKER_DEFAULTS, Resource, ResourceType
from penstock.metastore import Metastore
from penstock.model import BrokerId, Dice
from penstock.settings.config import Config

DEFAULT_NAME = "main"


class Cluster:
    def __init__(
        self, metastore: Metastore, *, broker_id: BrokerId, config: Config, dice: Dice, name: str = DEFAULT_NAME
    ) -> None:
        self._metastore = metastore
        self._broker_id = broker_id
        self._config = config
        self._dice = dice
        self._keys = Keys(name)
        self.image = ClusterImage(self._keys)
        self._feed = ImageFeed(metastore, self._keys, self.image)
        self._machine = ControllerMachine(self.image, self._keys, config)
        self.controller = Controller(
            metastore, self._machine, self._feed, self.image, broker_id=broker_id, config=config, dice=dice
        )
        self.producer_ids = ProducerIds(self.controller)
        self.image.subscribe(self._take_dynamic_settings)

    async def start(self, *, proposed_cluster_id: str | None = None) -> str:
        """Bring the image up and keep it so; answers the cluster's id. For the proposal see `ensure_cluster_id`."""
        cluster_id = await membership.ensure_cluster_id(
            self._metastore, self._keys, proposed=proposed_cluster_id, dice=self._dice
        )
        await self._feed.start()
        return cluster_id

    async def join(self, record: BrokerRecord) -> None:
        """Take control and register. No partition that this broker led keeps its former leader epoch (RULES 2)."""
        await membership.take_control(self._metastore, self._keys, self._broker_id)
        await membership.ensure_features(self._metastore, self._keys)
        await membership.register(self._metastore, self._keys, self._broker_id, record)
        await self._feed.catch_up()
        await self.controller.sweep_leftovers()
        await self.controller.begin_anew(self._broker_id)

    async def ended(self) -> None:
        """Raise what made the image stand still, or return when it was stopped: for whoever must stop with it."""
        await self._feed.ended()

    async def stop(self) -> None:
        await self.controller.stop()
        await self._feed.stop()

    def _take_dynamic_settings(self, changes: Sequence[ImageChange]) -> None:
        own = Resource(ResourceType.BROKER, str(self._broker_id))
        if any(isinstance(change, SettingsChanged) and change.resource in (BROKER_DEFAULTS, own) for change in changes):
            settings = self.image.settings
            self._config.replace_dynamic(cluster=settings.get(BROKER_DEFAULTS, {}), broker=settings.get(own, {}))
