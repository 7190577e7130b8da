"""Broker settings about quotas: over how long rates are measured, and how fast connections may come."""

from penstock.settings.checks import at_least
from penstock.settings.setting import Importance, Scope, setting
from penstock.settings.types import INT, INT_MAX

_BROKER = Scope.BROKER
_LOW = Importance.LOW

QUOTA_WINDOW_NUM = setting(
    "quota.window.num", _BROKER, INT, default=11, check=at_least(1), importance=_LOW,
    doc="Over so many windows the rates of clients are measured.",
)  # fmt: skip
QUOTA_WINDOW_SIZE_SECONDS = setting(
    "quota.window.size.seconds", _BROKER, INT, default=1, check=at_least(1), importance=_LOW,
    doc="How long each of quota.window.num windows is.",
)  # fmt: skip
CONTROLLER_QUOTA_WINDOW_NUM = setting(
    "controller.quota.window.num", _BROKER, INT, default=11, check=at_least(1), importance=_LOW,
    doc="With controller.quota.window.size.seconds: of so many windows the mutations that a client did not use may be "
    "used at once (controller_mutation_rate).",
)  # fmt: skip
CONTROLLER_QUOTA_WINDOW_SIZE_SECONDS = setting(
    "controller.quota.window.size.seconds", _BROKER, INT, default=1, check=at_least(1), importance=_LOW,
    doc="How long each of controller.quota.window.num windows is.",
)  # fmt: skip
MAX_CONNECTION_CREATION_RATE = setting(
    "max.connection.creation.rate", _BROKER, INT, default=INT_MAX, check=at_least(1), live=True,
    doc="Connections a second that are accepted over all listeners; further ones wait in the listener's backlog. The "
    "listener of brokers does not count where there are others. Each listener may have a rate of its own besides: "
    "listener.name.<name>.max.connection.creation.rate.",
)  # fmt: skip
