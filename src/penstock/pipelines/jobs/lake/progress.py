"""How far a job has read, as it is kept in a table: pure, and small enough for a snapshot's summary."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any

from penstock.model import PartitionIndex, TopicPartition
from penstock.model.words import counted
from penstock.pipelines.jobs.ranges import Ranges
from penstock.pipelines.jobs.topics import TopicState
from penstock.pipelines.problems import PipelineProblem


@dataclass(frozen=True, slots=True)
class TopicProgress:
    topic_id: str
    """Empty where the cluster does not tell."""
    next: tuple[int, ...]
    """The offset that comes next, by partition."""


@dataclass(frozen=True, slots=True)
class Progress:
    sequence: int = 0
    """Up by one a commit: a number has one successor only, which is what keeps two runs from writing the same rows."""
    cluster_id: str = ""
    topics: Mapping[str, TopicProgress] = field(default_factory=dict)

    def advanced(self, ranges: Ranges) -> Progress:
        topics = dict(self.topics)
        for (topic, partition), (_, end) in ranges.items():
            before = topics[topic]
            following = list(before.next)
            following[partition] = end
            topics[topic] = replace(before, next=tuple(following))
        return replace(self, sequence=self.sequence + 1, topics=topics)

    def passing(self, other: Progress) -> Progress:
        """Of dead letters, which workers and jobs may share: the commit after this one, for a batch that ends at
        `other`. What another batch has come to stays known: its letters are looked for when it is read again."""
        topics = dict(self.topics)
        for name, now in other.topics.items():
            before = topics.get(name)
            known = before.next if before is not None and before.topic_id == now.topic_id else ()
            further = zip_longest(known, now.next, fillvalue=0)
            topics[name] = replace(now, next=tuple(max(each) for each in further))
        return replace(other, sequence=self.sequence + 1, topics=topics)

    def places(self) -> dict[TopicPartition, int]:
        return {
            TopicPartition(topic, PartitionIndex(partition)): offset
            for topic, kept in self.topics.items()
            for partition, offset in enumerate(kept.next)
        }

    def to_text(self) -> str:
        topics = {name: {"id": each.topic_id, "next": list(each.next)} for name, each in sorted(self.topics.items())}
        return json.dumps(
            {"sequence": self.sequence, "cluster": self.cluster_id, "topics": topics}, separators=(",", ":")
        )

    @staticmethod
    def from_text(text: str) -> Progress:
        kept: dict[str, Any] = json.loads(text)
        topics = {name: TopicProgress(each["id"], tuple(each["next"])) for name, each in kept["topics"].items()}
        return Progress(kept["sequence"], kept["cluster"], topics)


def caught_up(
    progress: Progress,
    cluster_id: str,
    found: Mapping[str, TopicState],
    *,
    start: str,
    accept_new_topic: bool,
    accept_gaps: bool,
) -> Progress:
    """The progress with what the cluster has now: new topics and partitions begin, and nothing else may have changed.

    A partition that is added to a topic begins at its first offset, whatever `start` says: its records are newer than
    the start of the job.
    """
    if progress.cluster_id and cluster_id and progress.cluster_id != cluster_id:
        raise PipelineProblem(
            f"the table was filled from cluster {progress.cluster_id}, and this is cluster {cluster_id}",
            hint="Its offsets mean nothing here. Fill another table, or read under another --job name.",
        )
    topics = dict(progress.topics)
    for name, state in found.items():
        before = topics.get(name)
        if before is not None and before.topic_id and state.topic_id and before.topic_id != state.topic_id:
            if not accept_new_topic:
                raise PipelineProblem(
                    f"topic {name} was deleted and created anew since the last run",
                    hint="The table has its former records. --accept-new-topic goes on with the new ones.",
                )
            before = None
        if before is None:
            first = state.begins if start == "earliest" or name in progress.topics else state.ends
            topics[name] = TopicProgress(state.topic_id, first)
            continue
        topics[name] = TopicProgress(state.topic_id, _following(name, before, state, accept_gaps=accept_gaps))
    return replace(progress, cluster_id=cluster_id or progress.cluster_id, topics=topics)


def _following(name: str, before: TopicProgress, state: TopicState, *, accept_gaps: bool) -> tuple[int, ...]:
    if len(state.begins) < len(before.next):
        raise PipelineProblem(
            f"topic {name} has {counted(len(state.begins), 'partition')}, and had {len(before.next)}: "
            "it was deleted and made anew"
        )
    following = [*before.next, *state.begins[len(before.next) :]]
    for partition, (at, begin, end) in enumerate(zip(following, state.begins, state.ends, strict=True)):
        if at > end:
            raise PipelineProblem(
                f"{name}-{partition} ends at offset {end}, and the table has it up to {at}",
                hint="The topic was made anew, or lost records. Nothing was written. Fill another table, or use\n"
                "another --job name.",
            )
        if at < begin:
            if not accept_gaps:
                raise PipelineProblem(
                    f"{name}-{partition} begins at offset {begin}, and the table has it up to {at} only: "
                    f"{counted(begin - at, 'offset')} gone",
                    hint="Retention was faster than this job. --accept-gaps goes on without them.",
                )
            following[partition] = begin
    return tuple(following)
