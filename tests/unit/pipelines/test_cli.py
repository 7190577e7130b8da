"""`penstock pipeline setup` and `init` as people meet them: words instead of tracebacks, JSON for programs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from penstock.cli.pipeline import setup as setup_command
from penstock.cli.program import run
from penstock.pipelines.jars import FOLDER_VARIABLE, LOCKED
from penstock.pipelines.java import Java


@pytest.fixture
def java(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unit tests run where there is no Java, too."""
    monkeypatch.setattr(setup_command, "find_java", lambda: Java(Path("/opt/java"), 17))


def test_the_pipeline_commands_start_without_spark() -> None:
    program = "import sys; from penstock.cli.program import run; run(['pipeline', 'setup', '--help']); "
    program += "assert not {'pyspark', 'pyarrow', 'pandas'} & set(sys.modules), sorted(sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "Fetch the jars" in done.stdout, done.stderr


@pytest.mark.parametrize("missing", ["pyspark", "py4j"])
def test_a_job_where_spark_is_not_installed_says_what_to_install(missing: str) -> None:
    arguments = ["pipeline", "run", "lake", "orders", "--table", "shop.orders", "--dry-run", "-b", "127.0.0.1:1"]
    program = f"import sys; sys.modules[{missing!r}] = None; from penstock.cli.program import run; "
    program += f"sys.exit(run({arguments!r}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and f"there is no {missing}" in done.stderr, done.stderr
    assert f"{sys.executable} -m pip install 'penstock-mq[spark]'" in done.stderr and "bug" not in done.stderr


def test_no_java_is_said_with_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    assert run(["pipeline", "setup", "--folder", str(tmp_path / "jars")]) == 1
    said = capsys.readouterr().err
    assert "Spark needs Java 17" in said and "apt-get install" in said


@pytest.mark.usefixtures("java")
def test_a_repository_that_lacks_a_jar_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, repository = str(tmp_path / "jars"), (tmp_path / "empty").as_uri()
    assert run(["pipeline", "setup", "--folder", folder, "--repository", repository]) == 1
    said = capsys.readouterr().err
    assert "fetching org.apache.spark:spark-sql-kafka" in said and "could not fetch file://" in said


@pytest.mark.usefixtures("java")
def test_setup_has_nothing_to_do_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("penstock.pipelines.jars.missing", lambda *_: [])
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    assert run(["pipeline", "setup", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["fetched"] == 0 and told["folder"] == str(tmp_path) and len(told["jars"]) == len(LOCKED)


def test_a_project_without_jars_says_what_to_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "none"))
    assert run(["pipeline", "init", str(tmp_path / "shop")]) == 1
    assert "penstock pipeline setup" in capsys.readouterr().err and not (tmp_path / "shop").exists()
