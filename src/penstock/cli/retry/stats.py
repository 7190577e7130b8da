"""`penstock retry stats`."""

from collections import Counter
from typing import Any

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.output import json_option, note, print_json, print_table
from penstock.cli.schedule.waiting import PartitionState, read_topic, rules_of, when
from penstock.cli.topic.facts import topic_settings
from penstock.delivery.schedules.retries import RetryRules
from penstock.settings.topic import PENSTOCK_RETRY_GROUP, PENSTOCK_SCHEDULE_TARGET


@click.command()
@click.argument("group", required=False)
@client_options
@json_option
def stats(group: str | None, cluster: Cluster, as_json: bool) -> None:
    """Count what waits in the retry topics of GROUP, or of all groups: how often it has been tried, and when it is due.

    Given up: tried as often as the group allows, and waiting for a dead-letter topic that would take it.
    """
    found = [_row(cluster, topic, *place) for topic, place in _retry_topics(cluster) if group in (None, place[0])]
    if as_json:
        print_json(found)
    elif not found:
        note("no retry topics" if group is None else f"{group} has no retry topic")
    else:
        rows = [
            [
                each["group"],
                each["topic"],
                each["target"],
                each["waiting"],
                ", ".join(f"{attempt}: {count}" for attempt, count in each["by_attempt"].items()),
                each["given_up"],
                each["on_the_way"],
                None if each["first_due_ms"] is None else when(each["first_due_ms"]),
            ]
            for each in found
        ]
        header = ["group", "retry topic", "goes to", "waiting", "retry: records", "given up", "on the way", "first due"]
        print_table(header, rows)


def _retry_topics(cluster: Cluster) -> list[tuple[str, tuple[str, str]]]:
    """Each with its group and its target."""
    with cluster.doing("list topics") as client:
        names = sorted(client.list_topics())
    found = []
    for name, facts in sorted(topic_settings(cluster, names).items()):
        settings = {each.name: each.value or "" for each in facts}
        if settings.get(PENSTOCK_RETRY_GROUP.name):
            found.append((name, (settings[PENSTOCK_RETRY_GROUP.name], settings[PENSTOCK_SCHEDULE_TARGET.name])))
    return found


def _row(cluster: Cluster, topic: str, group: str, target: str) -> dict[str, Any]:
    rules = rules_of(cluster, group)
    states = read_topic(cluster, topic)
    attempts = _attempts(states, rules)
    given_up = sum(count for attempt, count in attempts.items() if attempt > rules.attempts_max)
    return {
        "group": group,
        "topic": topic,
        "target": target,
        "waiting": sum(attempts.values()) - given_up,
        "by_attempt": {attempt: attempts[attempt] for attempt in sorted(attempts) if attempt <= rules.attempts_max},
        "given_up": given_up,
        "on_the_way": sum(state.on_the_way for state in states),
        "first_due_ms": min((each.due_ms for state in states for each in state.waiting), default=None),
    }


def _attempts(states: list[PartitionState], rules: RetryRules) -> Counter[int]:
    """Which retry is the next, of all that waits."""
    return Counter(rules.attempt(each.record) for state in states for each in state.waiting)
