"""How a command speaks to a cluster: connection options, and librdkafka's errors turned into ours.

Only here and in the client commands is confluent_kafka imported; this module is never loaded by `penstock up`.
"""

import functools
import logging
import time
from collections.abc import Callable
from concurrent.futures import Future, TimeoutError
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import click

from penstock.cli.advertised import Address, advice, none_answers, split_address, unconnectable
from penstock.cli.exits import Failure, NotFound, Unreachable
from penstock.cli.kafka_names import AdminClient, ClusterMetadata, Consumer, KafkaError, KafkaException, Producer
from penstock.errors import UnknownServerError, error_name

DEFAULT_BOOTSTRAP = "127.0.0.1:9092"
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


@dataclass
class Cluster:
    """The cluster that the options name, and what librdkafka complained about on the way to it."""

    bootstrap: str
    properties: dict[str, str] = field(default_factory=dict)
    timeout_s: float = 10.0
    complaints: list[KafkaError] = field(default_factory=list)
    told: dict[int, Address] = field(default_factory=dict)
    """Where the cluster says that its brokers are; empty until it was reached."""

    def named(self) -> list[Address]:
        """The addresses that the person gave. ValueError where one is none."""
        found = [split_address(address) for address in self.bootstrap.split(",") if address.strip()]
        if not found:
            raise ValueError(f"{self.bootstrap!r} names no host")
        return found

    def admin(self) -> AdminClient:
        client = self._make(AdminClient, {})
        self.reach(client)
        return client

    def consumer(self, **settings: Any) -> Consumer:
        return self._make(Consumer, settings)

    def producer(self, **settings: Any) -> Producer:
        return self._make(Producer, settings)

    def _make(self, kind: Callable[..., _T], settings: dict[str, Any]) -> _T:
        # reconnect.backoff.ms: half of it goes by before a second broker is connected to, and every command needs one:
        # the address that was named is left for the one that the broker advertises.
        config = {"client.id": "penstock-cli", "log_level": 0, "reconnect.backoff.ms": 20}
        config |= {**settings, **self.properties}
        config["bootstrap.servers"] = self.bootstrap
        config["error_cb"] = self.complaints.append
        try:
            return kind(config, logger=_quiet_logger)
        except KafkaException as error:
            raise click.UsageError(f"the client library refuses these properties: {error.args[0].str()}") from error
        except ValueError as error:
            raise click.UsageError(f"the client library refuses these properties: {error}") from error

    def reach(self, client: AdminClient | Consumer | Producer, topic: str | None = None) -> ClusterMetadata:
        """Metadata from any broker, or Unreachable soon: refused connections do not wait out the timeout."""
        started = time.monotonic()
        while True:
            waited_s = time.monotonic() - started
            try:
                metadata = client.list_topics(topic, timeout=0.5) if topic else client.list_topics(timeout=0.5)
                self._heed(metadata)
                return metadata
            except KafkaException as error:
                if error.args[0].code() not in _UNREACHABLE_CODES:
                    raise failure(error.args[0], self) from error
            client.poll(0)  # serves error_cb
            all_down = any(complaint.code() == KafkaError._ALL_BROKERS_DOWN for complaint in self.complaints)
            if waited_s > self.timeout_s or (all_down and waited_s > REFUSED_GRACE_S):
                raise self.unreachable()

    def _heed(self, metadata: ClusterMetadata) -> None:
        """Remember where the brokers are said to be, and refuse if this machine can connect to none of them."""
        is_first = not self.told
        self.told = {broker.id: (str(broker.host), broker.port) for broker in metadata.brokers.values()}
        if not is_first or set(self.told.values()) & set(self.named()):
            return
        if self.told and (problems := none_answers(self.told)):
            raise Unreachable(
                f"cannot reach the brokers of the cluster at {self.bootstrap}",
                hint=advice(self.bootstrap, self.told, problems),
            )

    def address_advice(self) -> str | None:
        """Which of the advertised addresses cannot be connected to; None if it is not that."""
        problems = unconnectable(self.told)
        return advice(self.bootstrap, self.told, problems) if problems else None

    def unreachable(self) -> Unreachable:
        return Unreachable(f"cannot reach a Kafka cluster at {self.bootstrap}", hint=self._what_went_wrong())

    def _what_went_wrong(self) -> str:
        details = dict.fromkeys(
            complaint.str().partition(" (after ")[0]
            for complaint in self.complaints
            if complaint.code() != KafkaError._ALL_BROKERS_DOWN
        )
        if any("Invalid response size" in detail for detail in details):
            return "Something answers there, but not in Kafka's protocol: another service's port, or one with TLS?"
        advice = (
            "Is a broker running there? Start one with `penstock up`, or name another with --bootstrap HOST:PORT\n"
            "or PENSTOCK_BOOTSTRAP. A cluster with TLS or SASL needs --config, such as\n"
            "--config security.protocol=SASL_SSL."
        )
        return "\n".join([*list(details)[-3:], advice])

    def wait(self, future: "Future[_T]", *, doing: str) -> _T:
        """A future's result, with librdkafka's errors as ours; `doing` completes "could not ..."."""
        try:
            return future.result(timeout=self.timeout_s + 5)
        except KafkaException as error:
            raise failure(error.args[0], self, doing=doing) from error
        except TimeoutError as error:
            raise self.no_answer(doing) from error

    def no_answer(self, doing: str) -> Unreachable:
        return Unreachable(f"could not {doing}: no answer within {self.timeout_s:g} s", hint=self.silence_advice())

    def silence_advice(self) -> str:
        """Why an answer may not have come."""
        if not self.told:
            return self._what_went_wrong()
        return self.address_advice() or (
            "All brokers can be connected to, but one did not answer: it may be busy, paused or about to be replaced.\n"
            "Give it longer with --timeout SECONDS."
        )


