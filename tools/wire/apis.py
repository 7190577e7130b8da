"""Write the table of APIs: keys, versions, and the listeners that Kafka offers each one on."""

from tools.wire.facts import Message, snake
from tools.wire.module import MADE_BY


def apis_text(messages: list[Message]) -> str:
    requests = sorted((each for each in messages if each.kind == "request"), key=lambda each: each.key or 0)
    lines = [
        MADE_BY,
        '"""Every API of Kafka 4.3.0 by key, with its versions as the schemas have them. See penstock.wire.api."""',
        "",
        "from enum import IntEnum",
        "from typing import NamedTuple",
        "",
        "class ApiKey(IntEnum):",
        *(f"    {_name(request)} = {request.key}" for request in requests),
        "",
        "class ApiFacts(NamedTuple):",
        "    module: str | None  # of its messages in penstock.wire.messages, without the ending; None: left out",
        "    oldest: int",
        "    latest: int",
        "    latest_is_unstable: bool",
        "    flexible_from: int | None",
        "    listeners: frozenset[str]",
        "",
        "APIS: dict[ApiKey, ApiFacts] = {",
    ]
    for request in requests:
        if request.versions:
            flexible = request.flexible.low if request.flexible else None
            versions = f"{request.versions.low}, {request.versions.high}, {request.latest_is_unstable}, {flexible}"
            module = None if request.only_the_api else request.module.removesuffix("_request")
            listeners = sorted(request.listeners)
            lines.append(f"    ApiKey.{_name(request)}: ApiFacts({module!r}, {versions}, frozenset({listeners})),")
    return "\n".join([*lines, "}", ""])


def _name(request: Message) -> str:
    return snake(request.name).removesuffix("_request").upper()
