"""What is done about a cluster that does not answer, and about one that is just finding itself."""

import threading
from contextlib import nullcontext

import pytest

from penstock.cli.exits import ExitCode
from penstock.cli.program import run
from penstock.pipelines.jobs import ends
from penstock.pipelines.jobs.ends import ClusterAway
from penstock.pipelines.jobs.lake import LakeOptions, plan
from penstock.pipelines.jobs.lake.failures import RecordsGone, Uncounted, meaning
from penstock.pipelines.jobs.rollup import RollupOptions
from penstock.pipelines.jobs.rollup import job as rollup_job
from penstock.pipelines.kafka_names import KafkaError
from penstock.pipelines.passing import passes
from penstock.pipelines.problems import PipelineProblem

NOBODY = "127.0.0.1:1"


def test_a_dry_run_says_that_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ends, "ANSWER_WITHIN_S", 0.5)
    options = LakeOptions(bootstrap=NOBODY, topics=("orders",), table="shop.orders", warehouse="not/made/for/this")
    with pytest.raises(PipelineProblem, match=f"{NOBODY} does not answer.*\n.*--bootstrap"):
        plan(options)
    words = ["lake", "orders", "--table", "shop.orders", "--warehouse", "not/made/for/this", "-b", NOBODY, "--dry-run"]
    assert run(["pipeline", "run", *words]) == ExitCode.UNREACHABLE


def test_a_rollup_can_be_stopped_while_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ends, "ANSWER_WITHIN_S", 0.2)
    monkeypatch.setattr(rollup_job, "opened", lambda *_: nullcontext())
    stopping = threading.Event()
    stopping.set()
    options = RollupOptions(
        bootstrap=NOBODY, topic="sales", table="shop.minutes", schema="n INT", window="1 minute", patience_s=5
    )
    assert rollup_job.run(options, stopping=stopping).stopped


@pytest.mark.parametrize("code", [KafkaError._TRANSPORT, KafkaError.OFFSET_NOT_AVAILABLE, KafkaError.NOT_CONTROLLER])
def test_a_leader_that_was_just_elected_is_waited_for(code: int) -> None:
    assert passes(KafkaError(code))
    assert not passes(KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED))


def test_what_our_source_says_is_understood() -> None:
    assert type(meaning(Exception("orders-0: nothing came for 120 s at offset 7 of 9"))) is ClusterAway
    assert type(meaning(Exception("orders-0 is gone, and with it the offsets 7 to 8"))) is RecordsGone
    again = Exception('… "scala.collection.IterableOps.map(scala.Function1)" because the return value of '
                      '"scala.Option.get()" is null')  # fmt: skip
    assert type(meaning(again)) is Uncounted
    strange = Exception("something else")
    assert meaning(strange) is strange
