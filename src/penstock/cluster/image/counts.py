"""Figures over all partitions, kept as the image changes: a scrape counts only the topics that have changed since."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

import msgspec

from penstock.cluster.image.changes import ImageChange, PartitionChanged, TopicCreated, TopicDeleted, TopicGrown
from penstock.cluster.image.image import ClusterImage
from penstock.cluster.image.shapes import PartitionImage, TopicImage
from penstock.cluster.image.subscribers import Subscriber
from penstock.model import BrokerId


class _Counted(msgspec.Struct, frozen=True):
    """One topic."""

    leaders: dict[BrokerId, int]
    not_preferred: int
    led_here: tuple[PartitionImage, ...]


NOTHING: Final = _Counted({}, 0, ())


class ClusterCounts:
    def __init__(self, image: ClusterImage, *, broker_id: BrokerId) -> None:
        self._image = image
        self._broker_id = broker_id
        self._counted: dict[TopicImage, _Counted] = {}
        self._changed: set[TopicImage] = set(image.topics.values())
        self._leaders: Counter[BrokerId] = Counter()
        self._not_preferred = 0
        image.subscribe(self._on_changes, Subscriber.COUNTS)

    def offline(self) -> int:
        """Partitions that nobody leads who is here."""
        self._catch_up()
        return sum(count for leader, count in self._leaders.items() if leader not in self._image.brokers)

    def not_preferred(self) -> int:
        """Partitions led by another replica than the first one."""
        self._catch_up()
        return self._not_preferred

    def led_here(self) -> list[PartitionImage]:
        self._catch_up()
        return [partition for counted in self._counted.values() for partition in counted.led_here]

    def _on_changes(self, changes: Sequence[ImageChange]) -> None:
        for change in changes:
            match change:
                case TopicDeleted(topic):  # at once, or those that nobody ever counted would gather here
                    self._changed.discard(topic)
                    self._replace(topic, NOTHING)
                    self._counted.pop(topic, None)
                case PartitionChanged(topic) | TopicCreated(topic) | TopicGrown(topic):
                    self._changed.add(topic)

    def _catch_up(self) -> None:
        while self._changed:
            topic = self._changed.pop()
            if self._image.topics_by_id.get(topic.topic_id) is topic:
                self._replace(topic, self._count(topic))

    def _replace(self, topic: TopicImage, after: _Counted) -> None:
        before = self._counted.get(topic, NOTHING)
        self._counted[topic] = after
        self._leaders.update(after.leaders)
        self._leaders.subtract(before.leaders)
        self._not_preferred += after.not_preferred - before.not_preferred

    def _count(self, topic: TopicImage) -> _Counted:
        partitions = topic.partitions
        return _Counted(
            leaders=Counter([partition.leader for partition in partitions]),
            not_preferred=sum(partition.leader not in partition.replicas[:1] for partition in partitions),
            led_here=tuple([partition for partition in partitions if partition.leader == self._broker_id]),
        )
