"""Plans in files: the JSON that Kafka's own reassignment tool reads and writes."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from penstock.cli.cluster.planning.facts import Key, Move, Replicas


def plan_json(moves: Sequence[Move], *, back: bool = False) -> dict[str, Any]:
    """`back`: what would undo it."""
    return {
        "version": 1,
        "partitions": [
            {"topic": move.topic, "partition": move.index, "replicas": list(move.before if back else move.after)}
            for move in moves
        ],
    }


def read_plan(path: Path) -> dict[Key, Replicas]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        found = {
            (str(each["topic"]), int(each["partition"])): tuple(int(broker) for broker in each["replicas"])
            for each in document["partitions"]
        }
    except (ValueError, KeyError, TypeError) as error:
        raise click.UsageError(
            f"{path} is no plan: it should look like "
            '{"version": 1, "partitions": [{"topic": "orders", "partition": 0, "replicas": [1, 2, 3]}]}'
            f" ({type(error).__name__}: {error})"
        ) from error
    _require_possible(found)
    return found


def parse_assignments(texts: Sequence[str]) -> Mapping[Key, Replicas]:
    """orders:0=1,2,3"""
    found: dict[Key, Replicas] = {}
    for text in texts:
        place, equals, replicas = text.partition("=")
        topic, colon, index = place.rpartition(":")
        try:
            if not (equals and colon and topic):
                raise ValueError
            found[topic, int(index)] = tuple(int(broker) for broker in replicas.split(","))
        except ValueError:
            raise click.UsageError(f"a move is TOPIC:PARTITION=BROKER,BROKER,..., not {text!r}") from None
    _require_possible(found)
    return found


def _require_possible(wanted: Mapping[Key, Replicas]) -> None:
    """What every cluster refuses is no plan to be shown."""
    for (topic, index), replicas in wanted.items():
        if not replicas:
            raise click.UsageError(f"{topic}-{index} would have no replica")
        if len(set(replicas)) < len(replicas):
            raise click.UsageError(f"{topic}-{index} would have a broker twice: {','.join(map(str, replicas))}")
