"""The same requests to Apache Kafka and to Penstock: the answers agree, but for the differences that are listed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.conformance.compare import ANYTHING, PINNED, Difference, Fault, Finding, Kind, flatten, pinned, unexplained
from tests.conformance.conftest import Played
from tests.conformance.differences import DIFFERENCES
from tests.conformance.pin import ANSWERS
from tests.conformance.run import Transcript
from tests.conformance.situations.all import TABLE
from tests.conformance.situations.wire import APIS
from tests.conformance.table import Situation

pytestmark = [pytest.mark.xdist_group("conformance"), pytest.mark.timeout(900)]


def _title(situation: Situation) -> str:
    return f"{situation.api}: {situation.name}"


@pytest.mark.parametrize("situation", TABLE, ids=_title)
def test_penstock_answers_as_kafka_does(situation: Situation, findings: dict[Situation, list[Finding]]) -> None:
    left = unexplained(findings[situation], DIFFERENCES, ANSWERS)
    assert not left, f"{_title(situation)}: {len(left)} differences\n" + "\n".join(map(str, left[:40]))


@pytest.mark.parametrize("difference", DIFFERENCES, ids=lambda each: f"{each.api} {each.situation} {each.path}")
def test_a_listed_difference_still_occurs(difference: Difference, findings: dict[Situation, list[Finding]]) -> None:
    assert any(difference.covers(each, ANSWERS) for found in findings.values() for each in found), (
        f"nothing differs there any more; take it off the list: {difference}"
    )


def test_every_pinned_answer_still_occurs(findings: dict[Situation, list[Finding]]) -> None:
    now = pinned((each for found in findings.values() for each in found), DIFFERENCES)
    assert now == ANSWERS, "look at what changed: python -m tests.conformance.pin, then git diff"


def test_a_listed_difference_never_covers_a_fault_of_ours_nor_another_answer() -> None:
    listed = Difference("Fetch", "a case", "*", "a reason", penstock=5)
    finding = Finding("Fetch", "a case", 4, "0.error_code", 0, 5)
    assert listed.covers(finding, {})
    assert not listed.covers(replace(finding, penstock=6), {})
    of_any_kind = replace(listed, penstock=Kind("anything", lambda _: True))
    for fault in ("closed", "none", "Penstock: AssertionError"):
        assert not of_any_kind.covers(replace(finding, penstock=Fault(fault)), {})
    left_to_the_file = replace(listed, penstock=PINNED)
    assert left_to_the_file.covers(finding, {"Fetch: a case": {"0.error_code": {"3-4": 5}}})
    assert not left_to_the_file.covers(finding, {"Fetch: a case": {"0.error_code": {"3": 5, "4": 6}}})
    with pytest.raises(AssertionError, match="say what Penstock answers"):
        replace(listed, penstock=ANYTHING)


TOKENS = {f"{verb}DelegationToken" for verb in ("Create", "Renew", "Expire", "Describe")}
NEVER_WELL = {"DescribeAcls", *TOKENS, "SaslAuthenticate", "SaslHandshake", "UnregisterBroker"}
"""What Kafka refuses whatever one asks, as it is set up here: without an authorizer, SASL, or a broker to give away."""
NEVER_REFUSED = {"DescribeLogDirs", "DescribeShareGroupOffsets", "ListGroups", "ListPartitionReassignments"}
"""What Kafka answers, whatever one asks."""


def test_every_api_has_good_and_bad_situations_in_the_table(
    played: tuple[Played, Played], findings: dict[Situation, list[Finding]]
) -> None:
    """Judged by what Kafka answered: there is one answer without any error, and one with an error or none at all."""
    if findings.keys() != set(TABLE):
        pytest.skip("only a part of the table was played")
    well: set[str] = set()
    badly: set[str] = set()
    for situation, runs in played[0].items():
        if not situation.name.startswith("wire: "):
            for transcript in runs.values():
                (badly if _is_refused(transcript) else well).add(situation.api)
    assert well | badly == set(APIS)
    assert (set(APIS) - well, set(APIS) - badly) == (NEVER_WELL, NEVER_REFUSED)


def _is_refused(transcript: Transcript) -> bool:
    """An error code anywhere, or an answer that is none: then it has none of the fields that answers have."""
    ends = {"connection", "answer", "fault"}
    return any(not isinstance(answer, dict) or answer.keys() <= ends for answer in transcript) or any(
        path.rpartition(".")[2] == "error_code" and value != 0 for path, value in flatten(transcript)
    )


def test_no_two_situations_share_a_name() -> None:
    names = [(each.api, each.name) for each in TABLE]
    assert len(set(names)) == len(names)
