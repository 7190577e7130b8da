"""`penstock apis`: every API a Kafka 4.3 broker has, in key order, and what this version answers of it."""

from typing import Any

import click

from penstock.cli.output import json_option, print_json, print_table


@click.command()
@click.option("--missing", is_flag=True, help="Only those not answered.")
@json_option
def apis(missing: bool, as_json: bool) -> None:
    """List the Kafka APIs with the versions answered; those not answered with the reason. Needs no broker."""
    rows = [row for row in _rows() if not (missing and row["state"] == "answered")]
    if as_json:
        print_json(rows)
        return
    print_table(
        ["key", "api", "Kafka 4.3", "answered", "note"],
        [[row["key"], row["name"], _range(row["kafka"]), _range(row["answered"]), row["reason"] or ""] for row in rows],
    )
    answered = sum(row["state"] == "answered" for row in rows)
    if not missing:
        click.echo(f"\n{answered} of {len(rows)} answered. What is not answered is not advertised to clients.")


def _rows() -> list[dict[str, Any]]:
    import penstock.broker.handlers  # noqa: F401, PLC0415 - fills the registry
    from penstock.broker.registry import REGISTRY  # noqa: PLC0415
    from penstock.cli.api_reasons import REASONS  # noqa: PLC0415
    from penstock.wire.api import API_VERSIONS, BROKER_APIS  # noqa: PLC0415

    rows = []
    for key in sorted(BROKER_APIS):
        answer = REGISTRY.get(key)
        rows.append(
            {
                "key": int(key),
                "name": key.name.title().replace("_", ""),
                "kafka": list(API_VERSIONS[key]),
                "answered": None if answer is None else list(answer.versions),
                "state": "not answered" if answer is None else "answered",
                "reason": REASONS.get(key, "not built yet") if answer is None else None,
            }
        )
    return rows


def _range(versions: list[int] | None) -> str:
    return "-" if versions is None else f"{versions[0]}-{versions[1]}"
