"""What a cluster says of its topics: partitions, first and last offsets, ids."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import structlog

from penstock.pipelines.admin import EARLIEST, LATEST, Admin, TopicFacts
from penstock.pipelines.kafka_names import KafkaException, OffsetSpec, TopicPartition
from penstock.pipelines.problems import Kind, PipelineProblem
from penstock.pipelines.transient_errors import passes

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
    _admin: Admin | None = None

    def cluster_id(self) -> str:
        return self._ask(lambda admin: admin.cluster_id())

    def states(self, names: Sequence[str]) -> dict[str, TopicState]:
        facts = self._there(names)
        counts = {name: each.partitions for name, each in facts.items()}
        begins, ends = self._offsets(counts, EARLIEST), self._offsets(counts, LATEST)
        return {name: TopicState(facts[name].topic_id, begins[name], ends[name]) for name in names}

    def require(self, names: Sequence[str]) -> None:
        self._there(names)

    def ids(self, names: Sequence[str]) -> dict[str, str]:
        """Of those that are there."""
        found = self._ask(lambda admin: admin.topics(names))
        return {name: facts.topic_id for name, facts in found.items() if facts is not None}

    def at_time(self, names: Sequence[str], timestamp_ms: int) -> dict[str, tuple[int, ...]]:
        """The first offset of each partition at or after a time; the end where there is none."""
        states = self.states(names)
        counts = {name: len(state.ends) for name, state in states.items()}
        found = self._offsets(counts, OffsetSpec.for_timestamp(timestamp_ms))
        return {
            name: tuple(end if at < 0 else at for at, end in zip(found[name], states[name].ends, strict=True))
            for name in names
        }

    def _there(self, names: Sequence[str]) -> dict[str, TopicFacts]:
        return {name: self._found(facts, name) for name, facts in self._ask(lambda admin: admin.topics(names)).items()}

    def _offsets(self, partitions: Mapping[str, int], spec: OffsetSpec) -> dict[str, tuple[int, ...]]:
        asked = [TopicPartition(name, each) for name, count in partitions.items() for each in range(count)]
        read_committed = self.isolation == "read_committed"
        answers = self._ask(lambda admin: admin.offsets(asked, spec, read_committed=read_committed))
        found: dict[str, dict[int, int]] = {name: {} for name in partitions}
        for place, offset in answers.items():
            found[place.topic][place.partition] = self._found(offset, place.topic)
        return {name: tuple(found[name][each] for each in range(count)) for name, count in partitions.items()}

    def _ask(self, question: Callable[[Admin], Answer]) -> Answer:
        if self._admin is None:
            settings: dict[str, Any] = {"client.id": "penstock-pipeline", "log_level": 0, **self.client}
            self._admin = Admin({**settings, "bootstrap.servers": self.bootstrap}, answer_s=self.answer_s)
        try:
            return question(self._admin)
        except KafkaException as error:
            problem = error.args[0]
            if passes(problem):
                raise ClusterAway(f"{self.bootstrap} does not answer: {problem.str()}") from error
            raise PipelineProblem(f"{self.bootstrap} refused: {problem.str()}") from error

    def _found(self, answer: Answer | None, topic: str) -> Answer:
        if answer is None:
            raise TopicGone(
                f"there is no topic {topic} at {self.bootstrap}",
                hint="`penstock topic list` shows what there is.",
                kind=Kind.MISSING,
            )
        return answer


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
