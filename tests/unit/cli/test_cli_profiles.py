"""Profiles: which one counts, what their files hold and who may read them."""

import io
import json
import stat
import sys
from datetime import UTC, datetime
from pathlib import Path

import click
import pytest

from penstock.cli import profiles
from penstock.cli.client import Cluster, client_options
from penstock.cli.exits import ExitCode
from penstock.cli.program import run
from penstock.cli.properties import read_properties, write_properties
from penstock.transport.certificates import make_authority

PASSWORD = "s3cret=with,signs"
NAMES = ("prod", "my cluster", "a=b,c", "Zürich-1", "日本", "x.properties")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in (profiles.VARIABLE, "PENSTOCK_BOOTSTRAP"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def add(name: str, *more: str, address: str = "one:9092") -> None:
    assert run(["profile", "add", name, "--bootstrap", address, *more]) == ExitCode.OK


def add_with_password(monkeypatch: pytest.MonkeyPatch, name: str, *more: str) -> int:
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{PASSWORD}\n"))
    return run(["profile", "add", name, "--bootstrap", "one:9093", "--user", "alice", "--password-file", "-", *more])


def reached(*arguments: str) -> tuple[str, dict[str, str]]:
    """Where a command with these options goes, and with what."""
    found: list[Cluster] = []

    @click.command()
    @client_options
    def command(cluster: Cluster) -> None:
        found.append(cluster)

    command.main(list(arguments), standalone_mode=False)
    return found[0].bootstrap, found[0].properties


def test_nothing_said_is_this_machine() -> None:
    assert reached() == ("127.0.0.1:9092", {})


def test_what_is_typed_wins_over_a_profile_and_that_over_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    add("one", "-X", "client.id=me")
    add("two", address="two:9092")
    mine = {"client.id": "me"}
    assert reached("--profile", "one") == ("one:9092", mine)
    monkeypatch.setenv("PENSTOCK_BOOTSTRAP", "other:9092")
    assert reached() == ("other:9092", {})
    assert reached("--profile", "one") == ("one:9092", mine)  # its password is for its cluster alone
    assert reached("--profile", "one", "-b", "near:9092") == ("near:9092", mine)
    assert reached("--profile", "one", "-X", "client.id=you")[1] == {"client.id": "you"}
    monkeypatch.setenv(profiles.VARIABLE, "two")
    assert reached() == ("two:9092", {})
    assert reached("--profile", "one")[0] == "one:9092"


def test_the_profile_that_is_used_counts_only_where_nothing_else_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    add("one", "-X", "client.id=me", "--use")
    assert reached() == ("one:9092", {"client.id": "me"})
    assert reached("-b", "other:9092") == ("other:9092", {})
    assert reached("-X", "bootstrap.servers=other:9092") == ("other:9092", {})
    monkeypatch.setenv("PENSTOCK_BOOTSTRAP", "other:9092")
    assert reached() == ("other:9092", {})


def test_another_is_chosen_or_none(capsys: pytest.CaptureFixture[str]) -> None:
    add("one", "--use")
    add("two", address="two:9092")
    assert run(["profile", "use", "two"]) == ExitCode.OK and reached()[0] == "two:9092"
    assert run(["profile", "use", "three"]) == ExitCode.NOT_FOUND
    assert run(["profile", "use", "--none"]) == ExitCode.OK and reached()[0] == "127.0.0.1:9092"
    assert run(["profile", "show"]) == ExitCode.NOT_FOUND
    assert "no profile is used" in capsys.readouterr().err


def test_a_profile_may_be_a_path_whose_files_lie_beside_it(home: Path) -> None:
    write_properties(
        home / "admin.properties",
        {"bootstrap.servers": "one:9093", "security.protocol": "ssl", "ssl.ca.location": "ca.pem"},
        comment="mine",
    )  # fmt: skip
    expected = ("one:9093", {"security.protocol": "ssl", "ssl.ca.location": str(home / "ca.pem")})
    assert reached("--profile", str(home / "admin")) == expected
    assert reached("--profile", str(home / "admin.properties")) == expected


def test_a_profile_that_is_not_there_is_exit_code_4_with_a_guess(capsys: pytest.CaptureFixture[str]) -> None:
    add("prod")
    assert run(["topic", "list", "--profile", "prot"]) == ExitCode.NOT_FOUND
    assert "Did you mean prod?" in capsys.readouterr().err
    assert run(["topic", "list", "--profile", "/no/such/file"]) == ExitCode.NOT_FOUND


@pytest.mark.parametrize("name", NAMES)
def test_names_of_all_kinds(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    add(name)
    assert run(["profile", "use", name]) == ExitCode.OK and reached()[0] == "one:9092"
    capsys.readouterr()
    assert run(["profile", "list", "--json"]) == ExitCode.OK
    assert [(row["profile"], row["current"]) for row in json.loads(capsys.readouterr().out)] == [(name, True)]
    assert run(["profile", "remove", name]) == ExitCode.OK
    assert profiles.names() == [] and profiles.current() is None


@pytest.mark.parametrize("name", ["", "a/b", "../up", ".hidden", "-x", "a\nb", " a", "a\0", "ü" * 101])
def test_names_that_no_file_can_have(name: str) -> None:
    assert run(["profile", "add", "-b", "one:9092", "--", name]) == ExitCode.USAGE


def test_a_password_is_read_and_never_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert add_with_password(monkeypatch, "prod") == ExitCode.OK
    path = profiles.path_of("prod")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert read_properties(path) == {
        "bootstrap.servers": "one:9093",
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.username": "alice",
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.password": PASSWORD,
    }
    assert run(["profile", "show", "prod"]) == run(["profile", "show", "prod", "--json"]) == ExitCode.OK
    assert run(["profile", "list"]) == ExitCode.OK
    shown = capsys.readouterr()
    assert "alice" in shown.out and PASSWORD not in shown.out + shown.err


def test_an_authority_turns_tls_on(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    authority = home / "ca.pem"
    authority.write_bytes(make_authority("test", now=datetime.now(UTC)).certificate)
    assert add_with_password(monkeypatch, "prod", "--ca", str(authority)) == ExitCode.OK
    found = reached("--profile", "prod")[1]
    assert (found["security.protocol"], found["ssl.ca.location"]) == ("SASL_SSL", str(authority))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-X", "sasl.password=x"], "--user, which asks"),
        (["-X", "ssl.key.password=x"], "--config-file"),
        (["--mechanism", "PLAIN"], "--user"),
        (["-X", "no.such=1"], "no.such"),
        (["-X", "security.protocol=NONE"], "security.protocol"),
    ],
)
def test_what_a_profile_cannot_be(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["profile", "add", "prod", "-b", "one:9092", *arguments]) == ExitCode.USAGE
    assert said in capsys.readouterr().err and profiles.names() == []


def test_a_profile_is_not_replaced_unasked() -> None:
    add("prod")
    assert run(["profile", "add", "prod", "-b", "two:9092"]) == ExitCode.FAILED
    assert reached("--profile", "prod")[0] == "one:9092"
    assert run(["profile", "add", "prod", "-b", "two:9092", "--replace"]) == ExitCode.OK
    assert reached("--profile", "prod")[0] == "two:9092"


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o602])
def test_a_password_that_others_may_read_is_not_used(
    mode: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert add_with_password(monkeypatch, "prod") == ExitCode.OK
    profiles.path_of("prod").chmod(mode)
    assert run(["topic", "list", "--profile", "prod"]) == ExitCode.FAILED
    err = capsys.readouterr().err
    assert f"mode {mode:03o}" in err and "chmod 600" in err and PASSWORD not in err
    assert run(["profile", "list"]) == ExitCode.OK
    assert "others on this machine may read it" in capsys.readouterr().out


def test_a_file_without_a_secret_may_be_read_by_all() -> None:
    add("prod")
    profiles.path_of("prod").chmod(0o644)
    assert reached("--profile", "prod") == ("one:9092", {})


def test_a_line_that_is_none_is_named_by_its_number_and_not_shown(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "p.properties").write_text(f"bootstrap.servers=one:9092\n{PASSWORD.replace('=', ' ')}\n")
    assert run(["topic", "list", "--profile", str(home / "p")]) == ExitCode.USAGE
    err = capsys.readouterr().err
    assert "p.properties:2" in err and PASSWORD.replace("=", " ") not in err


@pytest.mark.parametrize("value", ["two\nlines", "two\rlines", " before", "after ", "two\u2028lines"])
def test_what_a_line_cannot_hold_is_refused(value: str, home: Path) -> None:
    with pytest.raises(click.UsageError, match="line ends"):
        write_properties(home / "x", {"sasl.password": value}, comment="mine")
    assert not list(home.glob("*x*"))
