"""What `penstock group` says of groups, from facts given."""

import pytest

from penstock.cli.client import Cluster
from penstock.cli.exits import ExitCode, Failure
from penstock.cli.group.behind import PartitionLag, total_records, total_seconds, unknown_lags
from penstock.cli.group.describe import ranges
from penstock.cli.group.facts import not_all_listed, refuse_if_active
from penstock.cli.program import run
from penstock.client import NotConnected
from penstock.client.described import GroupFacts, Member

NOTHING_LISTENS = "127.0.0.1:1"


def a_lag(
    *, committed: int | None, end: int | None, seconds: float | None = None, problem: str | None = None
) -> PartitionLag:
    return PartitionLag("orders", 0, committed, 0, end, None, seconds, problem)


@pytest.mark.parametrize(
    ("committed", "end", "records"),
    [(3, 10, 7), (10, 10, 0), (None, 10, None), (3, None, None), (12, 10, 0)],
)
def test_lag_is_the_end_minus_what_is_committed(committed: int | None, end: int | None, records: int | None) -> None:
    assert a_lag(committed=committed, end=end).records == records


def test_a_group_is_behind_by_all_its_records_and_as_late_as_its_latest_partition() -> None:
    lags = [a_lag(committed=3, end=10, seconds=2.5), a_lag(committed=0, end=1, seconds=9.0)]
    never_committed, deleted = a_lag(committed=None, end=7), a_lag(committed=3, end=None)
    assert (total_records(lags), total_seconds(lags)) == (8, 9.0)
    assert (total_records([*lags, never_committed, deleted]), total_seconds([*lags, never_committed])) == (8, 9.0)
    assert (total_records([]), total_seconds([])) == (None, None)


def test_a_total_is_not_known_while_a_part_of_it_is_not() -> None:
    known = a_lag(committed=3, end=10, seconds=2.5)
    silent = a_lag(committed=3, end=None, problem="its leader did not answer")
    ageless = a_lag(committed=0, end=1)
    assert (total_records([known, silent]), total_seconds([known, silent])) == (None, None)
    assert (total_records([known, ageless]), total_seconds([known, ageless])) == (8, None)


def test_what_could_not_be_measured_is_named() -> None:
    known = a_lag(committed=3, end=10, seconds=2.5)
    silent = a_lag(committed=3, end=None, problem="its leader did not answer")
    cluster = Cluster(NOTHING_LISTENS)
    assert unknown_lags({"billing": [known]}, cluster) is None
    problem = unknown_lags({"billing": [known], "audit": [silent]}, cluster)
    assert problem is not None and problem.message == "the offsets of orders-0 are not known"
    assert problem.exit_code == ExitCode.FAILED


def test_a_broker_that_lists_no_groups_is_a_failure_in_words() -> None:
    problem = not_all_listed({2: NotConnected("Connection refused")}, [], Cluster(NOTHING_LISTENS))
    assert problem.exit_code == ExitCode.UNREACHABLE
    assert "could not list all groups: Broker 2: Connection refused" in problem.message


def test_groups_whose_partition_nobody_leads_are_missed() -> None:
    problem = not_all_listed({}, ["__consumer_offsets-7"], Cluster(NOTHING_LISTENS))
    assert problem.exit_code == ExitCode.FAILED and "nobody leads __consumer_offsets-7" in problem.message


def test_partitions_of_a_member_are_written_in_ranges() -> None:
    assert ranges((("b", 1), ("a", 0), ("a", 1), ("a", 2), ("a", 7))) == "a:0-2,7 b:1"
    assert ranges(()) == "-"


def test_a_group_with_members_is_left_alone_and_they_are_named() -> None:
    member = Member("m-1", "billing-a", "10.0.0.7", "a", ())
    with pytest.raises(Failure) as refused:
        refuse_if_active(GroupFacts("billing", "stable", "classic", "range", None, (member,)), doing="reset")
    assert "could not reset billing: it has 1 member," in refused.value.message
    assert "billing-a on 10.0.0.7, instance a (member m-1)" in (refused.value.hint or "")
    refuse_if_active(GroupFacts("billing", "empty", "classic", None, None, ()), doing="reset")


@pytest.mark.parametrize("name", ["list", "describe", "lag", "reset", "delete"])
def test_every_group_command_exists_and_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["group", name, "--help"]) == ExitCode.OK
    assert f"Usage: penstock group {name}" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ["reset", "g", "--to-latest"],
        ["reset", "g", "--to-latest", "--topic", "t", "--all-topics"],
        ["reset", "g", "--topic", "t"],
        ["reset", "g", "--topic", "t", "--to-latest", "--to-earliest"],
        ["reset", "g", "--topic", "t:x", "--to-latest"],
        ["reset", "g", "--topic", "t", "--to-time", "whenever"],
        ["reset", "g", "--topic", "t", "--by-duration", "2026-01-31"],
        ["list", "--state", "asleep"],
    ],
)
def test_nonsense_is_a_usage_error_before_any_connection(arguments: list[str]) -> None:
    assert run(["group", *arguments, "-b", NOTHING_LISTENS]) == ExitCode.USAGE
