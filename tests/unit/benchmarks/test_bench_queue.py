"""What decides in the benchmark of queue work: bars, tables, plans, what programs say."""

import re
from pathlib import Path

import pytest
from benchmarks import loadgen
from benchmarks.figures import Better, Figure
from benchmarks.instructions.beside import changes
from benchmarks.queue import cases, table
from benchmarks.queue.batches import said
from benchmarks.queue.fetching import headers
from benchmarks.queue.peers import Nats, RabbitMq, kinds, not_to_be_had, versions
from benchmarks.queue.rows import KAFKA, NATS, PENSTOCK, RABBITMQ, SIDES, SYNCED, Bar, Row, lines
from benchmarks.queue.run import SYNCS, chosen
from benchmarks.queue.views import LAYOUTS, PERCENTS
from tests.support.logs import a_batch

from penstock.wire.batch import HEADER_SIZE

PACE = Figure("pace", "acks", "acks/s", Better.HIGHER)
LATE = Figure("late", "p99", "ms", Better.LOWER)


def one(row: Row, **values: float) -> list[tuple[str, bool]]:
    (line,) = lines([row], {name: {row.figure.key: [value]} for name, value in values.items()})
    return [(verdict.text, verdict.is_met) for verdict in line.verdicts]


def test_a_pace_is_held_to_a_multiple_of_the_others() -> None:
    row = Row(PACE, (Bar(PENSTOCK, 2.0, (KAFKA,)),))
    assert one(row, penstock=200, kafka=100) == [("penstock: 2.00 of kafka, ≥ 2", True)]
    assert one(row, penstock=199, kafka=100) == [("penstock: 1.99 of kafka, ≥ 2", False)]


def test_the_best_of_those_that_took_part_counts() -> None:
    row = Row(LATE, (Bar(PENSTOCK, 0.8, (KAFKA, NATS)),))
    assert one(row, penstock=8, kafka=20, nats=10) == [("penstock: 0.80 of nats, ≤ 0.8", True)]
    assert one(row, penstock=8, kafka=20) == [("penstock: 0.40 of kafka, ≤ 0.8", True)]
    assert one(row, penstock=9, kafka=10, nats=20) == [("penstock: 0.90 of kafka, ≤ 0.8", False)]


def test_nothing_is_judged_without_the_others() -> None:
    row = Row(PACE, (Bar(PENSTOCK, 2.0, (KAFKA,)), Bar(SYNCED, 1.2, (RABBITMQ,))))
    assert one(row, penstock=200) == []
    assert one(row, kafka=200, rabbitmq=10) == []


def test_its_own_value_can_be_held_to_a_limit() -> None:
    row = Row(LATE, alone={PENSTOCK: 50.0})
    assert one(row, penstock=50) == [("penstock: ≤ 50", True)]
    assert one(row, penstock=51) == [("penstock: ≤ 50", False)]
    assert one(row, kafka=51) == []


def test_a_row_without_values_has_no_line() -> None:
    assert lines([Row(PACE)], {KAFKA: {"late": [1.0]}}) == []


def test_the_best_round_counts_for_a_pace() -> None:
    (line,) = lines([Row(PACE)], {KAFKA: {"pace": [50.0, 100.0]}})
    assert (line.values[KAFKA].value, line.values[KAFKA].rounds) == (100.0, 2)


def test_the_page_says_how_each_keeps_records_and_what_was_missed() -> None:
    row = Row(PACE, (Bar(PENSTOCK, 2.0, (KAFKA,)),))
    found = lines([row], {KAFKA: {"pace": [100.0]}, PENSTOCK: {"pace": [150.0]}})
    text = list(table.markdown(found, {KAFKA: "Apache Kafka"}, SYNCS, ["busy"]))
    assert text[0] == "| | unit | Apache Kafka | penstock | bars |"
    assert text[2] == "| kept when it is answered | | page cache | page cache | |"
    assert text[3] == "| acks | acks/s | 100 | 150 | penstock: 1.50 of kafka, ≥ 2 (missed) |"
    assert text[-1] == "- busy."


def test_every_side_says_how_it_keeps_records() -> None:
    assert set(SYNCS) == set(SIDES)


@pytest.mark.parametrize("plan", [cases.quick(), cases.whole()], ids=["quick", "whole"])
def test_every_figure_of_a_plan_is_its_own(plan: cases.Plan) -> None:
    rows = [row for each in plan.loads for row in each.rows()] + [row for each in plan.programs for row in each.rows]
    keys = [row.figure.key for row in rows]
    assert len(keys) == len(set(keys))
    assert {side for load in plan.loads for side in load.sides} <= set(SIDES)


