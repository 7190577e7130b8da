"""Group settings of retries (docs/tutorial/retries.md): for consumers that produce what they failed on
to a retry topic.
"""

from penstock.settings.checks import at_least, between, matching
from penstock.settings.setting import Scope, setting
from penstock.settings.types import DOUBLE, INT, STRING, days, minutes, seconds

_GROUP = Scope.GROUP

RETRY_BACKOFF_MS = setting(
    "penstock.retry.backoff.ms", _GROUP, INT, default=seconds(1), check=between(0, days(7)),
    doc="How long a record waits in a retry topic of the group before its first retry.",
)  # fmt: skip
RETRY_BACKOFF_MULTIPLIER = setting(
    "penstock.retry.backoff.multiplier", _GROUP, DOUBLE, default=2.0, check=between(1, 100),
    doc="Each further retry of a record waits so many times as long as the one before.",
)  # fmt: skip
RETRY_BACKOFF_MAX_MS = setting(
    "penstock.retry.backoff.max.ms", _GROUP, INT, default=minutes(5), check=between(1, days(7)),
    doc="No retry waits longer, not even the first.",
)  # fmt: skip
RETRY_BACKOFF_JITTER = setting(
    "penstock.retry.backoff.jitter", _GROUP, DOUBLE, default=0.2, check=between(0, 1),
    doc="By what part of itself a wait is made longer or shorter, so that records that failed together are not all "
        "tried again together.",
)  # fmt: skip
RETRY_MAX_ATTEMPTS = setting(
    "penstock.retry.max.attempts", _GROUP, INT, default=5, check=at_least(1),
    doc="How often a record is tried again. One that fails after that goes to the group's dead-letter topic "
        "(errors.deadletterqueue.topic.name), and waits in the retry topic while there is none.",
)  # fmt: skip
RETRY_TOPIC_NAME = setting(
    "penstock.retry.topic.name", _GROUP, STRING, default="",
    check=matching(r"[a-zA-Z0-9._-]{0,200}", text="part of a topic's name, or empty"),
    doc="What stands for the group in the names of its retry topics, _retry.NAME.TOPIC and TOPIC.retry.NAME; needed "
        "where the group's id is no legal name of a topic. Empty: the id.",
)  # fmt: skip
