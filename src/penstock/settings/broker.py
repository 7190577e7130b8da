"""Broker settings: who it is, where it listens, what it admits. Those about clusters, etcd, groups, logs, replication
and transactions (broker_*.py) are here too.
"""

from penstock.settings.broker_access import *  # noqa: F403
from penstock.settings.broker_audit import *  # noqa: F403
from penstock.settings.broker_cluster import *  # noqa: F403
from penstock.settings.broker_etcd import *  # noqa: F403
from penstock.settings.broker_groups import *  # noqa: F403
from penstock.settings.broker_log import *  # noqa: F403
from penstock.settings.broker_quotas import *  # noqa: F403
from penstock.settings.broker_replication import *  # noqa: F403
from penstock.settings.broker_sasl import *  # noqa: F403
from penstock.settings.broker_shares import *  # noqa: F403
from penstock.settings.broker_tls import *  # noqa: F403
from penstock.settings.broker_transactions import *  # noqa: F403
from penstock.settings.checks import at_least, between, matching, one_of
from penstock.settings.setting import Importance, Scope, setting
from penstock.settings.types import (
    BOOLEAN,
    INT,
    INT_MAX,
    LIST,
    LONG,
    LONG_MAX,
    STRING,
    kib,
    mib,
    minutes,
    seconds,
)

_BROKER = Scope.BROKER
_HIGH = Importance.HIGH
_LOW = Importance.LOW

# Who it is

NODE_ID = setting(
    "node.id", _BROKER, INT, default=1, check=at_least(0), importance=_HIGH,
    doc="The broker's number in its cluster. It is written into the data folder, which then belongs to that number.",
)  # fmt: skip
BROKER_ID = setting(
    "broker.id", _BROKER, INT, default=-1, importance=_HIGH,
    doc="The older name of node.id. If both are set they must be equal.",
)  # fmt: skip
BROKER_RACK = setting(
    "broker.rack", _BROKER, STRING, default=None,
    doc="The rack or zone the broker is in: replicas are spread over racks, and consumers may read from their own.",
)  # fmt: skip
PENSTOCK_CLUSTER_ID = setting(
    "penstock.cluster.id", _BROKER, STRING, default="",
    check=matching(r"[A-Za-z0-9_-]{0,64}", text="up to 64 letters, digits, - and _"),
    doc="The cluster's id, for a data folder that has none yet. Empty, one is made up at the first start.",
)  # fmt: skip

PENSTOCK_WORKERS = setting(
    "penstock.workers", _BROKER, INT, default=1, check=between(1, 256), importance=_HIGH,
    doc="How many brokers of a cluster `penstock up` runs on this machine, each a process of its own: as many as there "
    "are cores for them, since a broker uses one. They share these settings. The first has node.id and the ports as "
    "given, each further one the next id and the next ports, and each has a folder broker-<id> in all of log.dirs.",
)  # fmt: skip

# Where it listens

