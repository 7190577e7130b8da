"""Quotas as people write them: 10MB/s, 200%, 5/s. And whom they are for."""

import functools
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple

import click

from penstock.client.admin.access import QuotaOf

_UNITS: Final = {
    "": 1, "B": 1,
    "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
    "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30, "TIB": 1 << 40,
}  # fmt: skip
_NUMBER: Final = re.compile(r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>[a-zA-Z]*)")
_SHOWN: Final = ("TB", "GB", "MB", "KB")


class Limit(NamedTuple):
    """One kind of quota: the option's name, Kafka's key, and what follows the number."""

    option: str
    key: str
    unit: str
    help: str

    def parse(self, text: str) -> float:
        """ValueError, in words."""
        match = _NUMBER.fullmatch(text.strip().removesuffix(self.unit).strip())
        unit = match["unit"].upper() if match else ""
        if match is None or unit not in _UNITS or (unit and not self.is_bytes) or not float(match["number"]):
            raise ValueError(f"{text!r} is no {self.option}: write {self.example}")
        return float(match["number"]) * _UNITS[unit]

    def show(self, value: float) -> str:
        unit = next((unit for unit in _SHOWN if value >= _UNITS[unit]), "B") if self.is_bytes else ""
        shown = f"{value / _UNITS[unit]:.3f}".rstrip("0").rstrip(".")
        return f"{shown} {unit}{self.unit}" if unit else f"{shown}{self.unit}"

    @property
    def is_bytes(self) -> bool:
        return "byte" in self.key

    @property
    def example(self) -> str:
        return f"10MB{self.unit}" if self.is_bytes else f"50{self.unit}"


LIMITS: Final = (
    Limit("produce", "producer_byte_rate", "/s", "Bytes written to each broker, such as 10MB/s."),
    Limit("consume", "consumer_byte_rate", "/s", "Bytes read from each broker."),
    Limit("requests", "request_percentage", "%", "Time that its requests may take of each broker, such as 50%."),
    Limit("mutations", "controller_mutation_rate", "/s", "Partitions created and deleted, such as 10/s."),
    Limit("connections", "connection_creation_rate", "/s", "Connections an address may make to each broker."),
    Limit("stored", "stored_bytes", "", "Bytes of a tenant's topics that each broker keeps, such as 100GB."),
    Limit("partitions", "partitions", "", "Partitions of a tenant's topics."),
    Limit("open-connections", "connections", "", "Connections that a tenant's users may have to each broker."),
)
_BY_KEY: Final = {limit.key: limit for limit in LIMITS}


def shown(values: Mapping[str, float]) -> dict[str, str]:
    """Of whatever keys the cluster told, with the names of our options where there are some."""
    found = {}
    for key, value in sorted(values.items()):
        limit = _BY_KEY.get(key)
        found[key if limit is None else limit.option] = f"{value:g}" if limit is None else limit.show(value)
    return found


class _Amount(click.ParamType):  # type: ignore[type-arg]
    name = "amount"

    def __init__(self, limit: Limit) -> None:
        self._limit = limit

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            return self._limit.parse(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)


def limit_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--produce, --consume and the others with a value, handed over as `limits` by Kafka's keys."""

    @functools.wraps(command)
    def with_limits(**given: Any) -> Any:
        said = {limit.key: given.pop(limit.option.replace("-", "_")) for limit in LIMITS}
        return command(limits={key: value for key, value in said.items() if value is not None}, **given)

    for limit in reversed(LIMITS):
        option = click.option(f"--{limit.option}", type=_Amount(limit), metavar=limit.example.upper(), help=limit.help)
        with_limits = option(with_limits)
    return with_limits


# Whom it is for ----------------------------------------------------------------------------------------------------


KINDS: Final = {"user": "user", "client": "client-id", "ip": "ip", "tenant": "tenant"}
"""Options, and the names that the protocol has for them. Tenants are Penstock's alone."""
ALONE: Final = ("ip", "tenant")


def entity_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--user, --client, --ip, --tenant and defaults, handed over as `entity`, empty where none is said."""

    @functools.wraps(command)
    def with_entity(**given: Any) -> Any:
        entity = []
        for option, kind in KINDS.items():
            name, default = given.pop(option), given.pop(f"{option}_default", False)
            if name is not None and default:
                raise click.UsageError(f"--{option} and --{option}-default exclude each other")
            if name is not None or default:
                entity.append(QuotaOf(kind, name))
        for part in entity:
            if len(entity) > 1 and part.type in ALONE:
                raise click.UsageError(f"--{part.type} stands alone: it has quotas of its own")
        return command(entity=tuple(entity), **given)

    words = {
        "user": "This user.",
        "client": "Clients with this client.id.",
        "ip": "This address.",
        "tenant": "All topics and users whose names begin so.",
    }
    for option, kind in reversed(KINDS.items()):
        if option != "tenant":
            default = click.option(f"--{option}-default", is_flag=True, help=f"Each {kind} without a quota of its own.")
            with_entity = default(with_entity)
        with_entity = click.option(f"--{option}", metavar="NAME", help=words[option])(with_entity)
    return with_entity


def entity_words(entity: Iterable[QuotaOf]) -> str:
    options = {kind: option for option, kind in KINDS.items()}
    return ", ".join(
        f"{options.get(part.type, part.type)} {'(default)' if part.name is None else part.name}" for part in entity
    )
