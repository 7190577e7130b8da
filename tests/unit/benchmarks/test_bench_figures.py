"""How several rounds of a figure become one line of the table."""

from benchmarks.figures import Better, Figure, Line, Pick, agree, alone, compare, compare_full, pick

CPU = Figure("cpu", "produce", "CPU s/GB", Better.LOWER, bar=0.45)
PACE = Figure("pace", "produce", "MB/s", Better.HIGHER, bar=1.2)
KEPT = Figure("kept", "transactions", "%", Better.HIGHER, Pick.MEDIAN, bar=1.0, limit=80.0)
HOLD = Figure("hold", "longest step", "ms", Better.LOWER, limit=10.0)
P99 = Figure("p99", "end to end", "ms", Better.LOWER, Pick.MEDIAN)


def test_the_cheapest_round_counts_for_cpu() -> None:
    assert pick(CPU, [1.5, 1.2, 1.4]).value == 1.2


def test_the_fastest_round_counts_for_throughput() -> None:
    assert pick(PACE, [400.0, 610.0, 500.0]).value == 610.0


def test_the_median_round_counts_for_latency() -> None:
    assert pick(P99, [4.0, 90.0, 5.0]).value == 5.0


def test_spread_is_the_range_over_the_rounds() -> None:
    assert pick(CPU, [1.0, 1.5]).spread == 0.5


def test_a_ratio_is_penstock_over_kafka_and_is_judged_by_its_bar() -> None:
    cheap = Line(CPU, kafka=pick(CPU, [2.0]), penstock=pick(CPU, [0.8]))
    assert (cheap.ratio, cheap.meets_bar) == (0.4, True)
    slow = Line(PACE, kafka=pick(PACE, [500.0]), penstock=pick(PACE, [550.0]))
    assert (slow.ratio, slow.meets_bar) == (1.1, False)


def test_a_limit_is_kept_or_not_whatever_kafka_does() -> None:
    line = Line(KEPT, kafka=pick(KEPT, [50.0]), penstock=pick(KEPT, [70.0, 72.0]))
    assert (line.meets_bar, line.meets_limit) == (True, False)
    assert line.penstock.value == 71.0


def test_a_figure_of_penstock_alone_is_judged_by_its_limit() -> None:
    (line,) = alone([HOLD, CPU], {"hold": [30.0, 8.0]})
    assert (line.penstock.value, line.meets_limit) == (8.0, True)


def test_a_figure_that_one_side_lacks_makes_no_line() -> None:
    lines = compare([CPU, PACE], {"cpu": [2.0], "pace": [500.0]}, {"cpu": [1.0]})
    assert [line.figure.key for line in lines] == ["cpu"]


def test_two_rounds_agree_when_their_total_cost_does() -> None:
    assert agree({"a": 1.0, "b": 1.0}, {"a": 1.04, "b": 1.0}, within=0.05)
    assert not agree({"a": 3.0, "b": 1.0}, {"a": 2.0, "b": 1.0}, within=0.05)


def test_a_cost_in_large_figures_does_not_outweigh_the_others() -> None:
    assert not agree({"a": 100.0, "b": 1.0}, {"a": 100.0, "b": 0.5}, within=0.05)


def test_nothing_agrees_with_no_round_at_all() -> None:
    assert not agree({}, {"a": 1.0}, within=0.05)


def test_what_opens_every_batch_is_compared_with_kafka_under_a_name_of_its_own() -> None:
    cpu = Figure("big.produce_cpu", "produce 1 KB", "CPU s/GB", Better.LOWER, bar=0.45)
    memory = Figure("loaded.rss", "memory", "MB", Better.LOWER)
    kafka = {"big.produce_cpu": [2.0], "loaded.rss": [900.0]}
    (line,) = compare_full([cpu, memory], kafka, {"big.produce_cpu": [3.0], "loaded.rss": [90.0]})
    assert (line.figure.key, line.figure.title) == ("full.big.produce_cpu", "produce 1 KB, all opened")
    assert line.figure.bar is None and line.ratio == 1.5
