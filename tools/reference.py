"""Writes docs/reference/ from the tables in the code: settings, errors, APIs, metrics, differences from Kafka.

    python tools/reference.py            write the pages
    python tools/reference.py --check    fail if a page on disk is not what would be written

tests/architecture checks that the pages are current, so they are never edited by hand.
"""

import importlib
import pkgutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import penstock
from penstock.errors import all_refusals
from penstock.metrics import declared_metrics, prometheus_name
from penstock.settings import Scope, Setting, settings_of
from penstock.settings.types import INT_MAX, LONG_MAX
from penstock.settings.unused import unused_names

FOLDER = Path(__file__).parents[1] / "docs" / "reference"
_MADE_BY = "<!-- Made by tools/reference.py from the tables in the code: change those, then `make reference`. -->"

# Metrics live beside what they measure. These packages measure nothing, or import what a reference must not need.
_WITHOUT_METRICS = ("penstock.wire", "penstock.testing", "penstock.cli", "penstock.pipelines")

_ABOUT_SETTINGS = """
Names are Kafka's wherever Kafka has one; Penstock's own begin with `penstock.`. Broker settings come from a
properties file (`--config`), then from `PENSTOCK_*` variables (`PENSTOCK_LOG_RETENTION_MS` is `log.retention.ms`,
`PENSTOCK_HTTP_LISTENER` is `penstock.http.listener`), then from `--set name=value`; the later wins. A topic's own
setting wins over the broker's.
"""

_ABOUT_ERRORS = """
What an error code in an answer means. *retriable*: the same request may succeed later, and clients ask again by
themselves. In the code each is a class in `penstock.errors`.
"""

_ABOUT_APIS = """
The {all} APIs of a Kafka 4.3 broker, and the {answered} of them that Penstock answers. What is not answered is not
advertised to clients. `penstock apis` prints the same. Where there are access rules, `rights` are those that a request
may take: which of them depends on what it asks for, and some are alternatives.
"""

_ABOUT_METRICS = """
What `/metrics` shows, in Prometheus' text format or OpenMetrics. Names beginning with `kafka_` are those that Kafka's
JMX metrics have in the JMX exporter, so that dashboards made for Kafka find them. Beside them are the process' own
(`process_cpu_seconds_total`, `process_resident_memory_bytes`, `process_open_fds`, …). At
`penstock.metrics.series.max` label combinations the rest is counted under the label `other`.
"""

_ABOUT_DIFFERENCES = """
The conformance suite sends the same requests to Apache Kafka 4.3.0 and to Penstock and compares the answers. These are
all the places where they differ, and why. *Situation* and *where* are those of the suite's table
(`tests/conformance/situations`); `*` stands for any.
"""


def pages() -> dict[str, str]:
    return {
        "settings.md": settings_page(),
        "errors.md": errors_page(),
        "apis.md": apis_page(),
        "metrics.md": metrics_page(),
        "differences-from-kafka.md": differences_page(),
    }


def settings_page() -> str:
    parts = [
        "# Settings",
        "",
        _ABOUT_SETTINGS.strip(),
        "",
        "*live*: can be changed while the broker runs. `penstock settings explain NAME` shows one setting.",
    ]
    for scope in Scope:
        rows = [row for row in settings_of(scope).values() if not row.internal]
        parts += ["", f"## {scope.value.capitalize()} settings", ""]
        parts += _settings_table(sorted(rows, key=lambda row: row.name), scope)
    parts += [
        "",
        "## Settings of Kafka's that have no effect",
        "",
        "Accepted in a configuration, so that one of Kafka's can be used as it is, and named in a warning at start.",
        "",
        ", ".join(f"`{name}`" for name in sorted(unused_names())),
    ]
    return _page(parts)


