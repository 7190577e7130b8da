"""The seven levels: with which earlier versions a schema is compared, and which of the two reads. Pure."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import msgspec

from penstock.registry import avro
from penstock.registry.records import SchemaValue
from penstock.registry.schemas import Parsed, parse
from penstock.registry.state import State


class Level(NamedTuple):
    reads_earlier: bool
    """The new schema reads data of the earlier ones."""
    is_read_by_earlier: bool
    is_transitive: bool
    """All earlier versions count, not only the latest."""


LEVELS: Final = {
    "NONE": Level(False, False, False),
    "BACKWARD": Level(True, False, False),
    "BACKWARD_TRANSITIVE": Level(True, False, True),
    "FORWARD": Level(False, True, False),
    "FORWARD_TRANSITIVE": Level(False, True, True),
    "FULL": Level(True, True, False),
    "FULL_TRANSITIVE": Level(True, True, True),
}


def of_version(state: State, value: SchemaValue, *, normalized: bool = False) -> Parsed:
    """A schema with what it refers to."""
    references = [each.schema for each in state.sources_of(value.references)]
    return parse(value.schema_type, value.schema, references, normalized=normalized)


def messages(state: State, level: str, new: SchemaValue, parsed: Parsed, earlier: Sequence[SchemaValue]) -> list[str]:
    """Why the new one may not follow the earlier ones, the latest of which comes last. Empty: it may."""
    rule = LEVELS[level]
    for value in reversed(earlier if rule.is_transitive else earlier[-1:]):
        if not rule.reads_earlier and not rule.is_read_by_earlier:
            return []
        if value.schema_type != new.schema_type:
            found = [f"The type of the schema is {new.schema_type}, and was {value.schema_type}"]
        else:
            found = _compared(rule, parsed, of_version(state, value))
        if found:
            return [
                *found, _json({"oldSchemaVersion": value.version}), _json({"oldSchema": value.schema}),
                _json({"compatibility": level}),
            ]  # fmt: skip
    return []


def _compared(rule: Level, new: Parsed, old: Parsed) -> list[str]:
    found = []
    if rule.reads_earlier:
        found += [_words(each, reader="new", writer="old") for each in new.problems(old)]
    if rule.is_read_by_earlier:
        found += [_words(each, reader="old", writer="new") for each in old.problems(new)]
    return found


def _words(problem: avro.Problem, *, reader: str, writer: str) -> str:
    described = f"At '{problem.path}' the {reader} schema cannot read what the {writer} one wrote: {problem.words}"
    return _json({"errorType": problem.kind, "description": described})


def _json(value: dict[str, Any]) -> str:
    return msgspec.json.encode(value).decode()
