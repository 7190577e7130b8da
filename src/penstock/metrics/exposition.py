"""The registry as Prometheus reads it, through prometheus_client's own writer.

prometheus_client is imported at the first scrape: a broker that nobody scrapes does not pay for it.
"""

from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from penstock.metrics.declare import MetricKind
from penstock.metrics.registry import Family, HistogramValue


def render(families: list[Family], accept: str = "", *, with_process: bool = True) -> tuple[bytes, str]:
    """The text and its content type. Takes a while with many partitions, and touches nothing shared: run it in a
    thread.
    """
    from prometheus_client import CollectorRegistry, ProcessCollector  # noqa: PLC0415
    from prometheus_client.exposition import choose_encoder  # noqa: PLC0415

    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Snapshot(families))
    if with_process:
        ProcessCollector(registry=registry)
    encoder, content_type = choose_encoder(accept)
    return encoder(registry), content_type


class _Snapshot:
    """prometheus_client's custom collector over numbers that were read before."""

    def __init__(self, families: list[Family]) -> None:
        self._families = families

    def collect(self) -> Iterator[Any]:
        from prometheus_client.core import (  # noqa: PLC0415
            CounterMetricFamily,
            GaugeMetricFamily,
            HistogramMetricFamily,
        )

        kinds = {MetricKind.COUNTER: CounterMetricFamily, MetricKind.GAUGE: GaugeMetricFamily}
        for family in self._families:
            if family.kind is MetricKind.HISTOGRAM:
                histograms = HistogramMetricFamily(family.name, family.help, labels=family.labels)
                for labels, value in family.values:
                    if isinstance(value, HistogramValue):
                        histograms.add_metric(labels, _cumulative(value), value.sum)
                yield histograms
                continue
            plain = kinds[family.kind](family.name, family.help, labels=family.labels)
            for labels, value in family.values:
                plain.add_metric(labels, value)
            yield plain


def _cumulative(value: HistogramValue) -> list[tuple[str, float]]:
    bounds = [*(str(bound) for bound in value.bounds), "+Inf"]
    return list(zip(bounds, accumulate(value.counts), strict=True))