LISTENERS = setting(
    "listeners", _BROKER, LIST, default=("PLAINTEXT://127.0.0.1:9092",), importance=_HIGH,
    doc="The addresses the broker listens on, each NAME://HOST:PORT. An empty host or 0.0.0.0 is every interface; "
    "port 0 is any free one.",
)  # fmt: skip
ADVERTISED_LISTENERS = setting(
    "advertised.listeners", _BROKER, LIST, default=None, importance=_HIGH,
    doc="The addresses clients are told to connect to, by listener name, where they differ from listeners: in a "
    "container, behind NAT. A client is told the address of the listener it came in on.",
)  # fmt: skip
LISTENER_SECURITY_PROTOCOL_MAP = setting(
    "listener.security.protocol.map", _BROKER, STRING, importance=_LOW,
    default="SASL_SSL:SASL_SSL,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT",
    doc="Which protocol each listener name speaks, NAME:PROTOCOL. A listener may have any name. The "
    "protocols are PLAINTEXT, SSL, SASL_PLAINTEXT and SASL_SSL.",
)  # fmt: skip
INTER_BROKER_LISTENER_NAME = setting(
    "inter.broker.listener.name", _BROKER, STRING, default=None,
    doc="The listener that brokers use among themselves. Unset, it is the first one.",
)  # fmt: skip
SECURITY_INTER_BROKER_PROTOCOL = setting(
    "security.inter.broker.protocol", _BROKER, STRING, default=None,
    check=one_of("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"),
    doc="Another way to name the listener that brokers use among themselves: the one that is called like this protocol."
    " It cannot be set together with inter.broker.listener.name.",
)  # fmt: skip
CONTROLLER_LISTENER_NAMES = setting(
    "controller.listener.names", _BROKER, LIST, default=(), importance=_HIGH,
    doc="Listeners that Apache Kafka would give to its controllers. Penstock has no such listeners: the ones named "
    "here are not opened, so that a Kafka configuration can be used as it is.",
)  # fmt: skip
SOCKET_LISTEN_BACKLOG_SIZE = setting(
    "socket.listen.backlog.size", _BROKER, INT, default=50, check=at_least(1),
    doc="How many connections may wait to be accepted.",
)  # fmt: skip
SOCKET_SEND_BUFFER_BYTES = setting(
    "socket.send.buffer.bytes", _BROKER, INT, default=-1, importance=_HIGH,
    doc="The send buffer asked of the kernel for each connection. -1, the default here (Kafka: 102400), leaves it to"
    " the kernel, which sizes it by use within net.ipv4.tcp_wmem; fixed ones cost half as much CPU a GB again.",
)  # fmt: skip
SOCKET_RECEIVE_BUFFER_BYTES = setting(
    "socket.receive.buffer.bytes", _BROKER, INT, default=-1, importance=_HIGH,
    doc="The receive buffer asked of the kernel for each connection. -1, the default here (Kafka: 102400), leaves it to"
    " the kernel, which sizes it by use within net.ipv4.tcp_rmem; fixed ones cost half as much CPU a GB again.",
)  # fmt: skip
PENSTOCK_HTTP_LISTENER = setting(
    "penstock.http.listener", _BROKER, STRING, default="127.0.0.1:9644",
    check=matching(
        r"|(https?://)?(\[[0-9a-fA-F:.%]+\]|[^\s:/\[\]]*):[0-9]{1,5}",
        text="HOST:PORT, https://HOST:PORT, or empty for no HTTP",
    ),
    doc="Where /health, /ready and /metrics are served: HOST:PORT, or https://HOST:PORT with the broker's ssl.* "
    "settings. Port 0 is any free one; empty turns HTTP off.",
)  # fmt: skip
PENSTOCK_WEB_LISTENER = setting(
    "penstock.web.listener", _BROKER, STRING, default="127.0.0.1:8080",
    check=matching(r"|(\[[0-9a-fA-F:.%]+\]|[^\s:/\[\]]+):[0-9]{1,5}", text="HOST:PORT, or empty for no web process"),
    doc="Where `penstock up` has a web process listen (REST), beside the broker or the brokers of this machine, if its "
    "packages are installed. Port 0 is any free one; empty starts none. More options has `penstock web`, "
    "run by itself.",
)  # fmt: skip

# What it admits: every bound, and what happens there

