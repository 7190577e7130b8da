"""The same requests to three Apache Kafka nodes and to three Penstock brokers."""

from __future__ import annotations

import pytest
from tests.conformance.compare import Difference, Finding, unexplained
from tests.conformance.differences import DIFFERENCES, DIFFERENCES_OF_THREE
from tests.conformance.pin import ANSWERS
from tests.conformance.situations.three_brokers import SITUATIONS
from tests.conformance.table import Situation

pytestmark = [pytest.mark.xdist_group("conformance-of-three"), pytest.mark.timeout(900)]
Findings = dict[Situation, list[Finding]]


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda each: f"{each.api}: {each.name}")
def test_three_penstock_brokers_answer_as_three_of_kafka(situation: Situation, findings_of_three: Findings) -> None:
    left = unexplained(findings_of_three[situation], [*DIFFERENCES, *DIFFERENCES_OF_THREE], ANSWERS)
    assert not left, f"{situation.api}: {situation.name}\n" + "\n".join(map(str, left[:40]))


@pytest.mark.parametrize(
    "difference", DIFFERENCES_OF_THREE, ids=lambda each: f"{each.api} {each.situation} {each.path}"
)
def test_a_difference_listed_for_three_still_occurs(difference: Difference, findings_of_three: Findings) -> None:
    found = (each for findings in findings_of_three.values() for each in findings)
    assert any(difference.covers(each, ANSWERS) for each in found), f"take it off the list: {difference}"
