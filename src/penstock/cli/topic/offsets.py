"""Where partitions begin and end, and what is at a time. An offset that is not known is never taken for one."""

import time
from collections.abc import Iterable, Mapping
from concurrent.futures import Future, TimeoutError
from dataclasses import dataclass

from penstock.cli.client import Cluster, error_text
from penstock.cli.exits import Failure
from penstock.cli.kafka_names import (
    AdminClient,
    IsolationLevel,
    KafkaError,
    KafkaException,
    ListOffsetsResultInfo,
    OffsetSpec,
    TopicPartition,
)
from penstock.cli.places import Place

NO_ANSWER = "its leader did not answer"
UNKNOWN_SHOWN_MAX = 10
AGAIN_AFTER_S = 0.2
ATTEMPTS = 4
"""So many fit into the time that a person gives: a leader that hangs is replaced meanwhile."""

LATE_S = 5.0
"""The library ends a request by itself when its time is over; this long after, it has not."""

_NO_SUCH_RECORD = -1
_PASSING = frozenset(
    {
        KafkaError._TRANSPORT,
        KafkaError._TIMED_OUT,
        KafkaError._NOENT,  # "No leaders found"
        KafkaError.LEADER_NOT_AVAILABLE,
        KafkaError.NOT_LEADER_FOR_PARTITION,
        KafkaError.OFFSET_NOT_AVAILABLE,
        KafkaError.FENCED_LEADER_EPOCH,
        KafkaError.UNKNOWN_LEADER_EPOCH,
        KafkaError.REPLICA_NOT_AVAILABLE,
    }
)


@dataclass(frozen=True)
class PartitionRange:
    """Offsets of a partition: records are at [begin, end). None where its leader did not answer."""

    begin: int | None
    end: int | None
    problem: str | None = None
    """Why an offset is not known."""

    @property
    def count(self) -> int | None:
        """An upper bound: compaction and transaction markers leave gaps."""
        return None if self.begin is None or self.end is None else self.end - self.begin


@dataclass(frozen=True)
class Answer:
    """What came back for one partition. The library says -1001 where nothing came, and calls that a success."""

    offset: int | None
    """None with no problem: no record is that young."""
    problem: str | None = None
    passes: bool = False
    """Whether asking again may help."""


def partition_ranges(
    admin: AdminClient,
    cluster: Cluster,
    partitions: Iterable[Place],
    *,
    read_committed: bool = False,
    patiently: bool = False,
) -> dict[Place, PartitionRange]:
    """`patiently`: ask again until the time is over while a leader is being replaced; else say what is known now."""
    wanted = list(partitions)
    begin = OffsetSpec.earliest()  # type: ignore[no-untyped-call]
    end = OffsetSpec.latest()  # type: ignore[no-untyped-call]
    answers = _ask(admin, cluster, wanted, (begin, end), read_committed=read_committed, patiently=patiently)
    return {place: _range(*answers[place]) for place in wanted}


def offsets_at_time(
    admin: AdminClient,
    cluster: Cluster,
    partitions: Iterable[Place],
    timestamp_ms: int,
    *,
    read_committed: bool = False,
) -> dict[Place, int | None]:
    """The first offset at or after a time; None where all records are older. Failure where one does not tell."""
    specs = (OffsetSpec.for_timestamp(timestamp_ms),)
    answers = _ask(admin, cluster, list(partitions), specs, read_committed=read_committed, patiently=True)
    unknown = {place: answer.problem for place, (answer,) in answers.items() if answer.problem is not None}
    if unknown:
        raise offsets_unknown(unknown, cluster)
    return {place: answer.offset for place, (answer,) in answers.items()}


def offsets_unknown(problems: Mapping[Place, str | None], cluster: Cluster) -> Failure:
    """One failure that names every partition whose offsets are not known, with the reason of each."""
    lines = [f"{topic}-{index}: {problem or NO_ANSWER}" for (topic, index), problem in sorted(problems.items())]
    shown = lines[:UNKNOWN_SHOWN_MAX]
    more = [f"and {len(lines) - len(shown)} more"] if len(lines) > len(shown) else []
    names = ", ".join(f"{topic}-{index}" for topic, index in sorted(problems))
    reason = cluster.address_advice() or (
        "The leader's log tells why, and so does the /health page of a Penstock broker.\n"
        "--timeout SECONDS waits longer."
    )
    return Failure(f"the offsets of {names} are not known", hint="\n".join([*shown, *more, reason]))


def answer_of(future: "Future[ListOffsetsResultInfo]", *, within_s: float) -> Answer:
    try:
        offset = future.result(timeout=within_s).offset
    except TimeoutError:
        return Answer(None, NO_ANSWER, passes=True)
    except KafkaException as error:
        return Answer(None, error_text(error.args[0]), passes=error.args[0].code() in _PASSING)
    if offset >= 0:
        return Answer(offset)
    return Answer(None) if offset == _NO_SUCH_RECORD else Answer(None, NO_ANSWER, passes=True)


def _ask(
    admin: AdminClient,
    cluster: Cluster,
    places: list[Place],
    specs: tuple[OffsetSpec, ...],
    *,
    read_committed: bool,
    patiently: bool,
) -> dict[Place, tuple[Answer, ...]]:
    """One answer for each kind of offset, of each partition."""
    found: dict[Place, tuple[Answer, ...]] = {}
    deadline = time.monotonic() + cluster.timeout_s
    while places:
        within_s = cluster.timeout_s / (ATTEMPTS if patiently else 1)
        found |= _ask_once(admin, places, specs, read_committed=read_committed, within_s=within_s)
        places = [place for place in places if any(answer.passes for answer in found[place])]
        if not patiently or not places or time.monotonic() >= deadline:
            break
        time.sleep(AGAIN_AFTER_S)
        cluster.reach(admin)  # the client asks whom it knows as the leader, and does not look anew by itself
    return found


def _ask_once(
    admin: AdminClient,
    places: list[Place],
    specs: tuple[OffsetSpec, ...],
    *,
    read_committed: bool,
    within_s: float,
) -> dict[Place, tuple[Answer, ...]]:
    level = IsolationLevel.READ_COMMITTED if read_committed else IsolationLevel.READ_UNCOMMITTED
    # All kinds at once: a leader that is silent then costs the time once.
    asked = [
        admin.list_offsets(
            {TopicPartition(topic, index): spec for topic, index in places},
            isolation_level=level,
            request_timeout=within_s,
        )
        for spec in specs
    ]
    found: dict[Place, list[Answer]] = {place: [] for place in places}
    for futures in asked:
        for where, future in futures.items():
            found[where.topic, where.partition].append(answer_of(future, within_s=within_s + LATE_S))
    return {place: tuple(answers) for place, answers in found.items()}


def _range(begin: Answer, end: Answer) -> PartitionRange:
    # One partition without a leader must not hide what is known of the others.
    problems = [
        answer.problem or (NO_ANSWER if answer.offset is None else None)  # a log has a beginning and an end
        for answer in (begin, end)
    ]
    return PartitionRange(begin.offset, end.offset, problems[0] or problems[1])