MAX_CONNECTIONS = setting(
    "max.connections", _BROKER, INT, default=INT_MAX, check=at_least(0), live=True,
    doc="Connections over all listeners, without those of the cluster's brokers. At the limit a new one is closed at "
    "once; on the listener of brokers, as soon as it turns out to be a client's.",
)  # fmt: skip
MAX_CONNECTIONS_PER_IP = setting(
    "max.connections.per.ip", _BROKER, INT, default=INT_MAX, check=at_least(0), live=True,
    doc="Connections from one address, without those of the cluster's brokers. At the limit a new one from there is "
    "closed at once; on the listener of brokers, as soon as it turns out to be a client's.",
)  # fmt: skip
MAX_CONNECTIONS_PER_IP_OVERRIDES = setting(
    "max.connections.per.ip.overrides", _BROKER, STRING, default="", live=True,
    check=matching(r"(\s*[^,\s]+:\d+\s*(,\s*[^,\s]+:\d+\s*)*)?", text="a list of address:limit"),
    doc="Other limits for certain addresses: address:limit,address:limit.",
)  # fmt: skip
CONNECTIONS_MAX_IDLE_MS = setting(
    "connections.max.idle.ms", _BROKER, LONG, default=minutes(10),
    doc="A connection on which nothing moves for so long is closed, also when its peer takes nothing of an answer; "
    "-1 never.",
)  # fmt: skip
PENSTOCK_FRAME_STALL_MS = setting(
    "penstock.frame.stall.ms", _BROKER, LONG, default=minutes(1), check=at_least(1), live=True,
    doc="A connection that sends part of a request and then nothing for so long is closed, since others may wait for "
    "the memory it holds. The whole request may take as long again for each 512 KiB of it.",
)  # fmt: skip
SOCKET_REQUEST_MAX_BYTES = setting(
    "socket.request.max.bytes", _BROKER, INT, default=mib(100), check=at_least(1), importance=_HIGH,
    doc="The largest request. A connection that announces a larger one is closed before it is read. Batches may have "
    "128 KiB less (message.max.bytes).",
)  # fmt: skip
REQUEST_TIMEOUT_MS = setting(
    "request.timeout.ms", _BROKER, INT, default=seconds(30), check=at_least(0), importance=_HIGH,
    doc="How long a broker waits for what it was asked to do for another one, such as transaction markers to be "
    "replicated, before it answers that time is over.",
)  # fmt: skip
PENSTOCK_VIEW_SCAN_BYTES_MAX = setting(
    "penstock.view.scan.bytes.max", _BROKER, INT, default=mib(8), check=at_least(kib(64)), live=True,
    doc="How many bytes of records one fetch looks through for views, compressed or not. A fetch that found nothing in "
    "them is answered all the same, and the next one goes on from there.",
)  # fmt: skip
PENSTOCK_CONTROL_REQUEST_MAX_BYTES = setting(
    "penstock.control.request.max.bytes", _BROKER, INT, default=mib(4), check=at_least(1024),
    doc="The largest request that is not Produce. Such a request is decoded whole, which takes many times its size; a "
    "connection that sends a larger one is closed.",
)  # fmt: skip
QUEUED_MAX_REQUEST_BYTES = setting(
    "queued.max.request.bytes", _BROKER, LONG, default=mib(256),
    doc="Memory for requests that are read and not yet answered, over all connections. When it is full, reading "
    "stops until answers have gone out; -1 is no limit. (Kafka's default is -1.)",
)  # fmt: skip
PENSTOCK_REQUESTS_IN_FLIGHT_MAX = setting(
    "penstock.requests.in.flight.max", _BROKER, INT, default=100, check=at_least(1),
    doc="Requests of one connection that are read and not yet answered. At the limit reading stops until answers "
    "have gone out.",
    simulate=(1, 5),
)  # fmt: skip
FETCH_MAX_BYTES = setting(
    "fetch.max.bytes", _BROKER, INT, default=mib(55), check=at_least(1024),
    doc="The most that one Fetch answers with, whatever the client asks for; the first batch goes out even if it is "
    "larger.",
)  # fmt: skip
MAX_INCREMENTAL_FETCH_SESSION_CACHE_SLOTS = setting(
    "max.incremental.fetch.session.cache.slots", _BROKER, INT, default=1000, check=at_least(0),
    doc="Fetch sessions kept. Beyond it the one unused for longest makes room, or the client gets none and sends "
    "full requests.",
)  # fmt: skip
MAX_REQUEST_PARTITION_SIZE_LIMIT = setting(
    "max.request.partition.size.limit", _BROKER, INT, default=2000, check=at_least(1),
    doc="Partitions in one answer of DescribeTopicPartitions; the client asks on from there.",
)  # fmt: skip
PENSTOCK_OPEN_FILES_MAX = setting(
    "penstock.open.files.max", _BROKER, INT, default=0, check=at_least(0),
    doc="Log files held open at once; the one unused for longest is closed to make room. 0 takes half of what the "
    "process may open.",
    simulate=(16, 0),
)  # fmt: skip
PENSTOCK_METRICS_SERIES_MAX = setting(
    "penstock.metrics.series.max", _BROKER, INT, default=20_000, check=at_least(1),
    doc="Label combinations kept for one metric. Beyond it measurements go to one series labelled `other`.",
)  # fmt: skip
PENSTOCK_HTTP_CONNECTIONS_MAX = setting(
    "penstock.http.connections.max", _BROKER, INT, default=64, check=at_least(1),
    doc="HTTP connections at once. At the limit a new one is answered 503 and closed.",
)  # fmt: skip
PENSTOCK_HTTP_TIMEOUT_MS = setting(
    "penstock.http.timeout.ms", _BROKER, INT, default=seconds(10), check=at_least(1),
    doc="How long an HTTP client may take to send a request or to read its answer, and how long a connection may idle.",
)  # fmt: skip
PENSTOCK_SHUTDOWN_TIMEOUT_MS = setting(
    "penstock.shutdown.timeout.ms", _BROKER, INT, default=seconds(30), check=at_least(0),
    doc="How long a stopping broker lets running requests finish before it closes their connections.",
)  # fmt: skip

