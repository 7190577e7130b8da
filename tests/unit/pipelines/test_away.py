"""What is done about a cluster that does not answer, and about one that is just finding itself."""

import threading
from contextlib import nullcontext

import pytest

from penstock.cli.exits import ExitCode
from penstock.cli.program import run
from penstock.pipelines.jobs import topics
from penstock.pipelines.jobs.lake import LakeOptions, plan
from penstock.pipelines.jobs.lake.failures import RecordsGone, Uncounted, meaning, raise_meaning
from penstock.pipelines.jobs.rollup import RollupOptions
from penstock.pipelines.jobs.rollup import job as rollup_job
from penstock.pipelines.jobs.topics import ClusterAway
from penstock.pipelines.kafka_names import KafkaError
from penstock.pipelines.problems import Kind, PipelineProblem
from penstock.pipelines.sink import topics as sink_topics
from penstock.pipelines.transient_errors import passes

NOBODY = "127.0.0.1:1"


def test_a_dry_run_says_that_nobody_answers() -> None:
    options = LakeOptions(
        bootstrap=NOBODY, topics=("orders",), table="shop.orders", warehouse="not/made/for/this", answer_s=0.5
    )
    with pytest.raises(PipelineProblem, match=f"{NOBODY} does not answer.*\n.*--bootstrap"):
        plan(options)


@pytest.mark.parametrize(
    "job",
    [
        ["lake", "orders", "--table", "shop.orders", "--warehouse", "not/made/for/this"],
        ["dedupe", "orders", "--table", "shop.orders", "--warehouse", "not/made/for/this", "--to-topic", "once"],
        [
            "rollup", "sales", "--table", "shop.minutes", "--schema", "n INT", "--window", "1 minute",
            "--warehouse", "not/made/for/this",
        ],
        ["replay", "again", "--from", "orders"],
        ["redrive", "orders.dead"],
        ["repartition", "orders", "fewer", "--partitions", "1"],
        ["audit", "topic:orders", "topic:copy"],
    ],
    ids=lambda job: job[0],
)  # fmt: skip
def test_a_dry_run_waits_for_an_answer_for_as_long_as_it_is_told(
    job: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []

    def away(settings: object, *, answer_s: float) -> None:
        asked.append(answer_s)
        raise ClusterAway("h:1 does not answer")

    def away_again(*_: object, wait_s: float, **__: object) -> None:
        asked.append(wait_s)
        raise PipelineProblem("no answer from h:1", kind=Kind.AWAY)

    monkeypatch.setattr(topics, "Admin", away)
    monkeypatch.setattr(sink_topics, "patiently", away_again)
    words = ["pipeline", "run", *job, "-b", "h:1", "--dry-run", "--timeout", "77"]
    assert run(words) == ExitCode.UNREACHABLE
    assert asked == [77.0]


def test_a_rollup_can_be_stopped_while_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topics, "ANSWER_WITHIN_S", 0.2)
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
    with pytest.raises(Exception, match="something else") as raised:
        raise_meaning(strange)
    assert raised.value.__cause__ is None
