"""Where partitions begin and end, and what is at a time. An offset that is not known is never taken for one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from penstock.cli.client import Cluster, refusal_text
from penstock.cli.exits import Failure
from penstock.cli.places import Place
from penstock.client import NoAnswer, OffsetRange, place
from penstock.errors import Refusal

NO_ANSWER = "its leader did not answer"
UNKNOWN_SHOWN_MAX = 10
_NO_SUCH_RECORD = -1


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


def partition_ranges(
    cluster: Cluster, partitions: Iterable[Place], *, read_committed: bool = False, patiently: bool = False
) -> dict[Place, PartitionRange]:
    """`patiently`: ask again until the time is over while a leader is being replaced; else say what is known now."""
    found = cluster.client().offset_ranges(
        [place(*each) for each in partitions], read_committed=read_committed, patiently=patiently
    )
    return {where: _range(outcome) for where, outcome in found.items()}


def offsets_at_time(
    cluster: Cluster, partitions: Iterable[Place], timestamp_ms: int, *, read_committed: bool = False
) -> dict[Place, int | None]:
    """The first offset at or after a time; None where all records are older. Failure where one does not tell."""
    asked = {place(*each): timestamp_ms for each in partitions}
    answers = cluster.client().list_offsets(asked, read_committed=read_committed)
    found: dict[Place, int | None] = {}
    unknown: dict[Place, str | None] = {}
    for where, answer in answers.items():
        if isinstance(answer, Refusal):
            unknown[where] = problem_of(answer)
        elif answer.offset < _NO_SUCH_RECORD:
            unknown[where] = NO_ANSWER
        else:
            found[where] = None if answer.offset == _NO_SUCH_RECORD else answer.offset
    if unknown:
        raise offsets_unknown(unknown, cluster)
    return found


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


def problem_of(refusal: Refusal) -> str:
    return NO_ANSWER if isinstance(refusal, NoAnswer) else refusal_text(refusal)


def _range(outcome: OffsetRange | Refusal) -> PartitionRange:
    # One partition without a leader must not hide what is known of the others.
    if isinstance(outcome, Refusal):
        return PartitionRange(None, None, problem_of(outcome))
    if outcome.begin < 0 or outcome.end < 0:  # a log has a beginning and an end
        return PartitionRange(None, None, NO_ANSWER)
    return PartitionRange(outcome.begin, outcome.end)
