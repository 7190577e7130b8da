"""Gaps in a load, and the table of bars that they are set beside."""

from pathlib import Path

import pytest
from benchmarks.failover.load import longest_gap
from benchmarks.failover.table import HEADING, ROWS, publish, section, spread, table

FACTS = {
    "commit": "abc",
    "at": "2026-11-16T00:00:00",
    "machine": {"cores": 2, "cpu": "C", "memory_gb": 8, "kernel": "6"},
    "load": 0.5,
    "quick": False,
    "partitions": 1_000,
}


@pytest.mark.parametrize(
    ("moments_s", "gap_s"),
    [
        ([9.0, 10.5, 11.0, 19.9], 8.9),
        ([9.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0], 3.0),  # from before the fault on
        ([9.9, 10.0], 10.0),  # and still open at the end
        ([], 10.0),
    ],
)
def test_the_longest_gap_is_between_two_writes_of_which_the_later_is_within(
    moments_s: list[float], gap_s: float
) -> None:
    assert longest_gap(moments_s, 10.0, 20.0) == pytest.approx(gap_s)


def test_the_table_has_the_ratio_and_says_what_was_missed() -> None:
    penstock = {"leader_killed": [0.1, 0.2, 3.5], "follower_killed": [0.05], "restart_errors": [0.0]}
    lines = table(penstock, {"leader_killed": [12.0]})
    assert len(lines) == 5
    assert lines[2].endswith("| 12 | 0.2 (0.1–3.5, n=3) | 0.02 | median < 1, < 3 (missed) |")
    assert lines[3].endswith("| – | 0.05 |  | < 1 |")
    assert lines[4].endswith("| – | 0 |  | = 0 |")


def test_throughput_is_held_to_kafkas_own_ratio() -> None:
    assert table({"all_to_1": [0.9]}, {"all_to_1": [0.8]})[-1].endswith("| ≥ Kafka's |")
    assert table({"all_to_1": [0.7]}, {"all_to_1": [0.8]})[-1].endswith("| ≥ Kafka's (missed) |")


def test_every_row_has_a_key_of_its_own() -> None:
    assert len({row.key for row in ROWS}) == len(ROWS)


def test_publishing_replaces_the_results_and_leaves_the_rest(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# Words\n\n{HEADING}old figures\n")
    publish(section({"follower_killed": [0.05]}, {}, FACTS), page)
    assert page.read_text().startswith(f"# Words\n\n{HEADING}\nCommit abc, 2026-11-16; 2 cores")
    assert "old" not in page.read_text()


def test_a_single_value_has_no_spread() -> None:
    assert (spread([]), spread([0.123456]), spread([1.0, 2.0])) == ("–", "0.123", "1.5 (1–2, n=2)")