def _settings_table(rows: Iterable[Setting[Any]], scope: Scope) -> list[str]:
    head = ["setting", "type", "default", "allowed", "what it does"]
    if scope is Scope.BROKER:
        head.insert(4, "live")
    elif scope is not Scope.CLIENT_METRICS:
        head.insert(3, "broker's default")
    table = []
    for row in rows:
        cells = [f"`{row.name}`", row.kind.name.lower(), _default(row), row.check.text if row.check else "", row.doc]
        if scope is Scope.BROKER:
            cells.insert(4, "yes" if row.live else "")
        elif scope is not Scope.CLIENT_METRICS:
            cells.insert(3, ", ".join(f"`{synonym.setting.name}`" for synonym in row.synonyms))
        table.append(cells)
    return _table(head, table)


def _default(row: Setting[Any]) -> str:
    if row.default is None:
        return "unset"
    if row.default in (LONG_MAX, INT_MAX, 1.7976931348623157e308):
        return "no limit"
    text = row.format(row.default)
    return f"`{text}`" if text else "empty"


def errors_page() -> str:
    rows = [["0", "`NONE`", "", "No error."]]
    rows += [
        [str(refusal.code), f"`{refusal.kafka_name}`", "yes" if refusal.retriable else "", refusal.meaning()]
        for refusal in all_refusals()
    ]
    return _page(
        [
            "# Errors",
            "",
            _ABOUT_ERRORS.strip(),
            "",
            *_table(["code", "name", "retriable", "meaning"], rows),
        ]
    )


def apis_page() -> str:
    import penstock.broker.handlers  # noqa: F401, PLC0415 - fills the registry
    from penstock.broker.registry import REGISTRY  # noqa: PLC0415
    from penstock.cli.api_reasons import REASONS  # noqa: PLC0415
    from penstock.wire.api import API_VERSIONS, BROKER_APIS  # noqa: PLC0415

    rows = []
    for key in sorted(BROKER_APIS):
        answer = REGISTRY.get(key)
        rows.append(
            [
                str(int(key)),
                key.name.title().replace("_", ""),
                _versions(API_VERSIONS[key]),
                _versions(answer.versions) if answer else "",
                "answered" if answer else REASONS.get(key, "not built yet"),
                ", ".join(map(str, answer.requires)) if answer else "",
            ]
        )
    return _page(
        [
            "# APIs",
            "",
            _ABOUT_APIS.format(all=len(rows), answered=sum(1 for row in rows if row[3])).strip(),
            "",
            *_table(["key", "API", "Kafka 4.3 has", "answered", "state", "rights"], rows),
        ]
    )


def _versions(versions: tuple[int, int]) -> str:
    low, high = versions
    return str(low) if low == high else f"{low} to {high}"


def metrics_page() -> str:
    for module in pkgutil.walk_packages(penstock.__path__, "penstock."):
        if not module.name.startswith(_WITHOUT_METRICS):
            importlib.import_module(module.name)
    rows = [
        [f"`{prometheus_name(row)}`", row.kind.value, ", ".join(row.labels), row.help]
        for row in declared_metrics()
        if row.name.startswith(("kafka_", "penstock_"))
    ]
    return _page(
        [
            "# Metrics",
            "",
            _ABOUT_METRICS.strip(),
            "",
            *_table(["metric", "kind", "labels", "what it counts"], rows),
        ]
    )


def _table(head: list[str], rows: list[list[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]


def _page(parts: list[str]) -> str:
    return "\n".join([_MADE_BY, *parts]) + "\n"


def differences_page() -> str:
    """From the list that the conformance suite is judged by; APIs and features not built are in apis.md."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    differences = importlib.import_module("tests.conformance.differences").DIFFERENCES
    rows = [
        [each.api, each.situation, f"`{each.path}`", each.reason]
        for each in differences
        if not each.reason.startswith("not built yet")
    ]
    table = _table(["API", "situation", "where", "why"], rows)
    return _page(["# Differences from Apache Kafka", "", _ABOUT_DIFFERENCES.strip(), "", *table])


def main(arguments: list[str]) -> int:
    written = pages()
    if "--check" in arguments:
        stale = [name for name, text in written.items() if _on_disk(name) != text]
        for name in stale:
            sys.stderr.write(f"docs/reference/{name} is not current: run `make reference`\n")
        return 1 if stale else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in written.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    return 0


def _on_disk(name: str) -> str:
    file = FOLDER / name
    return file.read_text(encoding="utf-8") if file.exists() else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
