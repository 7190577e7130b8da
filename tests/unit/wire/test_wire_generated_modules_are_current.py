"""The committed modules are what the generator makes of the committed facts."""

from pathlib import Path

from tools.generate_messages import WIRE, generate
from tools.wire.facts import FACTS
from tools.wire.module import MADE_BY


def made_files(wire: Path) -> dict[str, str]:
    texts = {str(path.relative_to(wire)): path.read_text() for path in wire.rglob("*.py")}
    return {name: text for name, text in texts.items() if text.startswith(MADE_BY)}


def test_generating_again_changes_nothing(tmp_path: Path) -> None:
    generate(tmp_path)
    fresh, committed = made_files(tmp_path), made_files(WIRE)
    assert fresh.keys() == committed.keys()
    assert [name for name in fresh if fresh[name] != committed[name]] == []


def test_the_facts_hold_no_text_of_their_source() -> None:
    assert '"about"' not in FACTS.read_text()
