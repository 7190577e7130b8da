"""The page's results say what was measured, and what was missed."""

import json
from typing import Any

from benchmarks.compare import last_two
from benchmarks.publish import history_plot, newest_whole, ratios, results, rewritten, short

MACHINE = {"cpu": "EPYC", "cores": 2, "memory_gb": 25.0, "kernel": "6.18", "python": "3.11.2"}


def a_run(*, ratio: float, notes: tuple[str, ...] = (), quick: bool = False) -> dict[str, Any]:
    figure = {
        "title": "produce 1 KB records", "unit": "CPU s/GB", "better": "lower", "ratio": ratio, "bar": 0.45,
        "kafka": 1.4, "kafka_spread": 0.1, "penstock": 1.4 * ratio, "penstock_spread": 0.0,
    }  # fmt: skip
    return {
        "at": "2026-11-15T22:00:00+00:00", "commit": "abc", "machine": MACHINE, "quick": quick, "notes": list(notes),
        "figures": {"big.produce_cpu": figure}, "rounds": {"kafka": {"big.produce_cpu": [1.4, 1.5]}},
    }  # fmt: skip


def test_a_bar_that_was_missed_is_said_so() -> None:
    assert "| 0.40 | ≤ 0.45 |" in results(a_run(ratio=0.4))
    assert "| 0.60 | ≤ 0.45 (missed) |" in results(a_run(ratio=0.6))


def test_a_limit_stands_beside_the_bar() -> None:
    run = a_run(ratio=0.4)
    run["figures"]["big.produce_cpu"]["limit"] = 0.5
    assert "| 0.40 | ≤ 0.45; itself ≤ 0.5 (missed) |" in results(run)


def test_figures_of_penstock_alone_have_a_table_of_their_own() -> None:
    run = a_run(ratio=0.4)
    hold = {"title": "longest step", "unit": "ms", "better": "lower", "penstock": 12.0, "penstock_spread": 0.5}
    run["alone"] = {"hold": hold | {"limit": 10.0}, "load": hold | {"title": "loading", "limit": None}}
    rows = results(run).splitlines()[-2:]
    assert rows == ["| longest step | ms | 12 ±25% | ≤ 10 (missed) |", "| loading | ms | 12 ±25% |  |"]


def test_what_the_run_noted_stands_above_its_figures() -> None:
    page = results(a_run(ratio=0.4, notes=("kafka was still changing",)))
    assert page.index("\n- kafka was still changing.\n") < page.index("| unit |")


def test_only_runs_of_one_kind_are_compared() -> None:
    lines = [json.dumps(run) for run in (a_run(ratio=0.5), a_run(ratio=0.9, quick=True), a_run(ratio=0.4))]
    pair = last_two(lines)
    assert pair is not None
    assert [run["figures"]["big.produce_cpu"]["ratio"] for run in pair] == [0.5, 0.4]
    assert last_two(lines[:2]) is None


def test_figures_of_three_brokers_have_a_section_and_a_picture_of_their_own() -> None:
    run = a_run(ratio=0.4)
    run["figures"]["three.big.produce_cpu"] = run["figures"]["big.produce_cpu"] | {"ratio": 0.7, "bar": 0.6}
    page = results(run)
    one, three = page.index("### One broker"), page.index("### Three brokers, RF 3, acks=all")
    assert one < page.index("| 0.40 | ≤ 0.45 |") < three < page.index("| 0.70 | ≤ 0.6 (missed) |")
    assert set(ratios(run)) == {"ratios-one.svg", "ratios-three.svg"}


def test_figures_with_every_batch_opened_have_a_section_without_a_picture() -> None:
    run = a_run(ratio=0.4)
    run["figures"]["full.big.produce_cpu"] = run["figures"]["big.produce_cpu"] | {"ratio": 1.3, "bar": None}
    page = results(run)
    assert page.index("### All batches opened") < page.index("| 1.30 |  |")
    assert list(ratios(run)) == ["ratios-one.svg"] and page.count("![Ratio") == 1


def test_the_history_is_drawn_of_every_published_run() -> None:
    picture = history_plot([short(a_run(ratio=0.5, quick=True)), short(a_run(ratio=0.4))])
    assert picture.count("<circle") == 2
    assert "abc (quick)" in picture


def test_a_run_of_some_workloads_is_not_published() -> None:
    lines = [json.dumps(run) for run in (a_run(ratio=0.5), a_run(ratio=0.9) | {"partial": True})]
    newest = newest_whole(lines)
    assert newest is not None
    assert newest["figures"]["big.produce_cpu"]["ratio"] == 0.5
    assert newest_whole(lines[1:]) is None
    quick = json.dumps(a_run(ratio=0.7) | {"quick": True})
    assert newest_whole([*lines, quick]) == newest
    assert newest_whole([quick]) == json.loads(quick)


def test_results_are_replaced_or_kept_and_growth_stands_below_them() -> None:
    grown = {"commit": "def", "at": "2026-11-16", "load": 1.0, "machine": MACHINE,
             "curves": [{"key": "groups-cpu", "title": "Commits beside other groups"}]}  # fmt: skip
    first = rewritten("# Words\n\n## Results\n\nold figures\n", run=a_run(ratio=0.4), grown=grown)
    assert first.startswith("# Words\n\n## Results\n\nCommit abc")
    assert "old figures" not in first
    assert first.index("| 0.40 |") < first.index("## Over time") < first.index("performance/growth-groups-cpu.svg")
    assert rewritten(first, run=None, grown=grown) == first
