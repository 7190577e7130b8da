"""What a failed batch means: the cluster is away, the disk is full, or something that is not for us to hide."""

from __future__ import annotations

from typing import NoReturn

from penstock.pipelines.jobs.topics import ClusterAway
from penstock.pipelines.running.spark_errors import full_disk_in

_AWAY = (
    "org.apache.kafka.common.errors.TimeoutException",
    "java.util.concurrent.TimeoutException: Cannot fetch record",
    "Timeout of 60000ms expired before the position",
    "org.apache.kafka.common.errors.DisconnectException",
    "No resolvable bootstrap urls",
    "Timed out waiting for a node assignment",
    "Failed to construct kafka consumer",
    "BrokerAway",
    "Local: Broker transport failure",
    "Local: All broker connections are down",
    "Local: Timed out",
    ": nothing came for ",  # our own source, which has waited as long as it may
)
# Spark's connector, at the end of a batch that was broken off and is run again: it has no figures for that one.
_UNCOUNTED = 'IterableOps.map(scala.Function1)" because the return value of "scala.Option.get()" is null'
_UNKNOWN = ("UnknownTopicOrPartitionException", "UNKNOWN_TOPIC_OR_PART")
_GONE = (
    "OffsetOutOfRangeException",
    "may have been lost",
    "records that were to be read are gone",
    "is gone while it was to be read",
    "is gone, and with it the offsets",
)


class RecordsGone(ClusterAway):
    """Records that were to be read are not there any more. The next look at the cluster may say why."""


class Uncounted(ClusterAway):
    """A batch is done, and Spark fails to tell how large it was: the query goes on behind it when it is started."""


def meaning(error: Exception) -> Exception:
    """Another exception that says it, or the same one."""
    text = str(error)
    if (full := full_disk_in(text)) is not None:
        return full
    if any(mark in text for mark in _GONE):
        return RecordsGone(_first_line(text))
    if _UNCOUNTED in text:
        return Uncounted("Spark has no figures for a batch that was run again")
    if any(mark in text for mark in (*_AWAY, *_UNKNOWN)):  # a broker that just starts may not know its topics yet
        return ClusterAway(_first_line(text))
    return error


def raise_meaning(error: Exception) -> NoReturn:
    told = meaning(error)
    if told is error:
        raise error
    raise told from error


def _first_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if "Exception" in line or "Error" in line]
    return (lines[0] if lines else text.strip())[:300]
