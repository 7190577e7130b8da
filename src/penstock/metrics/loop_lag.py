"""How far the event loop is behind: the first number to look at when a broker is slow."""

import asyncio

from penstock.metrics.declare import Metrics, gauge, histogram
from penstock.metrics.registry import MetricsRegistry
from penstock.model import Clock

SAMPLE_SECONDS = 0.5


class LoopMetrics(Metrics, prefix="penstock_event_loop"):
    lag_seconds = histogram(
        "How much later than asked the event loop woke a sleeper; sampled twice a second.",
        buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0),
    )
    lag_latest_seconds = gauge("How much later than asked the event loop woke the latest sleeper.")


async def watch_loop_lag(registry: MetricsRegistry, clock: Clock, sample_seconds: float = SAMPLE_SECONDS) -> None:
    """Runs until cancelled; give it to the node's task group."""
    metrics = registry.of(LoopMetrics)
    while True:
        asleep_at = clock.monotonic()
        await asyncio.sleep(sample_seconds)
        lag = max(0.0, clock.monotonic() - asleep_at - sample_seconds)
        metrics.lag_seconds.record(lag)
        metrics.lag_latest_seconds = lag
