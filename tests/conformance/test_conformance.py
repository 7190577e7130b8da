"""The same requests to Apache Kafka and to Penstock: the answers agree, but for the differences that are listed."""

from __future__ import annotations

import pytest
from tests.conformance.compare import Difference, Finding, unexplained
from tests.conformance.differences import DIFFERENCES, STRICT_DIFFERENCES
from tests.conformance.situations.all import TABLE
from tests.conformance.situations.produce import CONTENTS
from tests.conformance.situations.wire import APIS
from tests.conformance.table import Situation

pytestmark = [pytest.mark.xdist_group("conformance"), pytest.mark.timeout(900)]


def _title(situation: Situation) -> str:
    return f"{situation.api}: {situation.name}"


@pytest.mark.parametrize("situation", TABLE, ids=_title)
def test_penstock_answers_as_kafka_does(situation: Situation, findings: dict[Situation, list[Finding]]) -> None:
    left = unexplained(findings[situation], DIFFERENCES)
    assert not left, f"{_title(situation)}: {len(left)} differences\n" + "\n".join(map(str, left[:40]))


@pytest.mark.parametrize("situation", CONTENTS, ids=_title)
def test_penstock_looks_into_batches_where_it_is_asked_to(
    situation: Situation, strict_findings: dict[Situation, list[Finding]]
) -> None:
    left = unexplained(strict_findings[situation], STRICT_DIFFERENCES)
    assert not left, f"{_title(situation)}: {len(left)} differences\n" + "\n".join(map(str, left[:40]))


@pytest.mark.parametrize("difference", DIFFERENCES, ids=lambda each: f"{each.api} {each.situation} {each.path}")
def test_a_listed_difference_still_occurs(difference: Difference, findings: dict[Situation, list[Finding]]) -> None:
    assert any(difference.covers(each) for found in findings.values() for each in found), (
        f"nothing differs there any more; take it off the list: {difference}"
    )


def test_every_api_has_good_and_bad_situations_in_the_table() -> None:
    tabled = {each.api for each in TABLE if not each.name.startswith("wire: ")}
    assert tabled == set(APIS)


def test_no_two_situations_share_a_name() -> None:
    names = [(each.api, each.name) for each in TABLE]
    assert len(set(names)) == len(names)
