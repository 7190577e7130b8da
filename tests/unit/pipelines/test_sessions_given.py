"""From Python every job can be given a session, which it then uses."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from penstock import pipelines

JOBS: dict[str, tuple[str, dict[str, Any]]] = {
    "lake": ("lake.job", {"topics": ["t"], "table": "a.b"}),
    "dedupe": ("dedupe.job", {"topics": ["t"], "table": "a.b"}),
    "rollup": ("rollup.job", {"topic": "t", "table": "a.b", "schema": "n INT", "window": "1 minute"}),
    "repartition": ("repartition", {"source": "t", "target": "u"}),
    "replay": ("replay", {"topic": "t", "target": "u"}),
    "redrive": ("redrive.running", {"topic": "t"}),
}


@pytest.mark.parametrize("job", JOBS)
def test_a_session_that_is_given_is_the_runs(job: str, monkeypatch: pytest.MonkeyPatch) -> None:
    home, options = JOBS[job]
    module = importlib.import_module(f"penstock.pipelines.jobs.{home}")
    monkeypatch.setattr(module, "run", lambda _, **given: given)
    session = object()
    assert getattr(pipelines, job)(spark=session, bootstrap="h:1", **options) == {"spark": session}
