"""How a command speaks to a cluster: connection options, the client, and refusals turned into failures with advice.

Commands that administer use penstock.client. `produce` and `consume` use librdkafka: see penstock.cli.librdkafka. This
module is never loaded by `penstock up`.
"""

import functools
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import click

from penstock.cli import profiles
from penstock.cli.advertised import Address, advice, joined, none_answers, split_address, unconnectable
from penstock.cli.exits import Failure, NotFound, Unreachable
from penstock.cli.properties import key_values, read_properties
from penstock.cli.security import HEEDED, security
from penstock.client import Client, NoAnswer, NotConnected
from penstock.errors import (
    ClusterAuthorizationFailed,
    DelegationTokenAuthDisabled,
    GroupAuthorizationFailed,
    GroupIdNotFound,
    NetworkFailure,
    Refusal,
    SaslAuthenticationFailed,
    SecurityDisabled,
    TopicAuthorizationFailed,
    TransactionalIdAuthorizationFailed,
    UnknownTopicId,
    UnknownTopicOrPartition,
)
from penstock.model.words import did_you_mean

DEFAULT_BOOTSTRAP = "127.0.0.1:9092"
CLIENT_ID = "penstock-cli"
ATTEMPTS = 4
"""So many fit into the time that a person gives: a broker that hangs is replaced meanwhile."""
ATTEMPT_S_MIN = 5.0
"""A busy broker needs so long at times."""
AGAIN_AFTER_S = 0.1

_T = TypeVar("_T")

_NO_RIGHT = (
    "Whoever this logs in as may not. `penstock acl add` gives rights, for who may do that; `acl list` shows them."
)
_ADVICE: dict[type[Refusal], str] = {
    ClusterAuthorizationFailed: _NO_RIGHT,
    GroupAuthorizationFailed: _NO_RIGHT,
    TopicAuthorizationFailed: _NO_RIGHT,
    TransactionalIdAuthorizationFailed: _NO_RIGHT,
    SaslAuthenticationFailed: "The user, password or mechanism is another; `penstock profile show` shows them.",
    SecurityDisabled: "The brokers run without an authorizer: set authorizer.class.name, and super.users.",
    DelegationTokenAuthDisabled: "The brokers make no tokens: set delegation.token.secret.key on all of them.",
}


@dataclass
class Cluster:
    """The cluster that the options name, and what went wrong on the way to it. Closed when the command is over."""

    bootstrap: str
    properties: dict[str, str] = field(default_factory=dict)
    timeout_s: float = 10.0
    complaints: list[str] = field(default_factory=list)
    """What was said on the way to it, in words."""
    is_all_down: bool = False
    """librdkafka has tried every address, and each refused."""
    told: dict[int, Address] = field(default_factory=dict)
    """Where the cluster says that its brokers are; empty until it was reached."""
    _client: Client | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    def named(self) -> list[Address]:
        """The addresses that the person gave. ValueError where one is none."""
        found = [split_address(address) for address in self.bootstrap.split(",") if address.strip()]
        if not found:
            raise ValueError(f"{self.bootstrap!r} names no host")
        return found

    # Asking ---------------------------------------------------------------------------------------------------------

    def client(self) -> Client:
        """Connected; Unreachable soon, and in words, where nothing answers."""
        if self._client is None:
            self._client = self._open()
            self._reach(self._client)
        return self._client

    def _open(self) -> Client:
        if self.properties.keys() - HEEDED:
            from penstock.cli.librdkafka import check_properties  # noqa: PLC0415 - heavy, and rarely needed

            check_properties(self.properties)
        attempt_s = max(self.timeout_s / ATTEMPTS, min(self.timeout_s, ATTEMPT_S_MIN))
        return Client(
            ",".join(map(joined, self.named())),
            client_id=self.properties.get("client.id", CLIENT_ID),
            timeout_s=self.timeout_s,
            request_timeout_s=attempt_s,
            connect_timeout_s=attempt_s,
            **security(self.properties),
        )

    def _reach(self, client: Client) -> None:
        deadline = time.monotonic() + self.timeout_s
        while True:
            try:
                client.run(client.core.refresh([]))
                break
            except SaslAuthenticationFailed as refusal:
                raise self.failure(refusal, doing="log in") from refusal
            except Refusal as refusal:
                # Refused connections do not wait out the time, as all addresses were tried.
                is_final = isinstance(refusal, NotConnected) or not refusal.retriable
                if is_final or time.monotonic() >= deadline:
                    self.complaints.append(refusal.message)
                    raise self.unreachable() from refusal
                time.sleep(AGAIN_AFTER_S)
        self.heed({node.id: (node.host, node.port) for node in client.core.metadata.brokers.values()})

    @contextmanager
    def doing(self, what: str) -> Iterator[Client]:
        """The client; what it is refused is told as "could not `what`"."""
        client = self.client()
        try:
            yield client
        except Refusal as refusal:
            raise self.failure(refusal, doing=what) from refusal

    def value(self, outcome: _T | Refusal, *, doing: str) -> _T:
        """One thing's outcome, raised as a failure if it is a refusal."""
        if isinstance(outcome, Refusal):
            raise self.failure(outcome, doing=doing) from outcome
        return outcome

    # What went wrong ------------------------------------------------------------------------------------------------

    def heed(self, told: dict[int, Address]) -> None:
        """Remember where the brokers are said to be, and refuse if this machine can connect to none of them."""
        is_first, self.told = not self.told, told
        if not is_first or set(told.values()) & set(self.named()):
            return
        if told and (problems := none_answers(told)):
            raise Unreachable(
                f"cannot reach the brokers of the cluster at {self.bootstrap}",
                hint=advice(self.bootstrap, told, problems),
            )

    def failure(self, refusal: Refusal, *, doing: str) -> Failure:
        """The kind of failure that a refusal means to a caller, by exit code."""
        text = f"could not {doing}: {refusal_text(refusal)}"
        match refusal:
            case NoAnswer():
                return self.no_answer(doing)
            case NetworkFailure():
                return Unreachable(text, hint=self.silence_advice())
            case UnknownTopicOrPartition() | UnknownTopicId():
                return NotFound(text, hint="`penstock topic list` shows what exists.")
            case GroupIdNotFound():
                return NotFound(text, hint="`penstock group list` shows what exists.")
        return Failure(text, hint=_ADVICE.get(type(refusal)))

    def no_answer(self, doing: str) -> Unreachable:
        return Unreachable(f"could not {doing}: no answer within {self.timeout_s:g} s", hint=self.silence_advice())

    def unreachable(self) -> Unreachable:
        return Unreachable(f"cannot reach a Kafka cluster at {self.bootstrap}", hint=self.what_went_wrong())

    def what_went_wrong(self) -> str:
        details = dict.fromkeys(self.complaints)
        if any("Invalid response size" in detail or "does not speak Kafka" in detail for detail in details):
            return "Something answers there, but not in Kafka's protocol: another service's port, or one with TLS?"
        advice = (
            "Is a broker running there? Start one with `penstock up`, or name another with --bootstrap HOST:PORT\n"
            "or PENSTOCK_BOOTSTRAP. A cluster with TLS or SASL needs a profile (`penstock profile add`, --profile),\n"
            "or --config, such as --config security.protocol=SASL_SSL."
        )
        return "\n".join([*list(details)[-3:], advice])

    def address_advice(self) -> str | None:
        """Which of the advertised addresses cannot be connected to; None if it is not that."""
        problems = unconnectable(self.told)
        return advice(self.bootstrap, self.told, problems) if problems else None

    def silence_advice(self) -> str:
        """Why an answer may not have come."""
        if not self.told:
            return self.what_went_wrong()
        return self.address_advice() or (
            "All brokers can be connected to, but one did not answer: it may be busy, paused or about to be replaced.\n"
            "Give it longer with --timeout SECONDS."
        )


