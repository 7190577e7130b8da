"""kafka-python, imported in spite of its deprecation warnings, which are not ours to mend."""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, OffsetAndMetadata, TopicPartition
    from kafka.admin import NewTopic

__all__ = ["KafkaAdminClient", "KafkaConsumer", "KafkaProducer", "NewTopic", "OffsetAndMetadata", "TopicPartition"]
