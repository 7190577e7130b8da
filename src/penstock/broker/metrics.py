"""What the broker counts of requests and connections."""

from penstock.metrics import Metrics, MetricsRegistry, counter, histogram, reading


class RequestCounts(Metrics, prefix="kafka_network_requestmetrics", labels=("request", "version")):
    requests = counter("Requests answered, by API and version.")


class RequestTimes(Metrics, prefix="penstock_request", labels=("request",)):
    seconds = histogram("From the moment a request was whole to the moment its answer was ready, waiting included.")


class RequestFaults(Metrics, prefix="penstock_requests"):
    bad_frames = counter("Frames that no answer could be given to: their connections were closed.")
    bugs = counter("Requests that failed for a reason that should not exist; the log has the stack.")


class ConnectionMetrics(Metrics, prefix="penstock_connections"):
    accepted = counter("Connections accepted.")
    closed = counter("Connections closed, by either side.")
    turned_away = counter("Connections closed at once because of max.connections or max.connections.per.ip.")


class LoginMetrics(Metrics, prefix="penstock_logins"):
    succeeded = counter("Logins, renewed ones included.")
    failed = counter("Logins that failed, or that were not what a login is.")


CONNECTION_COUNT = reading("kafka_server_socket_server_metrics_connection_count", "Connections open now.")
ACTIVE_CONTROLLERS = reading(
    "kafka_controller_kafkacontroller_activecontrollercount", "1 on the broker that decides, 0 on every other."
)
FETCH_SESSIONS = reading("kafka_server_fetchsessioncache_numincrementalfetchsessions", "Fetch sessions kept now.")
LOGINS_UNDER_WAY = reading("penstock_logins_under_way", "Connections that have not logged in, where they must.")
REQUEST_MEMORY = reading("penstock_request_memory_bytes", "Bytes that unfinished requests hold.")


class RouteMetrics:
    """The numbers of one API and version, at hand."""

    __slots__ = ("_counts", "_times")

    def __init__(self, registry: MetricsRegistry, name: str, api_version: int) -> None:
        self._counts = registry.of(RequestCounts, request=name, version=api_version)
        self._times = registry.of(RequestTimes, request=name).seconds

    def record(self, seconds: float) -> None:
        self._counts.requests += 1
        self._times.record(seconds)
