"""Broker settings about the metastore: none of them set, the broker stands alone with its own; with endpoints, etcd."""

from penstock.settings.checks import at_least, matching
from penstock.settings.setting import Importance, Scope, setting
from penstock.settings.types import INT, LIST, PASSWORD, STRING, seconds

_BROKER = Scope.BROKER
_HIGH = Importance.HIGH

PENSTOCK_CLUSTER_NAME = setting(
    "penstock.cluster.name", _BROKER, STRING, default="main",
    check=matching(r"[A-Za-z0-9_.-]{1,64}", text="1 to 64 letters, digits, dots, - and _"),
    doc="Under which name the cluster's metadata is kept in etcd: the brokers of a cluster share it, and one etcd may"
        " hold several clusters.",
)  # fmt: skip
PENSTOCK_ETCD_ENDPOINTS = setting(
    "penstock.etcd.endpoints", _BROKER, LIST, default=(), importance=_HIGH,
    doc="Where etcd (3.4 or newer) listens, each [http[s]://]HOST:PORT. Name every member: calls go to the next when"
        " one does not answer. Empty, the broker stands alone and keeps its metadata in its data folder.",
)  # fmt: skip
PENSTOCK_ETCD_USERNAME = setting(
    "penstock.etcd.username", _BROKER, STRING, default="",
    doc="The etcd user; its role needs reading and writing under /penstock/<penstock.cluster.name>/. Empty for an etcd"
        " that asks nobody.",
)  # fmt: skip
PENSTOCK_ETCD_PASSWORD = setting(
    "penstock.etcd.password", _BROKER, PASSWORD, default="",
    doc="That user's password.",
)  # fmt: skip
PENSTOCK_ETCD_TLS_CA_FILE = setting(
    "penstock.etcd.tls.ca.file", _BROKER, STRING, default=None,
    doc="PEM file with the authority that signed etcd's certificates. Setting it turns TLS on; with https:// endpoints"
        " and no file, the machine's own authorities count.",
)  # fmt: skip
PENSTOCK_ETCD_TLS_CERTIFICATE_FILE = setting(
    "penstock.etcd.tls.certificate.file", _BROKER, STRING, default=None,
    doc="PEM file with the certificate to show to an etcd that asks clients for one.",
)  # fmt: skip
PENSTOCK_ETCD_TLS_KEY_FILE = setting(
    "penstock.etcd.tls.key.file", _BROKER, STRING, default=None,
    doc="PEM file with that certificate's key.",
)  # fmt: skip
PENSTOCK_ETCD_REQUEST_TIMEOUT_MS = setting(
    "penstock.etcd.request.timeout.ms", _BROKER, INT, default=seconds(3), check=at_least(100),
    doc="How long a call to etcd may take, over all endpoints it tries. A write not answered by then is pending:"
        " whether it happened is read back.",
)  # fmt: skip
