"""What a cluster says of its topics: partitions, first and last offsets, ids. By confluent-kafka, on the driver."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import structlog

from penstock.pipelines.kafka_names import (
    AdminClient,
    KafkaException,
    OffsetSpec,
    TopicCollection,
    TopicPartition,
)
from penstock.pipelines.offsets import listed_offsets
from penstock.pipelines.problems import Kind, PipelineProblem
from penstock.pipelines.transient_errors import NOT_THERE, passes

ANSWER_WITHIN_S = 10.0
NOBODY_THERE = "Is a broker running there? --bootstrap HOST:PORT names another, --timeout SECONDS waits longer."
Answer = TypeVar("Answer")
_log = structlog.get_logger(__name__)


class ClusterAway(Exception):
    """No answer, or from a cluster that is just finding itself: ask again later."""


class TopicGone(PipelineProblem):
    """A topic that was asked for is not there (any more)."""


@dataclass(frozen=True, slots=True)
class TopicState:
    topic_id: str
    begins: tuple[int, ...]
    ends: tuple[int, ...]


@dataclass(slots=True)
class Topics:
    """One cluster; `isolation` decides whether open transactions hold the end back."""

    bootstrap: str
    isolation: str = "read_committed"
    client: Mapping[str, str] = field(default_factory=dict)
    answer_s: float = field(default_factory=lambda: ANSWER_WITHIN_S)
    _admin: AdminClient | None = None

    def cluster_id(self) -> str:
        return str(self._wait(self._client().describe_cluster(request_timeout=self.answer_s)).cluster_id or "")

    def states(self, names: Sequence[str]) -> dict[str, TopicState]:
        partitions: dict[str, int] = {}
        ids: dict[str, str] = {}
        for name, future in self._described(names).items():
            topic = self._wait(future, topic=name)
            partitions[name] = len(topic.partitions)
            ids[name] = str(topic.topic_id or "")
        begins = self._offsets(partitions, OffsetSpec.earliest())  # type: ignore[no-untyped-call]
        ends = self._offsets(partitions, OffsetSpec.latest())  # type: ignore[no-untyped-call]
        return {name: TopicState(ids[name], begins[name], ends[name]) for name in names}

    def require(self, names: Sequence[str]) -> None:
        for name, future in self._described(names).items():
            self._wait(future, topic=name)

    def ids(self, names: Sequence[str]) -> dict[str, str]:
        """Of those that are there."""
        found = {}
        for name, future in self._described(names).items():
            try:
                found[name] = str(self._wait(future, topic=name).topic_id or "")
            except TopicGone:
                continue
        return found

    def at_time(self, names: Sequence[str], timestamp_ms: int) -> dict[str, tuple[int, ...]]:
        """The first offset of each partition at or after a time; the end where there is none."""
        states = self.states(names)
        counts = {name: len(state.ends) for name, state in states.items()}
        found = self._offsets(counts, OffsetSpec.for_timestamp(timestamp_ms))
        return {
            name: tuple(end if at < 0 else at for at, end in zip(found[name], states[name].ends, strict=True))
            for name in names
        }

    def _described(self, names: Sequence[str]) -> Mapping[str, Any]:
        return self._client().describe_topics(TopicCollection(list(names)), request_timeout=self.answer_s)

    def _offsets(self, partitions: Mapping[str, int], spec: Any) -> dict[str, tuple[int, ...]]:
        asked = {TopicPartition(name, each): spec for name, count in partitions.items() for each in range(count)}
        read_committed = self.isolation == "read_committed"
        answers = listed_offsets(self._client(), asked, read_committed=read_committed, timeout_s=self.answer_s)
        found: dict[str, dict[int, int]] = {name: {} for name in partitions}
        for place, answer in answers.items():
            if isinstance(answer, KafkaException):
                raise self._meaning(answer, place.topic) from answer
            found[place.topic][place.partition] = answer
        return {name: tuple(found[name][each] for each in range(count)) for name, count in partitions.items()}

    def _client(self) -> AdminClient:
        if self._admin is None:
            settings: dict[str, Any] = {"client.id": "penstock-pipeline", "log_level": 0, **self.client}
            self._admin = AdminClient({**settings, "bootstrap.servers": self.bootstrap})
        return self._admin

    def _wait(self, future: Any, *, topic: str | None = None) -> Any:
        try:
            return future.result(timeout=self.answer_s + 5)
        except KafkaException as error:
            raise self._meaning(error, topic) from error
        except TimeoutError as error:
            raise ClusterAway(f"{self.bootstrap} does not answer") from error

    def _meaning(self, error: KafkaException, topic: str | None) -> Exception:
        problem = error.args[0]
        if passes(problem):
            return ClusterAway(f"{self.bootstrap} does not answer: {problem.str()}")
        if problem.code() in NOT_THERE:
            return TopicGone(
                f"there is no topic {topic} at {self.bootstrap}",
                hint="`penstock topic list` shows what there is.",
                kind=Kind.MISSING,
            )
        return PipelineProblem(f"{self.bootstrap} refused: {problem.str()}")


def looked_at(question: Callable[[], Answer]) -> Answer:
    """For a dry run, which somebody waits for: a cluster that is away is told at once."""
    try:
        return question()
    except ClusterAway as away:
        raise PipelineProblem(str(away), hint=NOBODY_THERE, kind=Kind.AWAY) from away


def unless_away(question: Callable[[], object]) -> None:
    """Before Spark is started, which takes its time: what a look at the cluster refuses is told at once. A cluster that
    is away is for the run to wait for."""
    try:
        question()
    except ClusterAway:
        return
    except PipelineProblem as problem:
        if problem.kind is not Kind.AWAY:
            raise


@dataclass(slots=True)
class Patience:
    """How long to go on while a cluster is away; an answer starts it anew."""

    seconds: float
    pause_s: float = 1.0
    _since: float | None = None

    def answered(self) -> None:
        self._since = None

    def wait(self, why: Exception, *, warn: bool = True) -> None:
        now = time.monotonic()
        if self._since is None:
            self._since = now
            if warn:
                _log.warning("waiting for the cluster", reason=str(why))
        if now - self._since > self.seconds:
            raise PipelineProblem(
                f"the cluster was away for {self.seconds:g} s: {why}",
                hint="Nothing is lost: the next run continues where the table ends. --patience SECONDS waits longer.",
                kind=Kind.AWAY,
            ) from why
        time.sleep(self.pause_s)
