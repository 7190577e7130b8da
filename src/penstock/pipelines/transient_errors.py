"""Which of a cluster's errors pass by themselves: nobody there, a leader just being elected, time over.

One list for all who ask, so that source, sink and jobs bear with the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import structlog

from penstock.pipelines.kafka_names import KafkaError, KafkaException
from penstock.pipelines.problems import Kind, PipelineProblem

_PAUSE_S = 0.5
T = TypeVar("T")
_log = structlog.get_logger(__name__)

_AWAY = frozenset(
    {
        KafkaError._TRANSPORT,
        KafkaError._ALL_BROKERS_DOWN,
        KafkaError._RESOLVE,
        KafkaError._TIMED_OUT,
        KafkaError._TIMED_OUT_QUEUE,
        KafkaError._MAX_POLL_EXCEEDED,
        KafkaError.NETWORK_EXCEPTION,
        KafkaError.REQUEST_TIMED_OUT,
        KafkaError.BROKER_NOT_AVAILABLE,
        KafkaError.NOT_CONTROLLER,
        KafkaError.LEADER_NOT_AVAILABLE,
        KafkaError.NOT_LEADER_FOR_PARTITION,
        KafkaError.FENCED_LEADER_EPOCH,
        KafkaError.UNKNOWN_LEADER_EPOCH,
        KafkaError.OFFSET_NOT_AVAILABLE,  # a new leader that does not know its high watermark yet
        KafkaError.KAFKA_STORAGE_ERROR,  # leadership moves away from that disk
        KafkaError.COORDINATOR_NOT_AVAILABLE,
        KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
        KafkaError.NOT_COORDINATOR,
    }
)
NOT_THERE = frozenset(
    {
        KafkaError.UNKNOWN_TOPIC_OR_PART,
        KafkaError.UNKNOWN_TOPIC_ID,
        KafkaError._UNKNOWN_TOPIC,
        KafkaError._UNKNOWN_PARTITION,
    }
)
"""The topic or partition is gone, or was never there."""


def passes(error: KafkaError) -> bool:
    return bool(error.retriable()) or error.code() in _AWAY


def patiently(ask: Callable[[], T], *, bootstrap: str, wait_s: float, hint: str) -> T:
    """Ask until the cluster answers. That it is waited for is said once; PipelineProblem where it refuses, or is away
    for longer than `wait_s`.
    """
    deadline = time.monotonic() + wait_s
    told = False
    while True:
        try:
            return ask()
        except KafkaException as error:
            reason = error.args[0]
            if not passes(reason):
                raise PipelineProblem(f"{bootstrap} refused: {reason.str()}") from error
            if time.monotonic() > deadline:
                words = f"no answer from {bootstrap} for {wait_s:g} s: {reason.str()}"
                raise PipelineProblem(words, hint=hint, kind=Kind.AWAY) from error
        if not told:
            _log.warning("waiting for the cluster", bootstrap=bootstrap)
            told = True
        time.sleep(_PAUSE_S)
