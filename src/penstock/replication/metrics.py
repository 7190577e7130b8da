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
    replicationbytesin = counter("Bytes that this broker's followers took over from leaders.")
    replicationbytesout = counter("Bytes that this broker's leaders sent to followers.")
    producemessageconversions = counter(
        "Batches that were recompressed because the topic's compression.type asks for it."
    )


class ReplicationMetrics(Metrics, prefix="kafka_server_replicamanager"):
    isrshrinks = counter("In-sync sets that this broker's leaders took members out of.")
    isrexpands = counter("In-sync sets that this broker's leaders added members to.")
    failedisrupdates = counter("Writes of in-sync sets that lost to another write.")


PARTITION_COUNT = reading("kafka_server_replicamanager_partitioncount", "Partitions that this broker keeps.")
LEADER_COUNT = reading("kafka_server_replicamanager_leadercount", "Partitions that this broker leads.")
OFFLINE_COUNT = reading(
    "kafka_server_replicamanager_offlinereplicacount", "Partitions whose log is offline; /health says why."
)
UNDER_REPLICATED = reading(
    "kafka_server_replicamanager_underreplicatedpartitions",
    "Partitions led here with fewer in sync than they have replicas.",
)
UNDER_MIN_IN_SYNC = reading(
    "kafka_server_replicamanager_underminisrpartitioncount",
    "Partitions led here with fewer in sync than min.insync.replicas: they take no acks=all.",
)
FETCHER_LAG = reading(
    "kafka_server_fetcherlagmetrics_consumerlag",
    "Records that a follower on this broker is behind its leader's high watermark, as of its last fetch.",
    labels=("topic", "partition"),
)
LOG_SIZE = reading("kafka_log_log_size", "Bytes of a partition's log.", labels=("topic", "partition"))
LOG_START_OFFSET = reading(
    "kafka_log_log_logstartoffset", "First offset of a partition.", labels=("topic", "partition")
)
LOG_END_OFFSET = reading(
    "kafka_log_log_logendoffset", "Offset after the last of a partition.", labels=("topic", "partition")
)
LOG_SEGMENTS = reading("kafka_log_log_numlogsegments", "Segments of a partition.", labels=("topic", "partition"))
