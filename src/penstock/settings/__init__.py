"""The settings table: one row a setting, by subject (broker.py, topic.py, group.py, client_metrics.py).

Code imports the row it reads, `from penstock.settings.topic import RETENTION_MS`, and asks a Config at the moment of
use: `config[RETENTION_MS]`.
"""

from penstock.settings import broker, client_metrics, group, group_retries, group_shares, topic
from penstock.settings.config import (
    ClientMetricsConfig,
    Config,
    Explanation,
    GroupConfig,
    Overrides,
    SynonymText,
    TopicConfig,
)
from penstock.settings.listeners import Endpoint, Listener, advertised_endpoints, inter_broker_listener, listeners
from penstock.settings.loader import SettingsInvalid, broker_id_of, data_folders, given_text, load_settings
from penstock.settings.setting import Importance, Scope, Setting, Source, setting, settings_of
from penstock.settings.types import Kind
from penstock.settings.validation import check_broker, check_client_metrics, check_group, check_topic

__all__ = [
    "ClientMetricsConfig",
    "Config",
    "Endpoint",
    "Explanation",
    "GroupConfig",
    "Importance",
    "Kind",
    "Listener",
    "Overrides",
    "Scope",
    "Setting",
    "SettingsInvalid",
    "Source",
    "SynonymText",
    "TopicConfig",
    "advertised_endpoints",
    "broker",
    "broker_id_of",
    "check_broker",
    "check_client_metrics",
    "check_group",
    "check_topic",
    "client_metrics",
    "data_folders",
    "given_text",
    "group",
    "group_retries",
    "group_shares",
    "inter_broker_listener",
    "listeners",
    "load_settings",
    "setting",
    "settings_of",
    "topic",
]
