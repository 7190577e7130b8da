"""The command line's frame: exit codes, help without imports, errors for people."""

import errno
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from penstock.cli.client import Cluster
from penstock.cli.exits import ExitCode, NotFound
from penstock.cli.librdkafka import KafkaError, error_text
from penstock.cli.program import program, run
from penstock.cli.properties import key_values, read_properties
from penstock.model.words import did_you_mean

NOTHING_LISTENS = "127.0.0.1:1"


@pytest.mark.parametrize(("arguments", "code"), [([], ExitCode.USAGE), (["--help"], ExitCode.OK)])
def test_no_arguments_show_the_help_and_so_does_asking_for_it(
    arguments: list[str], code: ExitCode, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == code
    captured = capsys.readouterr()
    shown, other = (captured.out, captured.err) if code is ExitCode.OK else (captured.err, captured.out)
    assert "penstock [OPTIONS] COMMAND" in shown and "130  interrupted" in shown and other == ""


def test_an_unknown_command_is_a_usage_error_with_a_guess(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["consum"]) == ExitCode.USAGE
    assert "Did you mean consume?" in capsys.readouterr().err


@pytest.mark.parametrize("name", list(program.list_commands(click.Context(program))))
def test_every_command_exists_and_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([name, "--help"]) == ExitCode.OK
    assert f"Usage: penstock {name}" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["create", "list", "describe", "alter", "add-partitions", "delete"])
def test_every_topic_command_exists_and_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["topic", name, "--help"]) == ExitCode.OK
    assert f"Usage: penstock topic {name}" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["up", "produce", "consume", "topic create", "topic alter"])
def test_examples_in_help_keep_their_lines(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*name.split(), "-h"]) == ExitCode.OK
    text = capsys.readouterr().out
    assert "\b" not in text and "\\b" not in text
    assert any(line.strip().startswith("penstock ") for line in text.splitlines()[2:])


def leaves(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        yield " ".join(path), command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        inner = command.get_command(context, name)
        assert inner is not None
        yield from leaves(inner, (*path, name))


def test_every_command_but_those_that_serve_can_print_json() -> None:
    without = [
        name for name, command in leaves(program) if not any("--json" in option.opts for option in command.params)
    ]
    assert without == ["up", "web"]


def test_the_page_on_the_command_line_names_every_command() -> None:
    page = (Path(__file__).parents[3] / "docs" / "operate" / "command-line.md").read_text()
    rows = dict(re.findall(r"^\| `penstock ([a-z]+)([^|]*)\|", page, flags=re.MULTILINE))
    context = click.Context(program)
    missing = []
    for name in program.list_commands(context):
        command = program.get_command(context, name)
        inner = command.list_commands(context) if isinstance(command, click.Group) else []
        if name not in rows or not set(inner) <= set(re.findall(r"[a-z-]+", rows[name])):
            missing.append(name)
    assert missing == []


def test_the_version_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == ExitCode.OK
    assert re.fullmatch(r"penstock \d+\.\d+\.\S+\n", capsys.readouterr().out)


def test_a_service_that_speaks_no_kafka_is_told_from_one_that_is_not_there() -> None:
    cluster = Cluster("127.0.0.1:8080")
    cluster.complaints.append("Receive failed: Invalid response size 1213486160")
    assert "not in Kafka's protocol" in (cluster.unreachable().hint or "")


def test_an_error_has_the_name_that_kafka_documents() -> None:
    refused = KafkaError(KafkaError.TOPIC_EXCEPTION, "Broker: no such name")
    assert error_text(refused) == "no such name (INVALID_TOPIC_EXCEPTION)"
    own = KafkaError(KafkaError._TIMED_OUT, "Local: Timed out")
    assert error_text(own) == "Timed out (_TIMED_OUT)"


def test_a_cluster_that_refuses_connections_is_exit_code_3_and_advice(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["topic", "list", "--bootstrap", NOTHING_LISTENS]) == ExitCode.UNREACHABLE
    err = capsys.readouterr().err
    assert "cannot reach a Kafka cluster at 127.0.0.1:1" in err
    assert "Connection refused" in err and "penstock up" in err


def test_properties_the_client_library_does_not_know_are_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["topic", "list", "-b", NOTHING_LISTENS, "--config", "no.such=1"]) == ExitCode.USAGE
    assert 'No such configuration property: "no.such"' in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["topic", "create", "t", "-s", "novalue", "-b", NOTHING_LISTENS],
        ["topic", "alter", "t", "-b", NOTHING_LISTENS],
        ["topic", "alter", "t", "-s", "a=1", "-u", "a", "-b", NOTHING_LISTENS],
        ["topic", "add-partitions", "t", "-b", NOTHING_LISTENS],
        ["produce", "t", "--format", "json", "-K", ":", "-b", NOTHING_LISTENS],
        ["produce", "t", "-k", "a", "-K", ":", "-b", NOTHING_LISTENS],
        ["consume", "t", "--last", "1", "--offset", "2", "-b", NOTHING_LISTENS],
        ["consume", "t", "--from-time", "whenever", "-b", NOTHING_LISTENS],
        ["consume", "t", "--template", "{nope}", "-b", NOTHING_LISTENS],
        ["consume", "t", "--template", "{key}", "--json", "-b", NOTHING_LISTENS],
        ["consume", "t", "--template", "{key}", "--keys", "-b", NOTHING_LISTENS],
        ["consume", "t", "--format", "raw", "--keys", "-b", NOTHING_LISTENS],
        ["consume", "t", "--template", "{value", "-b", NOTHING_LISTENS],
        ["topic", "list", "-b", "127.0.0.1:99999"],
        ["topic", "list", "-b", "127.0.0.1:9092,127.0.0.1:0"],
        ["txn", "list", "-b", ","],
        ["txn", "list", "-b", "127.0.0.1:nine"],
        ["topic", "list", "-X", "bootstrap.servers=:9092"],
        ["cluster", "drain", "1", "--save", "/no/such/folder/plan.json", "-b", NOTHING_LISTENS],
        ["pipeline", "run", "audit", "topic:a", "topic:b", "--page", "/no/such/folder/a.html", "-b", NOTHING_LISTENS],
    ],
)
def test_nonsense_is_a_usage_error_before_any_connection(arguments: list[str]) -> None:
    assert run(arguments) == ExitCode.USAGE


