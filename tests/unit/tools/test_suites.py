"""The slow suites' second run, with real runs of pytest over tests that fail as often as they are told to."""

from pathlib import Path

import pytest
from tools.suites import main

SUITE = """
import pathlib
import pytest

@pytest.mark.parametrize(("name", "failures"), {cases})
def test_it(name, failures):
    runs = pathlib.Path({folder!r}) / name
    runs.write_text((runs.read_text() if runs.exists() else "") + ".")
    assert len(runs.read_text()) > failures
"""


class Suite:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def run(self, *cases: tuple[str, int]) -> int:
        """Runs one test a case: its name, and how often it fails before it passes."""
        file = self._folder / "test_few.py"
        file.write_text(SUITE.format(cases=list(cases), folder=str(self._folder)))
        return main(["few"], suites={"few": (str(file),)}, caches=self._folder / "caches")

    def runs(self, name: str) -> int:
        return len((self._folder / name).read_text())


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Suite:
    monkeypatch.chdir(tmp_path)
    return Suite(tmp_path)


def test_tests_that_pass_run_once(suite: Suite, capfd: pytest.CaptureFixture[str]) -> None:
    assert suite.run(("a", 0), ("b", 0)) == 0
    assert (suite.runs("a"), suite.runs("b")) == (1, 1)
    assert "FLAKY" not in capfd.readouterr().out


def test_a_test_that_passes_the_second_time_is_named_last(suite: Suite, capfd: pytest.CaptureFixture[str]) -> None:
    assert suite.run(("sound", 0), ("flaky", 1)) == 0
    assert (suite.runs("sound"), suite.runs("flaky")) == (1, 2)
    last = capfd.readouterr().out.splitlines()[-1]
    assert last.startswith("FLAKY ") and last.endswith("test_it[flaky-1]")


def test_a_test_that_fails_twice_fails_the_run(suite: Suite, capfd: pytest.CaptureFixture[str]) -> None:
    assert suite.run(("flaky", 1), ("broken", 9)) == 1
    assert suite.runs("broken") == 2
    assert [line.split(" test_")[0] for line in capfd.readouterr().out.splitlines()[-2:]] == ["FAILED TWICE", "FLAKY"]


def test_more_than_three_failures_are_not_run_again(suite: Suite) -> None:
    assert suite.run(("a", 1), ("b", 1), ("c", 1), ("d", 1)) == 1
    assert suite.runs("a") == 1


def test_a_suite_that_cannot_be_collected_fails_the_run(suite: Suite, tmp_path: Path) -> None:
    broken = tmp_path / "test_broken.py"
    broken.write_text("import nothing_of_this_name\n")
    assert main(["broken"], suites={"broken": (str(broken),)}, caches=tmp_path / "caches") != 0
