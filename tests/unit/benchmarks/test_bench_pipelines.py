"""The pipelines' figures: divided rightly, in a table and a plot that a browser can read."""

from pathlib import Path
from xml.etree import ElementTree

from benchmarks.pipelines.table import HEADING, Measured, Run, growth, publish, table

ONE, TWO = Run(1_000_000, 1_000, 1), Run(1_000_000, 1_000, 2)
MANY, FEW = Run(10_000_000, 100, 2), Run(1_000_000, 100, 2)
MEASURED = [
    Measured(run, case, by, f"{case} by {by}", seconds * (2 if by == "spark" else 1))
    for run, seconds in ((ONE, 10.0), (TWO, 5.0), (FEW, 4.0), (MANY, 50.0))
    for case in ("source", "sink", "lake")
    for by in ("penstock", "spark")
]


def test_a_row_a_case_and_a_column_a_run() -> None:
    head, _, first, *_ = table(MEASURED)
    assert head == (
        "| thousand rows/s (MB/s) | 1 M × 1 KB, 1 core | 1 M × 1 KB, 2 cores | 1 M × 100 B, 2 cores "
        "| 10 M × 100 B, 2 cores |"
    )
    assert first == "| source by penstock | 100 (100) | 200 (200) | 250 (25) | 200 (20) |"


def test_growth_divides_what_differs_in_one_thing_only() -> None:
    assert growth(MEASURED)[2] == "| source by penstock | 2.00 | 0.80 |"
    assert growth(MEASURED[:6])[2] == "| source by penstock | – | – |"


def test_the_page_keeps_its_words_and_gets_its_plot(tmp_path: Path) -> None:
    page = tmp_path / "performance.md"
    page.write_text(f"# Words\n\n{HEADING}\nold figures\n")
    machine = {"cores": 2, "cpu": "some", "memory_gb": 4.0, "kernel": "6", "python": "3"}
    publish(MEASURED, {"commit": "c", "at": "2026-01-01T00:00", "machine": machine, "load": 0.0, "rounds": 1}, page)
    text = page.read_text()
    assert text.startswith("# Words\n\n## Results\n") and "old figures" not in text
    for name in ("performance-cores.svg", "performance-records.svg"):
        drawn = ElementTree.fromstring((tmp_path / name).read_text())
        assert name in text and sum(each.tag.endswith("polyline") for each in drawn.iter()) == 6
