"""`penstock settings`: the settings table for people. Needs no broker."""

from collections.abc import Mapping
from itertools import chain
from typing import Any

import click

from penstock.cli.exits import NotFound
from penstock.cli.output import json_option, print_json, print_table
from penstock.model.words import did_you_mean
from penstock.settings.setting import Scope, Setting, settings_of

_SCOPES = {scope.value.replace(" ", "-"): scope for scope in Scope}
_WHERE = {
    Scope.BROKER: "configuration file, --set, PENSTOCK_* variable",
    Scope.TOPIC: "a topic: `penstock topic create -s`, `penstock topic alter -s`",
    Scope.GROUP: "a group: the config APIs, such as kafka-configs --entity-type groups",
    Scope.CLIENT_METRICS: "a client metrics subscription: the config APIs",
}


def _tables() -> dict[Scope, Mapping[str, Setting[Any]]]:
    # Importing a module fills its part of the table.
    from penstock.settings import broker, client_metrics, group, topic  # noqa: F401, PLC0415

    return {scope: settings_of(scope) for scope in Scope}


@click.group(no_args_is_help=True)
def settings() -> None:
    """Explain the settings of brokers, topics, groups and client metrics. Names are Kafka's where Kafka has one."""


@settings.command("list")
@click.option("--scope", type=click.Choice(list(_SCOPES)), help="Only settings of this kind.")
@json_option
def list_settings(scope: str | None, as_json: bool) -> None:
    """List settings with their defaults."""
    wanted = [_SCOPES[scope]] if scope else list(Scope)
    tables = _tables()
    rows = sorted(chain.from_iterable(tables[each].values() for each in wanted), key=lambda row: row.name)
    if as_json:
        print_json([_document(row) for row in rows])
        return
    print_table(
        ["setting", "scope", "type", "default", "live"],
        [[row.name, row.scope.value, row.kind.name.lower(), _default(row), "yes" if row.live else ""] for row in rows],
    )


@settings.command(no_args_is_help=True, short_help="Say what a setting does and may be.")
@click.argument("name")
@json_option
def explain(name: str, as_json: bool) -> None:
    """Say what a setting does, what it may be, where it is set and what stands in for it."""
    tables = _tables()
    found = [table[name] for table in tables.values() if name in table]
    if not found:
        known = dict.fromkeys(chain.from_iterable(tables.values()))
        raise NotFound(
            f"there is no setting {name!r}.{did_you_mean(name, known, sentence=True)}",
            hint="`penstock settings list` shows all of them.",
        )
    if as_json:
        print_json([_document(row) for row in found])
        return
    for index, row in enumerate(found):
        if index:
            click.echo()
        _print(row, tables[Scope.TOPIC])


def _print(row: Setting[Any], topic_table: Mapping[str, Setting[Any]]) -> None:
    click.echo(click.style(row.name, bold=True) + f"  ({row.scope.value} setting)\n")
    click.echo(click.wrap_text(row.doc, width=88, initial_indent="  ", subsequent_indent="  ") + "\n")
    facts = [
        ("type", row.kind.name.lower() + (f", {row.check.text}" if row.check is not None else "")),
        ("default", _default(row) + _in_words(row)),
        ("set in", _WHERE[row.scope]),
        ("changes", "take effect while the broker runs" if row.live else "need a restart"),
    ]
    if row.synonyms:
        facts.append(("if not set", ", then ".join(_synonym(synonym) for synonym in row.synonyms) + " of the broker"))
    stands_for = [other.name for other in topic_table.values() if row in [s.setting for s in other.synonyms]]
    if stands_for:
        facts.append(("default of", ", ".join(stands_for) + " of topics"))
    for label, fact in facts:
        click.echo(f"  {label:<11} {fact}")


def _synonym(synonym: Any) -> str:
    return synonym.setting.name if synonym.factor == 1 else f"{synonym.setting.name} (times {synonym.factor:,})"


def _default(row: Setting[Any]) -> str:
    if row.default is None:
        return "not set"
    return row.format(row.default) or '""'


_MS = (("days", 86_400_000), ("hours", 3_600_000), ("minutes", 60_000), ("seconds", 1_000))
_BYTES = (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10))


def _in_words(row: Setting[Any]) -> str:
    """604800000 is hard to read: 7 days is what it says."""
    if not isinstance(row.default, int) or row.default <= 0:
        return ""
    units = _MS if row.name.endswith(".ms") else _BYTES if "bytes" in row.name else ()
    for unit, size in units:
        if row.default % size == 0 and row.default // size < 10_000:
            return f" ({row.default // size} {unit})"
    return ""


def _document(row: Setting[Any]) -> dict[str, Any]:
    return {
        "name": row.name,
        "scope": row.scope.value,
        "type": row.kind.name.lower(),
        "default": None if row.default is None else row.format(row.default),
        "allowed": None if row.check is None else row.check.text,
        "live": row.live,
        "sensitive": row.sensitive,
        "synonyms": [{"name": synonym.setting.name, "factor": synonym.factor} for synonym in row.synonyms],
        "doc": row.doc,
    }
