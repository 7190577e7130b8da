"""An audit event in a line for people, and the options that choose events."""

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypeVar

import click

from penstock.cli.printable import printable

Command = TypeVar("Command", bound=Callable[..., Any])
NAMES_MAX = 3
_STATES = {1: "ok", 2: "failed", 99: "partly"}


def choosing_options(command: Command) -> Command:
    for option in (
        click.option("--failed", is_flag=True, help="Only what was refused or failed, wholly or in part."),
        click.option("--host", metavar="ADDRESS", help="From this address."),
        click.option("--resource", metavar="NAME", help="About this topic, group, user and so on."),
        click.option("--api", "operation", metavar="NAME", help="This API, such as CreateTopics."),
        click.option("--user", metavar="NAME", help="By this user: alice, or User:alice."),
    ):
        command = option(command)
    return command


def line_of(event: Mapping[str, Any]) -> str:
    """Nothing in it can move a terminal's cursor: clients choose names."""
    at = datetime.fromtimestamp(event.get("time", 0) / 1000).isoformat(sep=" ", timespec="milliseconds")
    words = [at, "denied" if event.get("action_id") == 2 else _STATES.get(event.get("status_id", 0), "?")]
    user = event.get("user") or event.get("actor", {}).get("user")
    if user:
        words.append(f"{user.get('type') or 'User'}:{user.get('name', '')}")
    if ip := event.get("src_endpoint", {}).get("ip"):
        words.append(ip)
    if event.get("class_uid") == 3002:
        words.append(f"login by {event.get('auth_protocol', '?')}")
    if operation := event.get("api", {}).get("operation"):
        words.append(operation)
    words.append(_resources(event))
    if code := event.get("status_code"):
        words.append(f"error {code}")
    if (count := event.get("count", 1)) > 1:
        words.append(f"({count} times)")
    words.append(event.get("message", ""))
    return printable("  ".join(word for word in words if word))


def _resources(event: Mapping[str, Any]) -> str:
    named = [f"{each.get('type')} {each.get('name')}" for each in event.get("resources", ())]
    more = f" and {len(named) - NAMES_MAX} more" if len(named) > NAMES_MAX else ""
    return ", ".join(named[:NAMES_MAX]) + more


def print_event(event: Mapping[str, Any], *, as_json: bool) -> None:
    """As JSON one object a line, all of it ASCII."""
    click.echo(json.dumps(event) if as_json else line_of(event))
