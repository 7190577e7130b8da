"""Values that stand in another file or in a variable."""

from pathlib import Path

import pytest

from penstock.settings import SettingsInvalid, load_settings
from penstock.settings.broker import DELEGATION_TOKEN_SECRET_KEY, NUM_PARTITIONS
from penstock.settings.references import resolve


@pytest.fixture
def secrets(tmp_path: Path) -> Path:
    file = tmp_path / "secrets.properties"
    file.write_text("token.key = hush\nother=x\n")
    return file


def test_a_property_of_a_file_a_whole_file_and_a_variable(secrets: Path) -> None:
    whole = secrets.with_name("whole")
    whole.write_text("two\nlines\n")
    assert resolve(f"${{file:{secrets}:token.key}}", {}) == "hush"
    assert resolve(f"${{file:{whole}}}", {}) == "two\nlines"
    assert resolve("a-${env:ONE}-${env:TWO}", {"ONE": "1", "TWO": "${env:ONE}"}) == "a-1-${env:ONE}"


@pytest.mark.parametrize("text", ["RULE:^CN=(.*?),.*$/$1/L,DEFAULT", "${}", "$HOME", "${HOME}", "x$"])
def test_other_dollars_stay(text: str) -> None:
    assert resolve(text, {}) == text


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ("${env:NOBODY}", "there is no such variable"),
        ("${file:/no/such/file}", "No such file"),
        ("${file:}", "cannot be read"),
        ("${file:%s:missing}", "has no missing"),
        ("${vault:secret/kafka:key}", r"only \$\{file:…\} and \$\{env:…\} are read"),
    ],
)
def test_where_there_is_nothing_to_put_in_the_broker_does_not_start(secrets: Path, reference: str, words: str) -> None:
    given = {"delegation.token.secret.key": reference.replace("%s", str(secrets))}
    with pytest.raises(SettingsInvalid, match=words):
        load_settings(overrides=given)


def test_all_settings_take_them_wherever_they_are_given(tmp_path: Path, secrets: Path) -> None:
    file = tmp_path / "broker.properties"
    file.write_text(f"delegation.token.secret.key=${{file:{secrets}:token.key}}\nnum.partitions=${{env:COUNT}}\n")
    config = load_settings(file, {"COUNT": "7"})
    assert (config[DELEGATION_TOKEN_SECRET_KEY], config[NUM_PARTITIONS]) == ("hush", 7)
    assert load_settings(overrides={"num.partitions": "${env:COUNT}"}, environment={"COUNT": "8"})[NUM_PARTITIONS] == 8
