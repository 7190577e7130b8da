"""Broker settings about the audit log: who changed what, who was refused, who logged in."""

from penstock.settings.checks import at_least, between
from penstock.settings.setting import Importance, Scope, setting
from penstock.settings.types import BOOLEAN, INT, LONG, STRING, mib, minutes, seconds

_BROKER = Scope.BROKER
_LOW = Importance.LOW

PENSTOCK_AUDIT_DIR = setting(
    "penstock.audit.dir", _BROKER, STRING, default="",
    doc="The folder of the audit log; empty, the default, keeps none. Brokers of one cluster may share it: each writes "
    "files of its own. Answers to admin requests wait until what they changed is on disk there.",
)  # fmt: skip
PENSTOCK_AUDIT_FILE_MAX_BYTES = setting(
    "penstock.audit.file.max.bytes", _BROKER, LONG, default=mib(100), check=at_least(4096), live=True,
    doc="A file of the audit log that has reached this size is followed by another.",
)  # fmt: skip
PENSTOCK_AUDIT_FILES_MAX = setting(
    "penstock.audit.files.max", _BROKER, INT, default=20, check=at_least(2), live=True,
    doc="Files that a broker keeps of its audit log. With one more, the oldest is deleted, and the log says so.",
)  # fmt: skip
PENSTOCK_AUDIT_QUEUE_MAX = setting(
    "penstock.audit.queue.max", _BROKER, INT, default=10_000, check=at_least(2), live=True, importance=_LOW,
    doc="Events that may wait to be written. When it is full, admin requests are refused with KAFKA_STORAGE_ERROR. "
    "Logins and refusals may fill half of it; further ones are lost, and the log says how many.",
)  # fmt: skip
PENSTOCK_AUDIT_FOLD_MS = setting(
    "penstock.audit.fold.ms", _BROKER, LONG, default=seconds(10), check=between(100, minutes(60)), live=True,
    importance=_LOW,
    doc="Logins and refusals that are alike become one event with a count when they come within this time.",
)  # fmt: skip
PENSTOCK_AUDIT_HEAD_INTERVAL_MS = setting(
    "penstock.audit.head.interval.ms", _BROKER, LONG, default=minutes(60), check=at_least(seconds(1)), live=True,
    importance=_LOW,
    doc="How often a broker writes into the metadata store how far its audit log reaches. A log that was cut off or "
    "rewritten before that point is found by `penstock audit verify`.",
)  # fmt: skip
PENSTOCK_AUDIT_TOPIC_ENABLE = setting(
    "penstock.audit.topic.enable", _BROKER, BOOLEAN, default=False,
    doc="Whether the events also go to the topic __penstock_audit, which only brokers write to. It takes "
    "penstock.audit.dir.",
)  # fmt: skip