def test_part_of_a_plan_can_be_run() -> None:
    plan = chosen(cases.whole(), ["one", "schedules"])
    assert [load.key for load in plan.loads] == ["one"]
    assert [program.key for program in plan.programs] == ["schedules.1m"]
    assert chosen(cases.whole(), []) == cases.whole()


def test_a_line_that_nothing_measures_is_in_no_plan_as_measured() -> None:
    measured = {load.key for load in cases.whole().loads} | {each.key for each in cases.whole().programs}
    assert measured.isdisjoint(each.key for each in cases.MISSING)


def test_a_programs_figures_are_those_of_its_rows() -> None:
    program = cases.schedules(1_000_000, 10_000, 10)
    values = program.values({"lateness_ms_p99": 12.5, "early": 0, "rate": 10_000})
    assert values == {"schedules.1m.lateness_ms_p99": 12.5, "schedules.1m.early": 0.0}


def test_what_kafkas_tool_says_is_read() -> None:
    output = (
        "start.time, end.time, data.consumed.in.MB, MB.sec, nMsg.sec, data.consumed.in.nMsg, fetch.time.ms\n"
        "2026-11-19 04:52:00:000, 2026-11-19 04:52:02:000, 195.3, 97.7, 100000.0, 200000, 2000\n"
    )
    assert said(output) == (200_000, 2.0)


def test_a_tool_without_figures_fails_the_load() -> None:
    with pytest.raises(loadgen.LoadFailed):
        said("no broker\n")


@pytest.mark.parametrize("percent", PERCENTS)
@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.key)
def test_as_many_records_match_as_it_says(layout, percent: int) -> None:  # type: ignore[no-untyped-def]
    assert sum(layout.matches(number, percent) for number in range(100_000)) == 100_000 * percent // 100


def test_whole_batches_match_or_none_of_their_records_do() -> None:
    whole = LAYOUTS[0]
    for batch in range(300):
        assert len({whole.matches(number, 10) for number in range(batch * 100, batch * 100 + 100)}) == 1


def test_a_batch_that_was_cut_off_is_not_counted() -> None:
    _, view = a_batch(0, value_bytes=100)
    whole = bytes(view)
    assert [each.base_offset for each in headers(memoryview(whole + whole[: HEADER_SIZE + 5]))] == [0]
    assert [each.size for each in headers(memoryview(whole + whole[: HEADER_SIZE - 1]))] == [len(whole)]


def test_versions_are_those_that_were_unpacked(tmp_path: Path) -> None:
    (tmp_path / "versions").write_text("rabbitmq-server 4.3.6-1\nnats-server 2.15.1-1\n")
    assert versions(tmp_path) == {"rabbitmq-server": "4.3.6", "nats-server": "2.15.1"}
    assert versions(tmp_path / "nowhere") == {}


def test_a_peer_that_was_not_fetched_is_left_out_and_said(tmp_path: Path) -> None:
    assert set(not_to_be_had(tmp_path / "servers")) == {"nats", "rabbitmq"}


def test_a_peer_without_its_client_is_left_out(tmp_path: Path) -> None:
    for program in ("nats-server", "rabbitmq-server"):
        path = tmp_path / "servers/usr/sbin" / program
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert set(not_to_be_had(tmp_path / "servers")) == {"nats", "rabbitmq"}
    linked = tmp_path / "clients/linked"
    linked.mkdir(parents=True)
    (linked / "librabbitmq.so").touch()
    assert "nats" not in not_to_be_had(tmp_path / "servers")


def test_the_driver_knows_every_kind(tmp_path: Path) -> None:
    names = {kinds(Nats(NATS, tmp_path, tmp_path)), kinds(RabbitMq(RABBITMQ, tmp_path, tmp_path)), "share"}
    sources = (Path(cases.__file__).parent / "driver").glob("*.c")
    declared = {
        name for path in sources for name in re.findall(r'^const queue_kind_t \w+ = \{"(\w+)"', path.read_text(), re.M)
    }
    assert names == declared


def test_a_nats_server_is_told_how_to_sync(tmp_path: Path) -> None:
    broker = Nats(NATS, tmp_path, tmp_path)
    broker.prepare()
    assert "sync_interval: 2m" in (tmp_path / "nats.conf").read_text()


def test_steps_are_compared_where_both_have_them() -> None:
    found = changes({"a": 100.0, "b": 50.0, "gone": 1.0}, {"a": 101.0, "b": 49.0, "new": 1.0})
    assert found == pytest.approx({"a": 1.0, "b": -2.0})
