"""The nouns everyone shares. Pure: nothing here touches the clock, the disk or the network."""

from penstock.model.ids import (
    BrokerId,
    LeaderEpoch,
    Millis,
    PartitionIndex,
    TopicId,
    TopicPartition,
    topic_id_from_text,
    topic_id_text,
)
from penstock.model.ports import Clock, Dice

__all__ = [
    "BrokerId",
    "Clock",
    "Dice",
    "LeaderEpoch",
    "Millis",
    "PartitionIndex",
    "TopicId",
    "TopicPartition",
    "topic_id_from_text",
    "topic_id_text",
]