# Topics

NUM_PARTITIONS = setting(
    "num.partitions", _BROKER, INT, default=1, check=at_least(1),
    doc="Partitions of a topic whose creator does not say how many.",
)  # fmt: skip
DEFAULT_REPLICATION_FACTOR = setting(
    "default.replication.factor", _BROKER, INT, default=1, check=at_least(1),
    doc="Replicas of a topic whose creator does not say how many.",
)  # fmt: skip
AUTO_CREATE_TOPICS_ENABLE = setting(
    "auto.create.topics.enable", _BROKER, BOOLEAN, default=True, importance=_HIGH,
    doc="Whether a topic comes into being when a client that allows it asks about it.",
)  # fmt: skip
PENSTOCK_SCHEDULE_AUTO_CREATE_ENABLE = setting(
    "penstock.schedule.auto.create.enable", _BROKER, BOOLEAN, default=False,
    doc="Whether a topic that comes into being on first use is a schedule topic where its name says so: NAME.later, "
    "_delay.30s.NAME for records that wait 30 seconds (ms, s, m, h, d), and _retry.GROUP.NAME for what a group failed "
    "on, of a topic NAME that is there. What is tried again comes to NAME.retry.GROUP, which is made as well.",
)  # fmt: skip
DELETE_TOPIC_ENABLE = setting(
    "delete.topic.enable", _BROKER, BOOLEAN, default=True, importance=_HIGH,
    doc="Whether topics can be deleted.",
)  # fmt: skip

# Replication throttles, written by the reassignment tool

LEADER_REPLICATION_THROTTLED_RATE = setting(
    "leader.replication.throttled.rate", _BROKER, LONG, default=LONG_MAX, check=at_least(0), live=True,
    doc="Bytes a second that leaders send to throttled followers.",
)  # fmt: skip
FOLLOWER_REPLICATION_THROTTLED_RATE = setting(
    "follower.replication.throttled.rate", _BROKER, LONG, default=LONG_MAX, check=at_least(0), live=True,
    doc="Bytes a second that throttled followers fetch.",
)  # fmt: skip
REPLICA_ALTER_LOG_DIRS_IO_MAX_BYTES_PER_SECOND = setting(
    "replica.alter.log.dirs.io.max.bytes.per.second", _BROKER, LONG, default=LONG_MAX, check=at_least(0), live=True,
    doc="Bytes a second at which replicas move between data folders.",
)  # fmt: skip

# What it says

PENSTOCK_LOG_LEVEL = setting(
    "penstock.log.level", _BROKER, STRING, default="info", check=one_of("debug", "info", "warning", "error"),
    doc="What the broker writes to its own log.",
)  # fmt: skip
PENSTOCK_LOG_FORMAT = setting(
    "penstock.log.format", _BROKER, STRING, default="text", check=one_of("text", "json"),
    doc="How it writes it: for people or for programs.",
)  # fmt: skip
