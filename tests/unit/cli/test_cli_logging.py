"""What a broker's lines look like."""

from collections.abc import MutableMapping
from typing import Any

from penstock.cli.logging import _text_processors


def line(**event: Any) -> str:
    made: MutableMapping[str, Any] | str = {"event": "login failed", "level": "warning", **event}
    for process in _text_processors():
        made = process(None, "warning", made)
    return str(made)


def test_what_strangers_call_themselves_does_not_reach_the_terminal_raw() -> None:
    said = line(user="\x1b[31mroot\n\x9b2J\u202e\ud800", host="10.0.0.1")
    assert "user=\\x1b[31mroot\\n\\x9b2J\\u202e\\ud800" in said
    assert "\x1b[31mroot" not in said and "\n" not in said


def test_names_in_any_script_stay_as_they_are() -> None:
    assert "host=東京 user=Jürgen" in line(user="Jürgen", host="東京")
