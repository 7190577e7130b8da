"""Both plans measure the same things, each by a name of its own, and hold them to the project's bars."""

import pytest
from benchmarks import idle, plan
from benchmarks.figures import Figure
from benchmarks.plan import Plan
from benchmarks.rounds import START_FIGURES, memory_figures
from benchmarks.workloads import EndToEnd


def figures(chosen: Plan) -> dict[str, Figure]:
    of_phases = [
        figure
        for phase in (chosen.one, chosen.three)
        for figure in [f for workload in phase.workloads for f in workload.figures()] + memory_figures(phase)
    ]
    every = [*of_phases, *START_FIGURES, *idle.FIGURES]
    assert len({figure.key for figure in every}) == len(every)
    return {figure.key: figure for figure in every}


def test_the_quick_run_has_nothing_of_its_own() -> None:
    assert set(figures(plan.quick())) < set(figures(plan.whole()))


@pytest.mark.parametrize(
    ("key", "one", "three"),
    [
        ("big.produce_cpu", 0.45, 0.60),
        ("lz4.produce_cpu", 0.45, 0.60),
        ("zstd.produce_cpu", 0.45, 0.60),
        ("small.produce_cpu", 0.50, 0.60),
        ("big.consume_cpu", 1.1, None),
        ("single.cpu", 0.25, 0.40),
        ("big.produce_mb_s", 1.2, 1.0),
        ("big.consume_mb_s", 1.2, 1.0),
        ("single.requests_s", 3.0, 1.5),
        ("paced.p50", 0.8, 0.9),
        ("brisk.p50", 0.8, 0.9),
        ("paced.p99", 0.6, 0.7),
        ("brisk.p99", 0.6, 0.7),
        ("rest.rss", 0.12, 0.25),
        ("loaded.rss", 0.10, 0.2),
    ],
)
def test_the_bars_of_one_broker_and_of_three(key: str, one: float, three: float | None) -> None:
    found = figures(plan.whole())
    assert (found[key].bar, found[f"three.{key}"].bar) == (one, three)


def test_the_bars_that_only_one_broker_has() -> None:
    found = figures(plan.whole())
    assert (found["start.first_ack"].bar, found["start.first_ack"].limit, found["idle.cpu"].bar) == (0.1, 0.4, 0.3)


def test_only_some_workloads_can_be_asked_for() -> None:
    assert [workload.key for workload in plan.whole().one.only(("big", "txn")).workloads] == ["big", "txn"]


def test_latency_is_measured_at_half_of_what_the_slower_broker_takes() -> None:
    workloads, notes = plan.within(plan.whole().one.workloads, 4_567.0)
    rates = {each.key: each.rate_per_s for each in workloads if isinstance(each, EndToEnd)}
    assert rates == {"paced": 2_000, "brisk": 4_500}
    assert notes == ["end to end at 4,500/s in place of 10,000/s"]


def test_two_rates_that_come_to_the_same_are_measured_once() -> None:
    workloads, notes = plan.within(plan.whole().three.workloads, 812.0)
    assert [each.title for each in workloads if isinstance(each, EndToEnd)] == ["end to end at 810/s"]
    assert len(notes) == 2 and "already" in notes[1]


def test_what_is_run_with_every_batch_opened_is_in_both_plans() -> None:
    for chosen in (plan.quick(), plan.whole()):
        assert set(plan.BESIDE[plan.FULL]) <= {each.key for each in chosen.one.workloads}
