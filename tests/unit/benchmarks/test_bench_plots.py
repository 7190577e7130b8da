"""Plots are well-formed pictures that show every value where it belongs."""

from xml.etree import ElementTree

import pytest
from benchmarks.plots import HEIGHT, WIDTH, Axis, Bar, Series, bar_plot, figure, line_plot

_SVG = "{http://www.w3.org/2000/svg}"


def drawn(svg: str, kind: str) -> list[ElementTree.Element]:
    return ElementTree.fromstring(svg).findall(f"{_SVG}{kind}")


def places(svg: str) -> list[list[tuple[float, float]]]:
    lines = [line.attrib["points"].split() for line in drawn(svg, "polyline")]
    return [[(float(a), float(b)) for a, b in (pair.split(",") for pair in line)] for line in lines]


def words(svg: str) -> list[str]:
    return [text.text or "" for text in drawn(svg, "text")]


def test_every_point_is_within_the_picture_and_larger_values_are_higher() -> None:
    svg = line_plot("t", [Series("a", [(1, 5), (2, 900), (3, 40)])], x=Axis("x"), y=Axis("y"))
    (line,) = places(svg)
    assert all(0 < across < WIDTH and 0 < down < HEIGHT for across, down in line)
    assert line[1][1] < line[2][1] < line[0][1]
    assert len(drawn(svg, "circle")) == 3


def test_equal_factors_are_equal_steps_on_a_logarithmic_axis_which_leaves_zero_out() -> None:
    points = [(1, 1), (10, 10), (100, 100), (0, 5), (5, 0)]
    (line,) = places(line_plot("t", [Series("a", points)], x=Axis("x", is_log=True), y=Axis("y", is_log=True)))
    assert len(line) == 3
    assert line[1][0] - line[0][0] == pytest.approx(line[2][0] - line[1][0], abs=0.2)


def test_names_stand_on_an_axis_of_names_and_words_are_escaped() -> None:
    svg = line_plot("a < b", [Series("x & y", [(0, 1), (1, 2)])], x=Axis("run", names=("abc", "def")), y=Axis("ratio"))
    assert {"abc", "def", "a < b", "x & y"} <= set(words(svg))


@pytest.mark.parametrize("values", [[0.0, 0.0], [7.0, 7.0], [0.001, 0.0011], [1e9, 3e9]])
def test_any_range_of_values_can_be_drawn(values: list[float]) -> None:
    svg = line_plot("t", [Series("a", list(enumerate(values)))], x=Axis("x"), y=Axis("y"))
    assert len(places(svg)[0]) == 2


def test_nothing_is_no_picture() -> None:
    with pytest.raises(ValueError, match="nothing to draw"):
        line_plot("t", [Series("a", [])], x=Axis("x"), y=Axis("y"))


def test_a_bar_is_as_long_as_its_value_and_one_that_misses_its_limit_is_seen() -> None:
    svg = bar_plot("t", [Bar("half", 0.5, 1.0), Bar("whole", 1.0, 0.8, is_met=False)], label="ratio")
    _, half, whole = drawn(svg, "rect")
    assert float(whole.attrib["width"]) == pytest.approx(2 * float(half.attrib["width"]), abs=0.2)
    assert half.attrib["fill"] != whole.attrib["fill"]
    assert {"half", "whole", "0.5", "1"} <= set(words(svg))


def test_figures_are_short() -> None:
    assert [figure(value) for value in (0, 0.25, 12, 1_500, 10_000, 2_500_000, 3e9)] == [
        "0", "0.25", "12", "1,500", "10k", "2.5M", "3G",
    ]  # fmt: skip
