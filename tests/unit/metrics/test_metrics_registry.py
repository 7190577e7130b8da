"""Metrics: declared in classes, counted in slots, read by Prometheus."""

import asyncio

import pytest
from prometheus_client.parser import text_string_to_metric_families

from penstock.metrics import (
    Histogram,
    LoopMetrics,
    MetricKind,
    Metrics,
    MetricsRegistry,
    Values,
    counter,
    declared_metrics,
    gauge,
    histogram,
    prometheus_name,
    reading,
    render,
    watch_loop_lag,
)


class OvenMetrics(Metrics, prefix="bakery_oven", labels=("oven",)):
    loaves = counter("Loaves baked.")
    heat = gauge("Degrees.", name="heat_celsius")
    baking_seconds = histogram("How long a loaf took.", buckets=(1.0, 2.0))


class ShopMetrics(Metrics, prefix="bakery_shop"):
    sold = counter("Loaves sold.")


SHELF = reading("bakery_shelf_loaves", "Loaves on the shelf.", labels=("shelf",))


def samples(registry: MetricsRegistry) -> dict[str, float]:
    text, _ = render(registry.snapshot(), with_process=False)
    return {
        sample.name + "".join(f"[{value}]" for value in sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
        if not sample.name.endswith("_created")
    }


def test_counting_is_adding_to_a_plain_int_in_a_slot() -> None:
    oven = MetricsRegistry().of(OvenMetrics, oven=1)
    oven.loaves += 2
    assert type(oven.loaves) is int and oven.loaves == 2
    assert not hasattr(oven, "__dict__")
    with pytest.raises(AttributeError):
        oven.laoves = 1  # type: ignore[attr-defined]


def test_the_same_labels_give_the_same_object() -> None:
    registry = MetricsRegistry()
    assert registry.of(OvenMetrics, oven=1) is registry.of(OvenMetrics, oven="1")
    assert registry.of(OvenMetrics, oven=1) is not registry.of(OvenMetrics, oven=2)
    with pytest.raises(TypeError, match="no label shop"):
        registry.of(OvenMetrics, oven=1, shop=2)


def test_prometheus_reads_what_was_counted() -> None:
    registry = MetricsRegistry()
    oven = registry.of(OvenMetrics, oven="left")
    oven.loaves += 3
    oven.heat = 230.5
    for seconds in (0.5, 1.0, 1.5, 9.0):
        oven.baking_seconds.record(seconds)
    registry.of(ShopMetrics).sold += 1
    registry.read(SHELF, lambda: [(("top",), 7)])
    assert samples(registry) == {
        "bakery_oven_loaves_total[left]": 3,
        "bakery_oven_heat_celsius[left]": 230.5,
        "bakery_oven_baking_seconds_bucket[1.0][left]": 2,
        "bakery_oven_baking_seconds_bucket[2.0][left]": 3,
        "bakery_oven_baking_seconds_bucket[+Inf][left]": 4,
        "bakery_oven_baking_seconds_count[left]": 4,
        "bakery_oven_baking_seconds_sum[left]": 12.0,
        "bakery_shop_sold_total": 1,
        "bakery_shelf_loaves[top]": 7,
    }


def test_series_beyond_the_limit_are_counted_together() -> None:
    registry = MetricsRegistry(series_max=2)
    for oven in range(5):
        registry.of(OvenMetrics, oven=oven).loaves += 1
    found = {name: value for name, value in samples(registry).items() if "loaves" in name}
    assert found == {
        "bakery_oven_loaves_total[0]": 1,
        "bakery_oven_loaves_total[1]": 1,
        "bakery_oven_loaves_total[other]": 3,
    }


def test_readings_beyond_the_limit_are_added_up() -> None:
    registry = MetricsRegistry(series_max=1)
    registry.read(SHELF, lambda: [((str(shelf),), 10) for shelf in range(3)])
    assert samples(registry) == {"bakery_shelf_loaves[0]": 10, "bakery_shelf_loaves[other]": 20}


def test_a_dropped_series_is_seen_no_more() -> None:
    registry = MetricsRegistry()
    registry.of(OvenMetrics, oven=1).loaves += 1
    registry.drop(OvenMetrics, oven=1)
    registry.drop(OvenMetrics, oven=2)
    assert not any("loaves" in name for name in samples(registry))


def test_a_source_that_fails_hides_only_itself() -> None:
    def broken() -> Values:
        raise RuntimeError("no shelf")

    registry = MetricsRegistry()
    registry.read(SHELF, broken)
    registry.read(SHELF, lambda: [(("low",), 1)])
    registry.of(ShopMetrics).sold += 1
    assert samples(registry) == {"bakery_shop_sold_total": 1, "bakery_shelf_loaves[low]": 1}


def test_labels_with_quotes_and_newlines_survive() -> None:
    registry = MetricsRegistry()
    registry.of(OvenMetrics, oven='a"b\\c\nd').loaves += 1
    assert samples(registry)['bakery_oven_loaves_total[a"b\\c\nd]'] == 1


def test_the_process_is_measured_too() -> None:
    text, content_type = render([])
    assert b"process_resident_memory_bytes" in text and b"process_open_fds" in text
    assert content_type.startswith("text/plain")


def test_openmetrics_is_spoken_to_who_asks_for_it() -> None:
    text, content_type = render(MetricsRegistry().snapshot(), "application/openmetrics-text; version=1.0.0")
    assert content_type.startswith("application/openmetrics-text")
    assert text.endswith(b"# EOF\n")


def test_a_histogram_puts_a_bound_into_its_own_bucket() -> None:
    found = Histogram((1.0, 2.0))
    for value in (1.0, 2.0, 2.1):
        found.record(value)
    assert (found.counts, found.count, found.sum) == ([1, 1, 1], 3, 5.1)


def test_declarations_can_be_listed_for_the_reference() -> None:
    rows = {row.name: row for row in declared_metrics()}
    assert rows["bakery_oven_loaves"].labels == ("oven",)
    assert prometheus_name(rows["bakery_oven_loaves"]) == "bakery_oven_loaves_total"
    assert rows["bakery_shelf_loaves"].kind is MetricKind.GAUGE
    with pytest.raises(TypeError, match="declared twice"):
        reading("bakery_shelf_loaves", "Again.")


class StubbornClock:
    """Says that each sleep took a quarter of a second longer than asked."""

    def __init__(self) -> None:
        self._seconds = 0.0

    def monotonic(self) -> float:
        self._seconds += 0.125
        return self._seconds

    def now(self) -> int:
        raise NotImplementedError


async def test_the_loops_lag_is_sampled() -> None:
    registry = MetricsRegistry()
    watch = asyncio.create_task(watch_loop_lag(registry, StubbornClock(), sample_seconds=0.0))  # type: ignore[arg-type]
    while registry.of(LoopMetrics).lag_seconds.count < 3:
        await asyncio.sleep(0)
    watch.cancel()
    with pytest.raises(asyncio.CancelledError):
        await watch
    assert registry.of(LoopMetrics).lag_latest_seconds == 0.125
