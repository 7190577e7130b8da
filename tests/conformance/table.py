"""The words the conformance table is written in.

A situation is a name, what is given (topics, records), and one or more requests whose answers are compared. It runs
at every version of its API unless it says otherwise, each time on topics of its own, so that situations run side by
side and in any order. In a request `"$orders"` stands for this run's topic of that name, Id("orders") for its id.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from tests.support.schema import messages

Body = dict[str, Any]

# Versions that Kafka 4.3.0 calls unstable are not advertised, so they are not compared.
_NEWEST_STABLE = {"InitProducerId": 5}


def versions_of(api: str) -> tuple[int, int]:
    oldest, newest = messages()[f"{api}Request"].versions
    return oldest, _NEWEST_STABLE.get(api, newest)


@dataclass(frozen=True)
class Id:
    """The id of this run's topic; of a topic that was never made, an id nobody has."""

    topic: str


@dataclass(frozen=True)
class Saved:
    """A value that an earlier answer of this run gave."""

    name: str


@dataclass(frozen=True)
class Made:
    """A value made of what earlier answers of this run gave, such as a batch of a producer that was just named."""

    make: Callable[[Mapping[str, Any]], Any]


@dataclass(frozen=True)
class Topic:
    """Given: a topic."""

    name: str
    partitions: int = 1
    configs: Mapping[str, str] = field(default_factory=dict)
    replicas: Sequence[int] = ()  # the brokers that keep it, the leader first; by default the broker that is asked


@dataclass(frozen=True)
class Records:
    """Given: batches already in a partition; each in a request of its own, refused ones are a fault of the table."""

    topic: str
    batches: Sequence[bytes]
    partition: int = 0


@dataclass(frozen=True)
class Given:
    """Given: any other request that must have been answered before, by a fixed version; its answer is not compared."""

    api: str
    version: int
    body: Body


@dataclass(frozen=True)
class Ask:
    """A request whose answer is compared. Without an API it is the situation's own, at the version of the run."""

    body: Body | bytes
    api: str | None = None
    version: int | None = None
    save: Mapping[str, str] = field(default_factory=dict)  # name of the saved value -> field of the answer
    answered: bool = True  # False: nothing must come back (acks=0); a probe on the same connection finds out


@dataclass(frozen=True)
class Until:
    """Ask until the answer is as it should be: what was begun goes on after its answer. Nothing is compared."""

    api: str
    version: int
    body: Body
    holds: Callable[[Body], bool]


@dataclass(frozen=True)
class Raw:
    """Bytes as they are, the size prefix included; compared is whether the connection is closed or what comes back."""

    make: Callable[[int], bytes]  # from the version of the run
    answer: tuple[str, int] | None = None  # the API and version whose response comes back, to be compared by its fields


@dataclass(frozen=True)
class Reconnect:
    """What follows goes over a new connection."""


@dataclass(frozen=True)
class At:
    """What follows is asked of another broker of the cluster."""

    broker: int


Step = At | Topic | Records | Given | Ask | Until | Raw | Reconnect


# Asking these changes nothing, so that all versions of a situation may look at the same topics.
_READS = frozenset(
    [
        "ApiVersions",
        "DescribeCluster",
        "DescribeConfigs",
        "DescribeLogDirs",
        "DescribeProducers",
        "DescribeTopicPartitions",
        "Fetch",
        "ListConfigResources",
        "ListOffsets",
        "Metadata",
        "OffsetForLeaderEpoch",
    ]
)


@dataclass(frozen=True, eq=False)
class Situation:
    api: str
    name: str
    steps: Sequence[Step]
    versions: tuple[int, int] | None = None
    changes: bool = False  # asking changes something, though the API is one that reads
    patience_s: float = 120.0  # after which no answer of Kafka is taken for its answer
    alone: bool = False  # not beside others: Kafka's answer would depend on what they do

    @property
    def given(self) -> Sequence[Step]:
        """What is prepared before the first request that is compared."""
        return list(takewhile(lambda step: isinstance(step, Topic | Records | Given), self.steps))

    @property
    def asked(self) -> Sequence[Step]:
        return self.steps[len(self.given) :]

    @property
    def is_shared(self) -> bool:
        """Whether one preparation serves every version."""
        return (
            self.api in _READS
            and not self.changes
            and all(isinstance(each, Ask | Raw | Reconnect) for each in self.asked)
        )

    def runs(self) -> range:
        oldest, newest = self.versions or versions_of(self.api)
        return range(oldest, newest + 1)


def situation(
    api: str,
    name: str,
    *steps: Step | Body,
    versions: tuple[int, int] | None = None,
    changes: bool = False,
    patience_s: float = 120.0,
    alone: bool = False,
) -> Situation:
    """A bare dictionary is a request to the situation's own API."""
    asked = tuple(Ask(each) if isinstance(each, dict) else each for each in steps)
    return Situation(api, name, asked, versions, changes, patience_s, alone)
