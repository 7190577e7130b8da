"""What the controller counts, under the names that Kafka dashboards know."""

from penstock.metrics import Metrics, counter


class ControllerMetrics(Metrics, prefix="kafka_controller_controllerstats"):
    leaderelections = counter("Leaders elected while this broker was the controller.")
    uncleanleaderelections = counter("Replicas elected that may lack acknowledged records. It should be 0.")
