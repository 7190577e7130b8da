"""The cluster image, and the controller that writes it: topics, placement, settings, features, membership."""

from penstock.cluster.addresses import (
    Node,
    controller_for_clients,
    fenced_nodes,
    is_reachable,
    nodes,
    offline_replicas,
    reachable_leader,
    takes_admin_requests,
)
from penstock.cluster.alterations import no_such_operation, require_alterable, require_well_formed
from penstock.cluster.bugs import NO_BUGS, ClusterBugs
from penstock.cluster.commands import (
    AlterSettings,
    CreatedTopic,
    CreateTopic,
    ElectionType,
    ElectLeader,
    EntryChange,
    FeatureUpdate,
    GrowTopic,
    Operation,
    Reassign,
    ReplaceSettings,
    SettingChange,
    UpgradeType,
)
from penstock.cluster.controller import Controller
from penstock.cluster.describing import explain as explain_settings
from penstock.cluster.describing import require_this_broker
from penstock.cluster.duties.partition_writes import PartitionRef
from penstock.cluster.elections import ElectionView, eligible_after
from penstock.cluster.features import GROUP_VERSION, SHARE_VERSION
from penstock.cluster.features import SUPPORTED as SUPPORTED_FEATURES
from penstock.cluster.image.changes import (
    BrokerGone,
    BrokerRegistered,
    ControllerChanged,
    EntryChanged,
    FeaturesChanged,
    ImageChange,
    MarkChanged,
    PartitionChanged,
    SettingsChanged,
    TopicCreated,
    TopicDeleted,
    TopicGrown,
    TopicSettingsChanged,
    ViewAltered,
    ViewCreated,
    ViewDeleted,
)
from penstock.cluster.image.entries import Entry, EntryKind
from penstock.cluster.image.image import ClusterImage
from penstock.cluster.image.shapes import NO_LEADER, BrokerImage, PartitionImage, TopicImage
from penstock.cluster.image.subscribers import Subscriber
from penstock.cluster.in_sync import InSyncWrites
from penstock.cluster.keys import Keys
from penstock.cluster.log_report import LogReport
from penstock.cluster.membership.availability import BrokerAvailability
from penstock.cluster.membership.joining import new_cluster_id
from penstock.cluster.membership.probe import PeerView, Probe, ProbeResult, TcpProbe
from penstock.cluster.membership.secret import Sealing, Secrets, exchange_secret
from penstock.cluster.membership.store_wait import StoreWait
from penstock.cluster.metrics import ControllerMetrics
from penstock.cluster.names import (
    AUDIT,
    CLUSTER_METADATA,
    CONSUMER_OFFSETS,
    SHARE_GROUP_STATE,
    SHARE_STATE_IS_KEPT,
    TRANSACTION_STATE,
    is_internal,
)
from penstock.cluster.names import check as check_topic_name
from penstock.cluster.names import what_is_wrong_with as what_is_wrong_with_topic_name
from penstock.cluster.producer_ids import ProducerIds
from penstock.cluster.read_barrier import ReadBarrier
from penstock.cluster.records import BrokerRecord, Endpoint, IdentityRecord
from penstock.cluster.resources import (
    BROKER_DEFAULTS,
    NOT_ASKED_FOR,
    Resource,
    ResourceType,
)
from penstock.cluster.schedule_topics import targets as schedule_targets
from penstock.cluster.service import Cluster, ClusterPorts

__all__ = [
    "AUDIT",
    "BROKER_DEFAULTS",
    "CLUSTER_METADATA",
    "CONSUMER_OFFSETS",
    "GROUP_VERSION",
    "NOT_ASKED_FOR",
    "NO_BUGS",
    "NO_LEADER",
    "SHARE_GROUP_STATE",
    "SHARE_STATE_IS_KEPT",
    "SHARE_VERSION",
    "SUPPORTED_FEATURES",
    "TRANSACTION_STATE",
    "AlterSettings",
    "BrokerAvailability",
    "BrokerGone",
    "BrokerImage",
    "BrokerRecord",
    "BrokerRegistered",
    "Cluster",
    "ClusterBugs",
    "ClusterImage",
    "ClusterPorts",
    "Controller",
    "ControllerChanged",
    "ControllerMetrics",
    "CreateTopic",
    "CreatedTopic",
    "ElectLeader",
    "ElectionType",
    "ElectionView",
    "Endpoint",
    "Entry",
    "EntryChange",
    "EntryChanged",
    "EntryKind",
    "FeatureUpdate",
    "FeaturesChanged",
    "GrowTopic",
    "IdentityRecord",
    "ImageChange",
    "InSyncWrites",
    "Keys",
    "LogReport",
    "MarkChanged",
    "Node",
    "Operation",
    "PartitionChanged",
    "PartitionImage",
    "PartitionRef",
    "PeerView",
    "Probe",
    "ProbeResult",
    "ProducerIds",
    "ReadBarrier",
    "Reassign",
    "ReplaceSettings",
    "Resource",
    "ResourceType",
    "Sealing",
    "Secrets",
    "SettingChange",
    "SettingsChanged",
    "StoreWait",
    "Subscriber",
    "TcpProbe",
    "TopicCreated",
    "TopicDeleted",
    "TopicGrown",
    "TopicImage",
    "TopicSettingsChanged",
    "UpgradeType",
    "ViewAltered",
    "ViewCreated",
    "ViewDeleted",
    "check_topic_name",
    "controller_for_clients",
    "eligible_after",
    "exchange_secret",
    "explain_settings",
    "fenced_nodes",
    "is_internal",
    "is_reachable",
    "new_cluster_id",
    "no_such_operation",
    "nodes",
    "offline_replicas",
    "reachable_leader",
    "require_alterable",
    "require_this_broker",
    "require_well_formed",
    "schedule_targets",
    "takes_admin_requests",
    "what_is_wrong_with_topic_name",
]
