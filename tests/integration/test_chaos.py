"""Stock clients write and read for minutes while brokers, networks, disks, clocks and etcd fail around them.

`make chaos MINUTES=10` runs it for longer; CHAOS_SEED repeats the order and the victims of a run. With SECURED=1 all
goes over TLS, with logins, access rules, quotas and audit logs; certificates and their authority are replaced in the
middle, and intruders try to get in.
"""

import os
import random
from pathlib import Path

import pytest
from tests.support.chaos_run import ChaosRun

MINUTES = float(os.environ.get("CHAOS_MINUTES", "3"))
FAULTS_MIN, KINDS_MIN, ACKNOWLEDGED_MIN = 12, 6, 3_000


@pytest.mark.timeout(MINUTES * 60 + 900)
def test_nothing_acknowledged_is_lost_doubled_or_reordered_whatever_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seed = int(os.environ.get("CHAOS_SEED") or random.randrange(1_000_000))

    def say(text: str) -> None:
        print(text)  # shown with a failure
        with capsys.disabled():
            print(text, flush=True)

    say(f"\nchaos: CHAOS_SEED={seed}, {MINUTES:g} minutes")
    run = ChaosRun(tmp_path, seed=seed, say=say, is_secured=bool(os.environ.get("CHAOS_SECURED")))
    try:
        run.run(minutes=MINUTES, faults=FAULTS_MIN)
        run.report.require(
            seconds=max(MINUTES, 3) * 60, faults=FAULTS_MIN, kinds=KINDS_MIN, acknowledged=ACKNOWLEDGED_MIN
        )
    finally:
        say(str(run.report))
    assert not run.report.wrong, run.report