def refusal_text(refusal: Refusal) -> str:
    """What went wrong, with the name that Kafka's own documentation has for it."""
    return f"{refusal.message} ({refusal.kafka_name})"


def require_partition(index: int, topic: str, partitions: Collection[int]) -> None:
    if index not in partitions:
        raise NotFound(f"{topic} has no partition {index}; it has {len(partitions)}, counted from 0")


def topic_missing(name: str, known: Iterable[str]) -> NotFound:
    return NotFound(
        f"there is no topic {name!r}.{did_you_mean(name, known, sentence=True)}",
        hint="`penstock topic list` shows what exists, `penstock topic create` makes one.",
    )


def client_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command --bootstrap, --profile, --config, --config-file and --timeout, handed over as one `cluster`."""

    @click.option("-b", "--bootstrap", envvar="PENSTOCK_BOOTSTRAP", show_envvar=True, metavar="HOST:PORT[,...]",
                  help=f"Where to reach the cluster.  [default: {DEFAULT_BOOTSTRAP}]")  # fmt: skip
    @click.option("--profile", envvar=profiles.VARIABLE, show_envvar=True, metavar="NAME|PATH",
                  help="A profile with address and login; see `penstock profile`.")  # fmt: skip
    @click.option("-X", "--config", "client_pairs", multiple=True, metavar="KEY=VALUE",
                  help="Any librdkafka property, such as security.protocol=SSL; repeatable.")  # fmt: skip
    @click.option("--config-file", type=click.Path(exists=True, dir_okay=False, path_type=Path),
                  help="A file of librdkafka properties, one KEY=VALUE a line.")  # fmt: skip
    @click.option("--timeout", "timeout_s", type=click.FloatRange(min=0.1), default=10.0, show_default=True,
                  metavar="SECONDS", help="How long to wait for the cluster.")  # fmt: skip
    @functools.wraps(command)
    def with_cluster(
        bootstrap: str | None,
        profile: str | None,
        client_pairs: tuple[str, ...],
        config_file: Path | None,
        timeout_s: float,
        **rest: Any,
    ) -> Any:
        properties = read_properties(config_file) if config_file else {}
        properties.update(key_values(client_pairs, option="--config"))
        address = bootstrap or properties.get(profiles.BOOTSTRAP)
        if chosen := profile or (None if address else profiles.current()):
            kept = profiles.read(profiles.find(chosen))
            # Whoever names a profile means its cluster, whatever a variable says: its password goes nowhere else.
            if not _is_typed("bootstrap") and profiles.BOOTSTRAP not in properties:
                address = kept.get(profiles.BOOTSTRAP) or address
            properties = kept | properties
        properties.pop(profiles.BOOTSTRAP, None)
        cluster = Cluster(address or DEFAULT_BOOTSTRAP, properties, timeout_s)
        try:
            cluster.named()
        except ValueError as error:
            raise click.UsageError(f"--bootstrap: {error}") from None
        with cluster:
            return command(cluster=cluster, **rest)

    return with_cluster


def _is_typed(option: str) -> bool:
    source = click.get_current_context().get_parameter_source(option)
    return source is click.core.ParameterSource.COMMANDLINE
