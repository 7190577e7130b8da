"""A partition of a view: its source's in all that it answers, but for its name, its records, and what it refuses."""

from typing import Any, NoReturn

from penstock.cluster import TopicImage
from penstock.errors import PolicyViolation
from penstock.replication import Partition, RecordSource
from penstock.replication.metrics import TopicMetrics
from penstock.replication.partition_reader import PartitionReader


class ViewPartition(Partition):
    """Whatever is not said here is looked up in the source's partition each time: offsets, epochs, roles, who waits. It
    has no state of its own, and nothing is ever written to it.
    """

    def __init__(self, view: TopicImage, source: Partition, records: RecordSource, metrics: TopicMetrics) -> None:
        self.source = source
        self.topic = view.name
        self.topic_id = view.topic_id
        self.metrics = metrics
        self.reader = PartitionReader(self)
        self.reader.source = records

    def __getattr__(self, name: str) -> Any:
        return getattr(self.source, name)

    @property
    def shown(self) -> Partition:
        return self.source

    def append(self, *_: Any, **__: Any) -> NoReturn:
        raise self.refusal()

    def delete_records(self, before: int) -> NoReturn:
        raise self.refusal()

    def refusal(self) -> PolicyViolation:
        return PolicyViolation(f"{self.topic} is a view, and read only")
