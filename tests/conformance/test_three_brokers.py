"""The same requests to three Apache Kafka nodes and to three Penstock brokers."""

from __future__ import annotations

import pytest
from tests.conformance.compare import Finding, unexplained
from tests.conformance.differences import DIFFERENCES
from tests.conformance.pin import ANSWERS
from tests.conformance.situations.three_brokers import SITUATIONS
from tests.conformance.table import Situation

pytestmark = [pytest.mark.xdist_group("conformance-of-three"), pytest.mark.timeout(900)]
Findings = dict[Situation, list[Finding]]


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda each: f"{each.api}: {each.name}")
def test_three_penstock_brokers_answer_as_three_of_kafka(situation: Situation, findings_of_three: Findings) -> None:
    left = unexplained(findings_of_three[situation], DIFFERENCES, ANSWERS)
    assert not left, f"{situation.api}: {situation.name}\n" + "\n".join(map(str, left[:40]))
