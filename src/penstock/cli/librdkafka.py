"""librdkafka under `produce` and `consume`: its clients for a cluster, and its errors turned into ours.

Only what reads and writes records imports this module: loading the library costs more than an administrative command.
"""

import logging
import time
from collections.abc import Callable
from typing import Any, TypeVar

import click
from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition
from confluent_kafka.admin import ClusterMetadata  # type: ignore[attr-defined]

from penstock.cli.client import CLIENT_ID, Cluster
from penstock.cli.exits import Failure, NotFound, Unreachable
from penstock.errors import UnknownServerError, error_name

__all__ = [
    "ClusterMetadata",
    "Consumer",
    "KafkaError",
    "KafkaException",
    "Message",
    "Producer",
    "TopicPartition",
    "check_properties",
    "error_text",
    "failure",
    "open_consumer",
    "open_producer",
    "reach",
]

REFUSED_GRACE_S = 1.5
"""How long to go on after every address refused: a name may resolve to several, and librdkafka tries one at a time."""

_T = TypeVar("_T")

_UNREACHABLE_CODES = frozenset(
    {
        KafkaError._TRANSPORT,
        KafkaError._ALL_BROKERS_DOWN,
        KafkaError._RESOLVE,
        KafkaError._SSL,
        KafkaError._AUTHENTICATION,
        KafkaError._TIMED_OUT,
        KafkaError._TIMED_OUT_QUEUE,
    }
)
_NOT_FOUND_CODES = frozenset(
    {
        KafkaError.UNKNOWN_TOPIC_OR_PART,
        KafkaError._UNKNOWN_TOPIC,
        KafkaError._UNKNOWN_PARTITION,
        KafkaError.UNKNOWN_TOPIC_ID,
    }
)

# librdkafka would write its own lines to stderr; what matters in them reaches people through our errors.
_quiet_logger = logging.getLogger("penstock.cli.librdkafka")
_quiet_logger.addHandler(logging.NullHandler())
_quiet_logger.propagate = False


def open_consumer(cluster: Cluster, **settings: Any) -> Consumer:
    return _make(Consumer, cluster, settings)


def open_producer(cluster: Cluster, **settings: Any) -> Producer:
    return _make(Producer, cluster, settings)


def check_properties(properties: dict[str, str]) -> None:
    """UsageError where the library would refuse them, as it does misspelt names."""
    _made(Producer, {"log_level": 0, **properties, "bootstrap.servers": ""})


def _make(kind: Callable[..., _T], cluster: Cluster, settings: dict[str, Any]) -> _T:
    # reconnect.backoff.ms: half of it goes by before a second broker is connected to, and every command needs one:
    # the address that was named is left for the one that the broker advertises.
    config = {"client.id": CLIENT_ID, "log_level": 0, "reconnect.backoff.ms": 20, **settings, **cluster.properties}
    config |= {"bootstrap.servers": cluster.bootstrap, "error_cb": lambda error: _complain(cluster, error)}
    return _made(kind, config)


def _made(kind: Callable[..., _T], config: dict[str, Any]) -> _T:
    try:
        return kind(config, logger=_quiet_logger)
    except KafkaException as error:
        raise click.UsageError(f"the client library refuses these properties: {error.args[0].str()}") from error
    except ValueError as error:
        raise click.UsageError(f"the client library refuses these properties: {error}") from error


def _complain(cluster: Cluster, error: KafkaError) -> None:
    if error.code() == KafkaError._ALL_BROKERS_DOWN:
        cluster.is_all_down = True
    else:
        cluster.complaints.append(error.str().partition(" (after ")[0])


def reach(cluster: Cluster, client: Consumer | Producer, topic: str | None = None) -> ClusterMetadata:
    """Metadata from any broker, or Unreachable soon: refused connections do not wait out the timeout."""
    started = time.monotonic()
    while True:
        waited_s = time.monotonic() - started
        try:
            metadata: ClusterMetadata = (
                client.list_topics(topic, timeout=0.5) if topic else client.list_topics(timeout=0.5)
            )
            cluster.heed({broker.id: (str(broker.host), broker.port) for broker in metadata.brokers.values()})
            return metadata
        except KafkaException as error:
            if error.args[0].code() not in _UNREACHABLE_CODES:
                raise failure(error.args[0], cluster) from error
        client.poll(0)  # serves error_cb
        if waited_s > cluster.timeout_s or (cluster.is_all_down and waited_s > REFUSED_GRACE_S):
            raise cluster.unreachable()


def failure(error: KafkaError, cluster: Cluster, *, doing: str = "do that") -> Failure:
    """The kind of failure that an error code means to a caller, by exit code."""
    code = error.code()
    text = f"could not {doing}: {error_text(error)}"
    if code in (KafkaError._TIMED_OUT, KafkaError._TIMED_OUT_QUEUE):
        return cluster.no_answer(doing)
    if code in _UNREACHABLE_CODES:
        return Unreachable(text, hint=cluster.address_advice() or cluster.what_went_wrong())
    if code == KafkaError._MSG_TIMED_OUT:
        return Failure(text, hint=cluster.address_advice() or _ADVICE[code])
    if code in _NOT_FOUND_CODES:
        return NotFound(text, hint="`penstock topic list` shows what exists.")
    if code == KafkaError.GROUP_ID_NOT_FOUND:
        return NotFound(text, hint="`penstock group list` shows what exists.")
    return Failure(text, hint=_ADVICE.get(code))


def error_text(error: KafkaError) -> str:
    """What went wrong, with the name that Kafka's own documentation has for it."""
    code = error.code()
    name = error_name(code) if code >= UnknownServerError.code else error.name()
    words = error.str()
    for prefix in ("Unable to produce message: ", "Broker: ", "Local: "):
        words = words.removeprefix(prefix)
    return f"{words} ({name})"


_ADVICE = {
    KafkaError._MSG_TIMED_OUT: (
        "The cluster was reached, but a partition's leader did not take the records in time: it may be away, its log\n"
        "offline or its disk full; or brokers have no producer id to give, because etcd is away for long.\n"
        "`penstock topic describe TOPIC`, the broker's log and its /health page tell which."
    ),
    KafkaError.MSG_SIZE_TOO_LARGE: (
        "Raise what this client may send with -X message.max.bytes=BYTES (1000000 unless set), and what the topic\n"
        "takes with `penstock topic alter TOPIC -s max.message.bytes=BYTES`."
    ),
}
