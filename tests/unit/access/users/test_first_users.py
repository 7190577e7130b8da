"""Who can log in before anybody has."""

from pathlib import Path

import pytest

from penstock.access.sasl.keys import HASHES
from penstock.access.sealing import SealingKeys
from penstock.access.users.accounts import Users
from penstock.access.users.first import add_first_users, first_user_lines, read_first_users
from penstock.cluster import Entry
from penstock.errors import Fatal
from penstock.metastore import Revision

SEALING = SealingKeys(bytes(32))


def a_file(folder: Path, text: str) -> Path:
    path = folder / "first"
    path.touch(0o600)
    path.write_text(text)
    return path


def test_they_are_added_with_their_keys_and_groups(tmp_path: Path) -> None:
    path = a_file(tmp_path, first_user_lines("a=b,ü", "pencil", groups=["ops"]))
    assert "pencil" not in path.read_text()
    change = add_first_users(read_first_users(path), SEALING)({})
    assert change.reply == ["a=b,ü"]
    entries = {name: Entry(value, Revision(1)) for name, value in change.puts.items()}
    users = Users(lambda: entries, lambda: SEALING)
    for mechanism in HASHES:
        account = users.account("a=b,ü", mechanism)
        assert account.is_known and account.keys.fits(b"pencil") and account.groups == ("ops",)
    assert users.account_for_password("a=b,ü").keys.mechanism == "SCRAM-SHA-512"
    assert users.unopened() is None
    assert "sealed under the key" in (Users(lambda: entries, lambda: SealingKeys(b"x" * 32)).unopened() or "")


def test_nobody_is_added_where_there_is_somebody(tmp_path: Path) -> None:
    first = read_first_users(a_file(tmp_path, first_user_lines("admin", "pencil")))
    change = add_first_users(first, SEALING)({"another": Entry(b"{}", Revision(1))})
    assert not change.reply and not change.puts


def test_a_users_keys_do_not_open_under_another_name(tmp_path: Path) -> None:
    first = read_first_users(a_file(tmp_path, first_user_lines("guest", "pencil")))
    value = add_first_users(first, SEALING)({}).puts["guest"]
    users = Users(lambda: {"admin": Entry(value, Revision(1))}, lambda: SEALING)
    assert not users.account("admin", "SCRAM-SHA-512").is_known


@pytest.mark.parametrize(
    "text",
    [
        "admin:secret\n",
        "{}\n",
        first_user_lines("", "x"),
        first_user_lines("me", "x").replace("SCRAM-SHA-512", "SCRAM-SHA-1").replace("SCRAM-SHA-256", "SCRAM-SHA-512"),
        first_user_lines("me", "x").replace("4096", "1"),
    ],
    ids=["not JSON", "nothing", "no name", "wrong sizes", "too few iterations"],
)
def test_a_file_that_makes_no_sense_is_refused_in_words(tmp_path: Path, text: str) -> None:
    with pytest.raises(Fatal, match=r"penstock\.bootstrap\.users\.file: .*first:1"):
        read_first_users(a_file(tmp_path, text))


def test_a_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = a_file(tmp_path, first_user_lines("me", "x"))
    path.chmod(0o640 if path.stat().st_uid else 0o604)
    with pytest.raises(Fatal, match="others can read"):
        read_first_users(path)
