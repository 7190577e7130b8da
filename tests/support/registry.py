"""The registry's decisions without a cluster: a request is planned, decided, and its records applied."""

import json
from typing import Any
from urllib.parse import parse_qsl, unquote

from penstock.registry import Asked, Reads, RegistryRefusal, plan
from penstock.registry.state import State

Answer = Any


def record(*fields: tuple[Any, ...], name: str = "R") -> str:
    """An Avro schema: a field with a default has it as a third item."""
    shown = [dict(zip(("name", "type", "default"), field, strict=False)) for field in fields]
    return json.dumps({"type": "record", "name": name, "fields": shown}, separators=(",", ":"))


class Play:
    """A registry of a test; `log` is what its topic would hold."""

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