def failure(error: KafkaError, cluster: Cluster, *, doing: str = "do that") -> Failure:
    """The kind of failure that an error code means to a caller, by exit code."""
    code = error.code()
    text = f"could not {doing}: {error_text(error)}"
    if code in (KafkaError._TIMED_OUT, KafkaError._TIMED_OUT_QUEUE):
        return cluster.no_answer(doing)
    if code in _UNREACHABLE_CODES:
        return Unreachable(text, hint=cluster.address_advice() or cluster._what_went_wrong())
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


def require_partition(index: int, topic: str, metadata: ClusterMetadata) -> None:
    count = len(metadata.topics[topic].partitions)
    if index not in metadata.topics[topic].partitions:
        raise NotFound(f"{topic} has no partition {index}; it has {count}, counted from 0")


def topic_missing(name: str, metadata: ClusterMetadata) -> NotFound:
    from penstock.cli.suggest import did_you_mean  # noqa: PLC0415 - only when something was misspelt

    return NotFound(
        f"there is no topic {name!r}.{did_you_mean(name, metadata.topics)}",
        hint="`penstock topic list` shows what exists, `penstock topic create` makes one.",
    )


def client_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command --bootstrap, --config, --config-file and --timeout, handed over as one `cluster`."""

    @click.option("-b", "--bootstrap", envvar="PENSTOCK_BOOTSTRAP", show_envvar=True, metavar="HOST:PORT[,...]",
                  help=f"Where to reach the cluster.  [default: {DEFAULT_BOOTSTRAP}]")  # fmt: skip
    @click.option("-X", "--config", "client_pairs", multiple=True, metavar="KEY=VALUE",
                  help="Any librdkafka property, such as security.protocol=SSL; repeatable.")  # fmt: skip
    @click.option("--config-file", type=click.Path(exists=True, dir_okay=False, path_type=Path),
                  help="A file of librdkafka properties, one KEY=VALUE a line.")  # fmt: skip
    @click.option("--timeout", "timeout_s", type=click.FloatRange(min=0.1), default=10.0, show_default=True,
                  metavar="SECONDS", help="How long to wait for the cluster.")  # fmt: skip
    @functools.wraps(command)
    def with_cluster(
        bootstrap: str | None, client_pairs: tuple[str, ...], config_file: Path | None, timeout_s: float, **rest: Any
    ) -> Any:
        properties = read_properties(config_file) if config_file else {}
        properties.update(key_values(client_pairs, option="--config"))
        named = properties.pop("bootstrap.servers", None)
        cluster = Cluster(bootstrap or named or DEFAULT_BOOTSTRAP, properties, timeout_s)
        try:
            cluster.named()
        except ValueError as error:
            raise click.UsageError(f"--bootstrap: {error}") from None
        return command(cluster=cluster, **rest)

    return with_cluster


def key_values(pairs: tuple[str, ...], *, option: str) -> dict[str, str]:
    """The pairs of a repeatable KEY=VALUE option."""
    found = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise click.UsageError(f"{option} wants KEY=VALUE, not {pair!r}")
        found[key.strip()] = value.strip()
    return found


def read_properties(path: Path) -> dict[str, str]:
    """A properties file: KEY=VALUE lines, # or ! begins a comment."""
    found = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        line = line.strip()
        if not line or line[0] in "#!":
            continue
        key, equals, value = line.partition("=")
        if not equals:
            raise click.UsageError(f"{path}:{number}: expected KEY=VALUE, found {line!r}")
        found[key.strip()] = value.strip()
    return found
