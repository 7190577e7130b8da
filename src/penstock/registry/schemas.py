"""What kinds of schemas there are, and how one of each is read, written and compared. Pure."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from penstock.registry import avro
from penstock.registry.refusals import INVALID_SCHEMA, RegistryRefusal

SCHEMA_BYTES_MAX: Final = 900_000
"""With what is around it, a record of a topic's usual size still holds it."""


class Parsed(NamedTuple):
    text: str
    """In the one way in which it is kept."""
    whole: Callable[[], str]
    """The same, with the types of its references written out."""
    problems: Callable[["Parsed"], list[avro.Problem]]
    """Why data that was written with the other one cannot be read with this."""
    own: object


def _avro(text: str, references: Sequence[str], *, normalized: bool) -> Parsed:
    schema, outside = avro.parse(text, references)

    def problems(writer: Parsed) -> list[avro.Problem]:
        assert isinstance(writer.own, avro.Schema)
        return avro.problems(schema, writer.own)

    return Parsed(
        avro.written(schema, outside, normalized=normalized), lambda: avro.written(schema), problems, schema
    )  # fmt: skip


_READERS: Final[dict[str, Callable[..., Parsed]]] = {"AVRO": _avro}

TYPES: Final = tuple(_READERS)


def parse(kind: str, text: str, references: Sequence[str] = (), *, normalized: bool = False) -> Parsed:
    """`references`: texts of the schemas that this one needs, each after those that it needs itself."""
    if kind not in _READERS:
        raise RegistryRefusal(INVALID_SCHEMA, f"Invalid schema type {kind}: here it is {', '.join(TYPES)}")
    if len(text.encode(errors="replace")) > SCHEMA_BYTES_MAX:
        raise RegistryRefusal(INVALID_SCHEMA, f"Invalid schema: it has more than {SCHEMA_BYTES_MAX} bytes")
    return _READERS[kind](text, references, normalized=normalized)
