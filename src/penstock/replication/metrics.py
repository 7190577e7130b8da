"""What is counted a topic, under the names that Kafka dashboards know."""

from penstock.metrics import Metrics, counter, reading


class TopicMetrics(Metrics, prefix="kafka_server_brokertopicmetrics", labels=("topic",)):
    bytesin = counter("Bytes that producers wrote.")
    bytesout = counter("Bytes that consumers were sent.")
    messagesin = counter("Records that producers wrote.")
    totalproducerequests = counter("Batches that producers sent, taken or refused.")
    failedproducerequests = counter("Batches that were refused.")
    totalfetchrequests = counter("Reads of a partition, with or without records.")
    failedfetchrequests = counter("Reads that were refused.")
    producemessageconversions = counter(
        "Batches that were recompressed because the topic's compression.type asks for it."
    )


PARTITION_COUNT = reading("kafka_server_replicamanager_partitioncount", "Partitions that this broker keeps.")
LEADER_COUNT = reading("kafka_server_replicamanager_leadercount", "Partitions that this broker leads.")
OFFLINE_COUNT = reading(
    "kafka_server_replicamanager_offlinereplicacount", "Partitions whose log is offline; /health says why."
)
UNDER_REPLICATED = reading(
    "kafka_server_replicamanager_underreplicatedpartitions",
    "Partitions led here with fewer in sync than they have replicas.",
)
LOG_SIZE = reading("kafka_log_log_size", "Bytes of a partition's log.", labels=("topic", "partition"))
LOG_START_OFFSET = reading(
    "kafka_log_log_logstartoffset", "First offset of a partition.", labels=("topic", "partition")
)
LOG_END_OFFSET = reading(
    "kafka_log_log_logendoffset", "Offset after the last of a partition.", labels=("topic", "partition")
)
LOG_SEGMENTS = reading("kafka_log_log_numlogsegments", "Segments of a partition.", labels=("topic", "partition"))