def test_an_internal_error_is_one_line_not_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def explode(_self: Cluster) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(Cluster, "client", explode)
    assert run(["topic", "list"]) == ExitCode.FAILED
    err = capsys.readouterr().err
    assert "ZeroDivisionError: oops" in err and "Traceback" not in err


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (
            FileNotFoundError(errno.ENOENT, "No such file or directory", "/a/b"),
            "error: /a/b: No such file or directory",
        ),
        (OSError(errno.ENOSPC, "No space left on device"), "error: No space left on device"),
    ],
)
def test_a_file_that_cannot_be_written_is_called_no_bug(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: OSError, told: str
) -> None:
    def fail(_self: Cluster) -> None:
        raise error

    monkeypatch.setattr(Cluster, "client", fail)
    assert run(["topic", "list"]) == ExitCode.FAILED
    assert capsys.readouterr().err.strip() == told


def test_ctrl_c_is_exit_code_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_self: Cluster) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Cluster, "client", interrupt)
    assert run(["topic", "list"]) == ExitCode.INTERRUPTED


def test_failures_carry_their_exit_codes() -> None:
    assert NotFound("gone").exit_code == 4


def test_guesses_are_made_only_when_near() -> None:
    assert (
        did_you_mean("retention.mss", ["retention.ms", "segment.bytes"], sentence=True) == " Did you mean retention.ms?"
    )
    assert did_you_mean("xyz", ["retention.ms"]) == ""


def test_key_values_keep_equal_signs_in_values() -> None:
    assert key_values(("a=b=c",), option="-X") == {"a": "b=c"}


def test_a_properties_file_may_have_comments(tmp_path: Path) -> None:
    path = tmp_path / "client.properties"
    path.write_text("# who\nsecurity.protocol = SSL\n\n! else\nssl.ca.location=/ca.pem\n")
    assert read_properties(path) == {"security.protocol": "SSL", "ssl.ca.location": "/ca.pem"}


@pytest.mark.parametrize("arguments", [["--help"], ["up", "--help"]])
def test_client_libraries_load_only_for_commands_that_need_them(arguments: list[str]) -> None:
    code = (
        "import sys; from penstock.cli.program import run; run(sys.argv[1:]); "
        "sys.exit(str([name for name in ('confluent_kafka', 'rich') if name in sys.modules]))"
    )
    outcome = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
    assert outcome.stderr.strip() == "[]"


@pytest.mark.parametrize("command", ["topic.list", "topic.create", "group.lag", "cluster.describe", "txn.list"])
def test_a_command_that_administers_loads_neither_librdkafka_nor_an_event_loop(command: str) -> None:
    code = f"import sys, penstock.cli.{command}; print(sorted({{'confluent_kafka', 'asyncio'}} & set(sys.modules)))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout == "[]\n"
