"""What `penstock up` says before, at and after the start; the broker itself is tested elsewhere."""

import asyncio
import errno
import io
import json
import logging
import os
import signal
import sys
import threading
from pathlib import Path

import pytest
import structlog
from tests.support.logs import StillClock

from penstock.cli import logging as cli_logging
from penstock.cli.exits import ExitCode
from penstock.cli.program import run
from penstock.cli.serving import Stopping, banner_text, start_failure
from penstock.log import FilePool, LogFolder
from penstock.settings import Config, Listener


def test_the_banner_says_where_it_listens_and_three_things_to_try() -> None:
    text = banner_text(
        {"listeners": {"PLAINTEXT": "127.0.0.1:9092"}, "http": "127.0.0.1:8080", "pid": 1}, Path("/data")
    )
    assert text.splitlines() == [
        "Penstock listens on 127.0.0.1:9092",
        "  data     /data",
        "  metrics  http://127.0.0.1:8080/metrics",
        "  web      off",
        "Try, in another terminal:",
        "  echo hello | penstock produce greetings",
        "  penstock consume greetings",
        "  penstock topic describe greetings",
    ]


def test_on_another_port_the_things_to_try_name_it() -> None:
    text = banner_text({"listeners": {"PLAINTEXT": "127.0.0.1:19092", "HOST": "h:1"}, "http": None}, Path("/data"))
    assert "Penstock listens on 127.0.0.1:19092, h:1 (HOST)" in text
    assert "penstock consume greetings -b 127.0.0.1:19092" in text
    assert "metrics  off" in text


def test_on_every_interface_the_banner_says_which_address_clients_are_told() -> None:
    text = banner_text(
        {"listeners": {"PLAINTEXT": "queue.example.com:9092"}, "http": None},
        Path("/data"),
        bound=[Listener("PLAINTEXT", "0.0.0.0", 9092)],
    )
    assert text.splitlines()[0] == "Penstock listens on every interface and tells clients queue.example.com:9092"


@pytest.mark.parametrize(
    ("port", "told", "said"),
    [
        (9092, "queue.example.com:19092", "127.0.0.1:9092 and tells clients queue.example.com:19092"),
        (9092, "127.0.0.1:9092", "127.0.0.1:9092"),
        (0, "127.0.0.1:41234", "127.0.0.1:41234"),
    ],
)
def test_an_address_that_clients_are_told_is_not_taken_for_the_one_listened_on(port: int, told: str, said: str) -> None:
    bound = [Listener("PLAINTEXT", "127.0.0.1", port)]
    text = banner_text({"listeners": {"PLAINTEXT": told}, "http": None}, Path("/data"), bound=bound)
    assert text.splitlines()[0] == f"Penstock listens on {said}"


def test_of_several_addresses_the_one_to_try_is_near() -> None:
    told = {"INTERNAL": "penstock:29092", "HOST": "localhost:9092"}
    text = banner_text({"listeners": told, "http": None}, Path("/data"))
    assert "penstock consume greetings -b localhost:9092" in text


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--set", "num.partitons=3"], "did you mean num.partitions?"),
        (["--set", "num.partitions=x"], "not a whole number"),
        (["--set", "listeners=SSL://127.0.0.1:1"], "which takes a certificate: set ssl.keystore.location"),
    ],
)
def test_settings_that_cannot_be_used_are_told_with_advice(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["up", *arguments]) == ExitCode.FAILED
    err = capsys.readouterr().err
    assert "the settings cannot be used" in err and complaint in err and "penstock settings explain" in err


@pytest.mark.parametrize(
    ("error", "advice"),
    [
        (
            OSError(errno.EADDRINUSE, "PLAINTEXT://127.0.0.1:9092: Address already in use"),
            "Another program has the port",
        ),
        (OSError(errno.EACCES, "PLAINTEXT://127.0.0.1:80: Permission denied"), "Ports below 1024"),
        (OSError(errno.EACCES, "Permission denied", "/srv/queue/.lock"), "The data folder is"),
        (OSError(errno.ENOSPC, "No space left on device", "/srv/queue/.lock"), "The data folder is"),
        (OSError(errno.EMFILE, "Too many open files", "/srv/queue/.lock"), "This process may open"),
    ],
)
def test_what_stops_a_start_is_told_with_advice_for_it(error: OSError, advice: str) -> None:
    failure = start_failure(error, Config.for_broker({"log.dirs": "/srv/queue"}))
    assert failure.hint is not None and failure.hint.startswith(advice)


