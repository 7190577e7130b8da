"""Curves of growth are kept as they were measured, and drawn."""

import json
from pathlib import Path

from benchmarks.growth import steps
from benchmarks.growth.curve import Curve, as_csv, draw, read
from benchmarks.micro import last_on


def a_curve() -> Curve:
    curve = Curve("partitions-cpu", "Producing", "partitions", "CPU s/GB")
    for at, value in ((1, 0.5), (1_000, 0.75)):
        curve.add("Penstock", at, value)
    return curve


def test_a_kept_curve_is_drawn_as_the_measured_one() -> None:
    curve = a_curve()
    assert draw(read(json.loads(json.dumps(curve.as_json())))) == draw(curve)


def test_every_point_is_a_line_of_the_table() -> None:
    assert as_csv([a_curve()]).splitlines()[1:] == [
        "partitions-cpu,Penstock,partitions,1,0.5,CPU s/GB",
        "partitions-cpu,Penstock,partitions,1000,0.75,CPU s/GB",
    ]


def test_a_name_with_a_comma_is_one_column() -> None:
    curve = Curve("fetch-width", "One fetch", "partitions", "CPU µs", {"all named, one with records": [(1, 2.0)]})
    assert as_csv([curve]).splitlines()[1] == 'fetch-width,"all named, one with records",partitions,1,2,CPU µs'


def test_steps_are_measured_at_every_point(tmp_path: Path) -> None:
    (curve,) = steps.segments(tmp_path, points=(1, 3))
    assert {name: [at for at, _ in points] for name, points in curve.series.items()} == {
        "append": [1, 3],
        "look for any offset": [1, 3],
    }
    assert all(value > 0 for points in curve.series.values() for _, value in points)


def test_steps_are_compared_with_the_last_run_on_the_same_machine() -> None:
    lines = [json.dumps({"machine": {"cpu": cpu}, "us": {"a": us}}) for cpu, us in (("x", 1), ("x", 2), ("y", 3))]
    assert last_on({"cpu": "x"}, lines) == {"a": 2}
    assert last_on({"cpu": "z"}, lines) == {}
