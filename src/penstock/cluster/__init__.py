"""The cluster image, and the controller that writes it: topics, placement, settings, features, membership."""

from penstock.cluster.changes import (
    BrokerGone,
    BrokerRegistered,
    ControllerChanged,
    FeaturesChanged,
    ImageChange,
    PartitionChanged,
    SettingsChanged,
    TopicCreated,
    TopicDeleted,
    TopicGrown,
    TopicSettingsChanged,
)
from penstock.cluster.commands import (
    AlterSettings,
    CreateTopic,
    FeatureUpdate,
    GrowTopic,
    Operation,
    ReplaceSettings,
    SettingChange,
    UpgradeType,
)
from penstock.cluster.controller import Controller
from penstock.cluster.image import ClusterImage
from penstock.cluster.keys import Keys
from penstock.cluster.names import CLUSTER_METADATA, CONSUMER_OFFSETS, SHARE_GROUP_STATE, TRANSACTION_STATE, is_internal
from penstock.cluster.names import check as check_topic_name
from penstock.cluster.names import what_is_wrong_with as what_is_wrong_with_topic_name
from penstock.cluster.producer_ids import ProducerIds
from penstock.cluster.records import BrokerRecord, Endpoint, TopicRecord
from penstock.cluster.resources import BROKER_DEFAULTS, Resource, ResourceType
from penstock.cluster.service import Cluster
from penstock.cluster.shapes import NO_LEADER, BrokerImage, PartitionImage, TopicImage

__all__ = [
    "BROKER_DEFAULTS",
    "CLUSTER_METADATA",
    "CONSUMER_OFFSETS",
    "NO_LEADER",
    "SHARE_GROUP_STATE",
    "TRANSACTION_STATE",
    "AlterSettings",
    "BrokerGone",
    "BrokerImage",
    "BrokerRecord",
    "BrokerRegistered",
    "Cluster",
    "ClusterImage",
    "Controller",
    "ControllerChanged",
    "CreateTopic",
    "Endpoint",
    "FeatureUpdate",
    "FeaturesChanged",
    "GrowTopic",
    "ImageChange",
    "Keys",
    "Operation",
    "PartitionChanged",
    "PartitionImage",
    "ProducerIds",
    "ReplaceSettings",
    "Resource",
    "ResourceType",
    "SettingChange",
    "SettingsChanged",
    "TopicCreated",
    "TopicDeleted",
    "TopicGrown",
    "TopicImage",
    "TopicRecord",
    "TopicSettingsChanged",
    "UpgradeType",
    "check_topic_name",
    "is_internal",
    "what_is_wrong_with_topic_name",
]
