"""The views that the image has, with their partitions on this broker: those of whose source it keeps a replica."""

from collections.abc import Sequence

import structlog

from penstock.cluster import ClusterImage, ImageChange, Subscriber, TopicImage, ViewAltered, ViewCreated, ViewDeleted
from penstock.delivery.views.filter import Filter
from penstock.delivery.views.metrics import ViewMetrics
from penstock.delivery.views.source import Scans, ViewSource
from penstock.delivery.views.view_partition import ViewPartition
from penstock.metrics import MetricsRegistry
from penstock.model import TopicId
from penstock.replication import Partition, Partitions
from penstock.replication.metrics import TopicMetrics
from penstock.replication.partitions import LocalPartitions
from penstock.settings import Config
from penstock.settings.topic import PENSTOCK_VIEW_FILTER

_log = structlog.get_logger(__name__)


class Views:
    def __init__(self, partitions: Partitions, image: ClusterImage, config: Config, registry: MetricsRegistry) -> None:
        self._partitions = partitions
        self._registry = registry
        self._scans = Scans(config)
        self._sources: dict[TopicId, ViewSource] = {}
        self._of: dict[TopicId, dict[TopicId, TopicImage]] = {}
        """The views of each source."""
        self._by_name: dict[bytes, LocalPartitions] = {}
        self._by_id: dict[bytes, LocalPartitions] = {}
        partitions.show_views(self._by_name, self._by_id)
        for topic in image.topics.values():
            if topic.source is not None:
                self._add(topic)
        image.subscribe(self._on_changes, Subscriber.REPLICAS)
        partitions.subscribe(self._partition_changed)

    def close(self) -> None:
        self._scans.close()

    def _on_changes(self, changes: Sequence[ImageChange]) -> None:
        for change in changes:
            match change:
                case ViewCreated(view):
                    self._add(view)
                case ViewAltered(view):
                    self._sources[view.topic_id].wanted = _filter_of(view)
                case ViewDeleted(view):
                    self._remove(view)

    def _add(self, view: TopicImage) -> None:
        assert view.source is not None
        metrics = self._registry.of(ViewMetrics, topic=view.name)
        self._sources[view.topic_id] = ViewSource(self._scans, _filter_of(view), metrics)
        self._of.setdefault(view.source.topic_id, {})[view.topic_id] = view
        self._by_id[view.topic_id] = self._by_name[view.name.encode()] = {}
        for partition in self._partitions.local(view.source.topic_id).values():
            self._show(view, partition)

    def _remove(self, view: TopicImage) -> None:
        assert view.source is not None
        del self._sources[view.topic_id]
        of_source = self._of[view.source.topic_id]
        del of_source[view.topic_id]
        if not of_source:
            del self._of[view.source.topic_id]
        local = self._by_id.pop(view.topic_id)
        if self._by_name.get(view.name.encode()) is local:
            del self._by_name[view.name.encode()]
        self._registry.drop(ViewMetrics, topic=view.name)
        self._registry.drop(TopicMetrics, topic=view.name)

    def _partition_changed(self, partition: Partition) -> None:
        """It has come, or gone, or has another leader."""
        for view in self._of.get(partition.topic_id, {}).values():
            shown = self._by_id[view.topic_id].get(partition.index)
            if self._partitions.local(partition.topic_id).get(partition.index) is partition:
                if not isinstance(shown, ViewPartition) or shown.source is not partition:
                    self._show(view, partition)
            elif isinstance(shown, ViewPartition) and shown.source is partition:
                del self._by_id[view.topic_id][partition.index]

    def _show(self, view: TopicImage, partition: Partition) -> None:
        metrics = self._partitions.topic_metrics(view.name)
        shown = ViewPartition(view, partition, self._sources[view.topic_id], metrics)
        self._by_id[view.topic_id][partition.index] = shown


def _filter_of(view: TopicImage) -> Filter | None:
    """None where a newer version has written what this one cannot read."""
    try:
        return Filter.of(view.overrides.get(PENSTOCK_VIEW_FILTER.name, ""))
    except ValueError as problem:
        _log.error("filter of a view not understood", view=view.name, problem=str(problem))
        return None
