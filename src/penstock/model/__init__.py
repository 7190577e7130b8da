"""The nouns everyone shares. Pure: nothing here touches the clock, the disk or the network."""

from penstock.model.ids import (
    BrokerId,
    ByteCount,
    FilePosition,
    LeaderEpoch,
    Millis,
    Offset,
    PartitionIndex,
    ProducerEpoch,
    ProducerId,
    TopicId,
    TopicPartition,
    topic_id_from_text,
    topic_id_text,
)
from penstock.model.ports import Clock, Dice

__all__ = [
    "BrokerId",
    "ByteCount",
    "Clock",
    "Dice",
    "FilePosition",
    "LeaderEpoch",
    "Millis",
    "Offset",
    "PartitionIndex",
    "ProducerEpoch",
    "ProducerId",
    "TopicId",
    "TopicPartition",
    "topic_id_from_text",
    "topic_id_text",
]
