"""A setting that is offered does something: some code reads it, or its row says that it waits for something."""

import re
from pathlib import Path

from penstock.settings import Scope, settings_of

SOURCE = Path(__file__).parents[2] / "src" / "penstock"
_TABLES = (
    "broker.py",
    "broker_cluster.py",
    "broker_etcd.py",
    "broker_groups.py",
    "broker_log.py",
    "broker_replication.py",
    "broker_sasl.py",
    "broker_transactions.py",
    "topic.py",
    "group.py",
    "client_metrics.py",
)

WAITING = {
    "preallocate": "accepted for compatibility; no gain on Linux",
    "remote.log.copy.disable": "for the cold tier",
    "remote.log.delete.on.disable": "for the cold tier",
}


def read_somewhere() -> set[str]:
    """Every name in capitals that the code outside the tables mentions."""
    texts = (
        path.read_text()
        for path in SOURCE.rglob("*.py")
        if not (path.parent.name == "settings" and path.name in _TABLES) and "messages" not in path.parts
    )
    return {name for text in texts for name in re.findall(r"\b[A-Z][A-Z0-9_]{3,}\b", text)}


def test_every_setting_is_read_or_says_what_it_waits_for() -> None:
    mentioned = read_somewhere()
    inherited = {synonym.setting.name for row in settings_of(Scope.TOPIC).values() for synonym in row.synonyms}
    idle = [
        f"{scope.value} setting {name}"
        for scope in (Scope.BROKER, Scope.TOPIC)
        for name in settings_of(scope)
        if name.upper().replace(".", "_") not in mentioned
        and not (scope is Scope.BROKER and (name in inherited or name.startswith("group.")))
        and name not in WAITING
    ]
    assert not idle, (
        "nothing reads these: use them, move Kafka's to settings/unused.py, or say in WAITING what for\n  "
        + "\n  ".join(idle)
    )


def test_nothing_waits_that_does_not_exist() -> None:
    known = {*settings_of(Scope.BROKER), *settings_of(Scope.TOPIC)}
    assert set(WAITING) <= known


def test_the_guides_name_only_settings_that_exist() -> None:
    known = {*settings_of(Scope.BROKER), *settings_of(Scope.TOPIC), *settings_of(Scope.GROUP)}
    root = SOURCE.parents[1]
    guides = [root / "README.md", *(root / "docs" / "operate").glob("*.md"), *(root / "docs" / "tutorial").glob("*.md")]
    named = {
        (guide.name, name)
        for guide in guides
        for name in re.findall(r"`(penstock(?:\.[a-z]+){2,})(?:=[^`]*)?`", guide.read_text())
        if not (SOURCE.parent / name.replace(".", "/")).exists()
    }
    unknown = sorted(f"{guide}: {name}" for guide, name in named if name not in known)
    assert not unknown, f"no such setting: {unknown}"