def test_a_folder_that_another_broker_uses_is_told_with_advice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = LogFolder(tmp_path, cluster_id="c", node_id=1, pool=FilePool(4), clock=StillClock())
    try:
        assert run(["up", "--data", str(tmp_path), "--port", "0", "--no-http"]) == ExitCode.FAILED
    finally:
        folder.close()
    err = capsys.readouterr().err
    assert f"{tmp_path} is in use by another broker" in err and "another folder with --data" in err


@pytest.mark.parametrize(
    "arguments",
    [
        ["--set", "nonsense"],
        ["--port", "99999"],
        ["--port", "9092", "--set", "listeners=PLAINTEXT://127.0.0.1:1"],
        ["--data", "x", "--set", "log.dirs=y"],
        ["--no-http", "--http-port", "8080"],
    ],
)
def test_options_that_contradict_are_a_usage_error(arguments: list[str]) -> None:
    assert run(["up", *arguments]) == ExitCode.USAGE


def test_json_logs_are_an_object_a_line_with_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    cli_logging.configure_logging(form="json", level="info")
    structlog.get_logger().info("topic created", topic="orders", folder=Path("/data"))
    structlog.get_logger().debug("not at this level")
    logging.getLogger("asyncio").warning("slow %s", "callback")
    first, second = (json.loads(line) for line in stream.getvalue().splitlines())
    assert (first["event"], first["topic"], first["folder"], first["level"]) == (
        "topic created",
        "orders",
        "/data",
        "info",
    )
    assert (second["event"], second["logger"]) == ("slow callback", "asyncio")


def test_every_line_names_the_node_that_wrote_it_whatever_broker_it_is_about(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    cli_logging.configure_logging(form="json", level="info", node=10)
    structlog.get_logger().warning("broker lost", broker=11)
    thread = threading.Thread(target=lambda: structlog.get_logger().info("log opened"))
    thread.start()
    thread.join()
    logging.getLogger("asyncio").warning("slow callback")
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [(line["event"], line["node"]) for line in lines] == [
        ("broker lost", 10),
        ("log opened", 10),
        ("slow callback", 10),
    ]
    assert lines[0]["broker"] == 11


def test_a_line_is_written_in_one_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else those of several brokers that share a stream run into each other, where Python does not buffer it."""
    written: list[str] = []
    stream = io.StringIO()
    monkeypatch.setattr(stream, "write", written.append)
    monkeypatch.setattr(sys, "stderr", stream)
    cli_logging.configure_logging(form="json", level="info")
    structlog.get_logger().info("stopping")
    (line,) = written
    assert line.endswith("}\n")


def test_text_logs_are_lines_for_people(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    cli_logging.configure_logging(form="text", level="warning")
    structlog.get_logger().warning("disk full", folder="/data")
    structlog.get_logger().info("not at this level")
    (line,) = stream.getvalue().splitlines()
    assert "disk full" in line and "folder=/data" in line


async def test_the_first_signal_stops_and_a_second_ctrl_c_does_not_wait(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    left_with: list[int] = []
    monkeypatch.setattr(os, "_exit", left_with.append)
    running: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    stopping = Stopping()
    stopping.on_signal(signal.SIGINT, running)
    assert running.cancelled() and stopping.asked and left_with == []
    stopping.on_signal(signal.SIGTERM, running)
    assert left_with == []
    stopping.on_signal(signal.SIGINT, running)
    assert left_with == [ExitCode.INTERRUPTED] and "without a clean stop" in capsys.readouterr().err


@pytest.mark.parametrize(("number", "is_told"), [(signal.SIGINT, True), (signal.SIGTERM, False)])
async def test_ctrl_c_at_a_terminal_is_told_what_another_does(
    monkeypatch: pytest.MonkeyPatch, number: signal.Signals, is_told: bool
) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", stream)
    Stopping().on_signal(number, asyncio.get_running_loop().create_future())
    assert ("Ctrl-C again does not wait" in stream.getvalue()) is is_told
