"""`penstock init --secure` and `penstock cert renew`: what they tell, and what they refuse."""

import io
import json
import sys
from pathlib import Path

import pytest

from penstock.cli import profiles
from penstock.cli.exits import ExitCode
from penstock.cli.program import run
from penstock.settings import load_settings
from penstock.settings.listeners import advertised_endpoints, listeners


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_everything_is_made_and_told(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["init", "--secure", "--dir", "d"]) == ExitCode.OK
    told = capsys.readouterr().out
    there = {path.name for path in (here / "d").iterdir()}
    assert all(f"  {name} " in told for name in there)
    assert "penstock up --config d/penstock.properties" in told and "--profile d/admin" in told
    password = json.loads((here / "d" / "admin.confluent.json").read_text())["sasl.password"]
    assert password not in told
    config = load_settings(here / "d" / "penstock.properties")
    assert [str(each) for each in listeners(config)] == ["SASL_SSL://127.0.0.1:9092", "SSL://127.0.0.1:9093"]
    assert profiles.read(profiles.find("d/admin"))["bootstrap.servers"] == "127.0.0.1:9092"


def test_other_hosts_are_told_to_clients(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hosts = ("--host", "kafka.example.com", "--host", "192.0.2.7")
    assert run(["init", "--secure", *hosts, "--port", "1234", "--json"]) == ExitCode.OK
    told = json.loads(capsys.readouterr().out)
    assert told["bootstrap"] == "kafka.example.com:1234" and told["folder"] == str(here / "penstock-secure")
    config = load_settings(here / "penstock-secure" / "penstock.properties")
    assert [str(each) for each in listeners(config)] == ["SASL_SSL://0.0.0.0:1234", "SSL://0.0.0.0:1235"]
    assert advertised_endpoints(config)["SSL"] == ("kafka.example.com", 1235)
    assert run(["cert", "show", "penstock-secure/broker.pem"]) == ExitCode.OK
    assert "kafka.example.com, 192.0.2.7, localhost" in capsys.readouterr().out


def test_a_password_of_ones_own_comes_from_a_file_or_standard_input(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("mine and mine\n"))
    assert run(["init", "--secure", "--password-file", "-"]) == ExitCode.OK
    assert profiles.read(here / "penstock-secure" / "admin.properties")["sasl.password"] == "mine and mine"


def test_a_second_time_nothing_is_overwritten(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["init", "--secure"]) == ExitCode.OK
    before = (here / "penstock-secure" / "ca.key").read_bytes()
    assert run(["init", "--secure"]) == ExitCode.FAILED
    assert "nothing in it is overwritten" in capsys.readouterr().err
    assert (here / "penstock-secure" / "ca.key").read_bytes() == before
    (here / "other").mkdir()
    (here / "other" / "notes").write_text("mine")
    assert run(["init", "--secure", "--dir", "other"]) == ExitCode.FAILED
    assert "other is not empty" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--secure", "--host", "0.0.0.0"],
        ["--secure", "--host", "::"],
        ["--secure", "--host", "two words"],
        ["--secure", "--host", "host:9092"],
        ["--secure", "--host", ""],
        ["--secure", "--dir", "a,b"],
        ["--secure", "--port", "65535"],
    ],
)
def test_nonsense_makes_nothing(arguments: list[str], here: Path) -> None:
    assert run(["init", *arguments]) == ExitCode.USAGE
    assert list(here.iterdir()) == []


def test_certificates_are_renewed_step_by_step(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["init", "--secure", "--dir", "d"]) == ExitCode.OK
    old = (here / "d" / "ca.pem").read_bytes()
    capsys.readouterr()
    for arguments, changed in (
        ([], "broker.pem, admin.pem"),
        (["--new-authority"], "ca.pem, ca.key"),
        (["--host", "other.example.com"], "broker.pem, admin.pem"),
        (["--only-newest"], "ca.pem"),
    ):
        assert run(["cert", "renew", "d", *arguments]) == ExitCode.OK
        assert capsys.readouterr().out == f"made anew: {changed}\n"
    assert run(["cert", "renew", "d", "--only-newest", "--json"]) == ExitCode.OK
    assert json.loads(capsys.readouterr().out)["changed"] == []
    assert old not in (here / "d" / "ca.pem").read_bytes()


def test_what_cannot_be_renewed(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["cert", "renew", "nowhere"]) == ExitCode.NOT_FOUND
    assert run(["init", "--secure", "--dir", "d"]) == ExitCode.OK
    assert run(["cert", "renew", "d", "--new-authority", "--host", "h"]) == ExitCode.USAGE
    assert run(["cert", "renew", "d", "--new-authority"]) == ExitCode.OK
    assert run(["cert", "renew", "d", "--only-newest"]) == ExitCode.FAILED
    assert "anew first" in capsys.readouterr().err
    (here / "d" / "ca.key").write_text("nonsense")
    assert run(["cert", "renew", "d"]) == ExitCode.FAILED
