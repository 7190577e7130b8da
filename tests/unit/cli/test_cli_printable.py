"""What clients call themselves does not write on an administrator's terminal as it likes."""

import json

import pytest

from penstock.cli.exits import Failure
from penstock.cli.output import note, print_json, print_table
from penstock.cli.printable import printable

HOSTILE = "g\x1b]0;title\x07\x1b[31m\r\n[red]User:admin\x9b2J\u202e"
OBEYED = "\x1b\x07\r\x9b\u202e"


def test_names_are_told_with_what_a_terminal_would_obey_written_out() -> None:
    assert printable(HOSTILE) == "g\\x1b]0;title\\x07\\x1b[31m\\r\\n[red]User:admin\\x9b2J\\u202e"
    assert printable("Zoë Müller 日本") == "Zoë Müller 日本"


def test_tables_remarks_and_errors_have_nothing_that_a_terminal_obeys(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(["group"], [[HOSTILE]], title=HOSTILE)
    note(f"no group {HOSTILE}")
    Failure(f"no group {HOSTILE}", hint=HOSTILE).show()
    out, err = capsys.readouterr()
    assert "[red]User:admin" in out and "title" in err
    assert not set(OBEYED) & set(out + err)
    assert len(out.splitlines()) == 3, "a name makes no line of its own"


def test_json_for_programs_says_the_name_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"group": HOSTILE, "wide": "\u3000日本"})
    out = capsys.readouterr().out
    assert not set(OBEYED) & set(out)
    assert json.loads(out) == {"group": HOSTILE, "wide": "\u3000日本"}
