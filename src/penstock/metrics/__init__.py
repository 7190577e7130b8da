"""Counting, cheap enough for the hot path. The metrics themselves are declared beside what they measure."""

from penstock.metrics.declare import (
    LATENCY_SECONDS,
    Declared,
    Histogram,
    MetricKind,
    Metrics,
    Reading,
    counter,
    declared_metrics,
    gauge,
    histogram,
    prometheus_name,
    reading,
)
from penstock.metrics.exposition import render
from penstock.metrics.loop_lag import LoopMetrics, watch_loop_lag
from penstock.metrics.registry import Family, MetricsRegistry, Values

__all__ = [
    "LATENCY_SECONDS",
    "Declared",
    "Family",
    "Histogram",
    "LoopMetrics",
    "MetricKind",
    "Metrics",
    "MetricsRegistry",
    "Reading",
    "Values",
    "counter",
    "declared_metrics",
    "gauge",
    "histogram",
    "prometheus_name",
    "reading",
    "render",
    "watch_loop_lag",
]
