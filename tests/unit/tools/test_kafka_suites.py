"""What the runner of Kafka's own tests decides without a JVM: settings passed on, and how outcomes are shown."""

import json
from pathlib import Path

from tools.kafka_suites.classes import CLASSES, full_name
from tools.kafka_suites.left_out import LEFT_OUT
from tools.kafka_suites.outcome import ClassOutcome, Outcome, read, table
from tools.kafka_suites.stage import known


def a_test(outcome: str, reason: str = "", *, name: str = "testIt [1]") -> Outcome:
    return Outcome(name, outcome, reason, 1.0, "")


def test_settings_that_penstock_has_are_passed_on_and_the_others_are_named() -> None:
    taken, ignored = known({"num.partitions": "4", "share.coordinator.threads": "2", "node.id": "3000"})
    assert taken == {"num.partitions": "4"}
    assert ignored == {"share.coordinator.threads"}  # ids, listeners and folders are the runner's own


def test_a_class_is_found_by_its_simple_name_and_by_its_full_one() -> None:
    full = "org.apache.kafka.clients.ClientRebootstrapTest#testAdminRebootstrap"
    assert full_name("ClientRebootstrapTest#testAdminRebootstrap") == full_name(full) == full
    assert full_name("kafka.api.SomeTest") == "kafka.api.SomeTest"


def test_only_classes_that_are_run_are_left_out() -> None:
    assert {name.partition("#")[0] for name in LEFT_OUT} <= {name.rpartition(".")[2] for name in CLASSES}


def test_the_table_counts_and_gives_each_reason_once() -> None:
    tests = [a_test("passed"), a_test("skipped", "not built"), a_test("skipped", "not built"), a_test("failed", "no")]
    lines = table([ClassOutcome("OneTest", tests, cut_off=False), ClassOutcome("TwoTest", [], cut_off=True)]).split(
        "\n"
    )
    assert lines[2] == "| OneTest | 1 | 1 | 0 | 2 | 2 × not built |"
    assert lines[3] == "| TwoTest (cut off) | 0 | 0 | 0 | 0 |  |"
    assert lines[4] == "| all | 1 | 1 | 0 | 2 | |"


def test_a_class_that_was_cut_off_is_not_good_even_if_nothing_failed() -> None:
    assert ClassOutcome("OneTest", [a_test("passed")], cut_off=False).is_good
    assert not ClassOutcome("OneTest", [a_test("passed")], cut_off=True).is_good
    assert not ClassOutcome("OneTest", [a_test("failed")], cut_off=False).is_good


def test_a_class_that_ran_no_test_is_not_good() -> None:
    assert not ClassOutcome("OneTest", [], cut_off=False).is_good


def test_outcomes_are_read_line_by_line(tmp_path: Path) -> None:
    file = tmp_path / "tests.jsonl"
    assert read(file) == []
    file.write_text(json.dumps(a_test("skipped", "not built")._asdict()) + "\n")
    assert read(file) == [a_test("skipped", "not built")]


def test_a_test_that_passes_alone_is_flaky_and_one_that_does_not_has_failed() -> None:
    first = ClassOutcome("OneTest", [a_test("failed"), a_test("failed", name="testOther(String)[1]")], cut_off=False)
    assert first.failed_methods == ["testIt", "testOther"]
    again = [ClassOutcome("OneTest#testIt", [a_test("passed")], cut_off=False)]
    outcome = first.after(again)
    assert [test.outcome for test in outcome.tests] == ["flaky", "failed"]
    assert not outcome.is_good
