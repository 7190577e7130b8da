"""What the controller counts, under the names that Kafka dashboards know."""

from penstock.metrics import Metrics, counter, reading


class ControllerMetrics(Metrics, prefix="kafka_controller_controllerstats"):
    leaderelections = counter("Leaders elected while this broker was the controller.")
    uncleanleaderelections = counter("Replicas elected that may lack acknowledged records. It should be 0.")


SHARING_MACHINE = reading(
    "penstock_cluster_partitionssharingmachine",
    "Partitions led here of which two replicas are on one machine: one fault would take both.",
)
OFFLINE_PARTITIONS = reading(
    "kafka_controller_kafkacontroller_offlinepartitionscount",
    "Partitions that nobody leads; counted by the controller, 0 on every other broker.",
)
NOT_PREFERRED = reading(
    "kafka_controller_kafkacontroller_preferredreplicaimbalancecount",
    "Partitions led by another replica than the first one; counted by the controller, 0 on every other broker.",
)
