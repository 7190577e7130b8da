"""The registry: its decisions without a cluster, and what real processes have written."""

import json
from collections import defaultdict
from typing import Any
from urllib.parse import parse_qsl, unquote

import httpx
from confluent_kafka import Consumer

from penstock.registry import Asked, Reads, RegistryRefusal, plan
from penstock.registry.state import State

Answer = Any


def record(*fields: tuple[Any, ...], name: str = "R") -> str:
    """An Avro schema: a field with a default has it as a third item."""
    shown = [dict(zip(("name", "type", "default"), field, strict=False)) for field in fields]
    return json.dumps({"type": "record", "name": name, "fields": shown}, separators=(",", ":"))


class Play:
    """A registry without a cluster: a request is planned, decided, and its records applied. `log` is what would be in
    its topic."""

    def __init__(self) -> None:
        self.state = State()
        self.log: list[tuple[bytes, bytes | None]] = []

    def ask(self, method: str, path: str, body: Any = None) -> Answer:
        """The answer; RegistryRefusal where it is refused."""
        where, _, query = path.partition("?")
        data = b"" if body is None else json.dumps(body).encode()
        planned = plan(Asked(method, [unquote(each) for each in where.split("/")], dict(parse_qsl(query)), data))
        if isinstance(planned, Reads):
            return planned.answer(self.state)
        decision = planned.decide(self.state)
        for key, value in decision.records:
            self.log.append((key, value))
            self.state.apply(key, value)
        return decision.answer

    def code(self, method: str, path: str, body: Any = None) -> int:
        """With what it is refused; 0 if it is not."""
        try:
            self.ask(method, path, body)
        except RegistryRefusal as refused:
            return refused.code
        return 0

    def register(self, subject: str, schema: str, **more: Any) -> int:
        answer: int = self.ask("POST", f"subjects/{subject}/versions", {"schema": schema} | more)["id"]
        return answer

    def compacted(self) -> "Play":
        """A registry that starts on this one's topic after compaction has left the last record of each key."""
        later = Play()
        later.log = [(key, value) for key, value in dict(self.log).items() if value is not None]
        order = {key: index for index, (key, _) in enumerate(self.log)}
        later.log.sort(key=lambda each: order[each[0]])
        for key, value in later.log:
            later.state.apply(key, value)
        return later


def register(url: str, subject: str, schema: str) -> httpx.Response:
    return httpx.post(f"{url}/registry/subjects/{subject}/versions", json={"schema": schema}, timeout=120)


def kept(bootstrap: str) -> list[tuple[dict[str, Any], dict[str, Any] | None]]:
    """The topic as another client reads it, record by record."""
    consumer = Consumer({
        "bootstrap.servers": bootstrap, "group.id": "by hand", "auto.offset.reset": "earliest",
        "enable.partition.eof": True, "isolation.level": "read_committed",
    })  # fmt: skip
    found = []
    try:
        consumer.subscribe(["_schemas"])
        while (message := consumer.poll(60)) is not None and message.error() is None:
            key, value = message.key(), message.value()
            assert isinstance(key, bytes)
            found.append((json.loads(key), None if value is None else json.loads(value)))
    finally:
        consumer.close()
    return found


def ids_of(records: list[tuple[dict[str, Any], dict[str, Any] | None]]) -> dict[str, set[int]]:
    """By what a schema says, the ids that it was ever kept under."""
    ids: dict[str, set[int]] = defaultdict(set)
    for key, value in records:
        if key["keytype"] == "SCHEMA" and value is not None:
            ids[value["schema"]].add(value["id"])
    return ids
