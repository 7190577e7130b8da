"""Whether data written with one schema can be read with another, by the rules of Java's SchemaCompatibility.

As there, a pair of types that is being compared already counts as compatible: what is wrong with it is found where it
was met first.
"""

from typing import Final, NamedTuple

from penstock.registry.avro.schema import TOO_DEEP, Field, InvalidSchema, Schema

_PROMOTED: Final = {
    "long": {"int"},
    "float": {"int", "long"},
    "double": {"int", "long", "float"},
    "bytes": {"string"},
    "string": {"bytes"},
}
"""What a reader of the type on the left takes beside its own."""
_PAIRS_MAX: Final = 200_000
"""Of types that are compared. Each branch of a union is compared with each of the other's."""


class Problem(NamedTuple):
    kind: str
    path: str
    words: str


def problems(reader: Schema, writer: Schema) -> list[Problem]:
    """Why the reader cannot read what the writer wrote; empty if it can."""
    try:
        return _Comparison().pair(reader, writer, "")
    except RecursionError:
        raise InvalidSchema(TOO_DEEP) from None


class _Comparison:
    def __init__(self) -> None:
        self._known: dict[tuple[int, int], list[Problem]] = {}
        """By the objects themselves, since a named type is one object wherever it is used."""

    def pair(self, reader: Schema, writer: Schema, path: str) -> list[Problem]:
        pair = (id(reader), id(writer))
        if pair not in self._known:
            if len(self._known) >= _PAIRS_MAX:
                raise InvalidSchema("it takes too long to compare")
            self._known[pair] = []
            self._known[pair] = self._compared(reader, writer, path)
        return self._known[pair]

    def _compared(self, reader: Schema, writer: Schema, path: str) -> list[Problem]:
        if writer.group == "union":
            return self._of_writers_union(reader, writer, path)
        if reader.group == "union":
            if any(not self.pair(each, writer, "") for each in reader.types):
                return []
            return [_lacking(writer, path)]
        if reader.group != writer.group:
            if writer.kind in _PROMOTED.get(reader.kind, ()):
                return []
            words = f"{reader.kind} does not read {writer.kind}"
            return [Problem("TYPE_MISMATCH", path or "/", words)]
        if reader.inner is not None and writer.inner is not None:
            inner = "items" if reader.kind == "array" else "values"
            return self.pair(reader.inner, writer.inner, f"{path}/{inner}")
        if not reader.name:
            return []
        found = []
        if reader.simple_name != writer.simple_name and writer.name not in reader.aliases:
            found.append(Problem("NAME_MISMATCH", f"{path}/name", f"the name was {writer.name}"))
        if reader.kind == "fixed":
            if reader.size != writer.size:
                words = f"the size was {writer.size}, and is {reader.size}"
                found.append(Problem("FIXED_SIZE_MISMATCH", f"{path}/size", words))
        elif reader.kind == "enum":
            missing = sorted(set(writer.symbols) - set(reader.symbols))
            if missing and reader.default is None:
                found.append(Problem("MISSING_ENUM_SYMBOLS", f"{path}/symbols", f"no symbol {', '.join(missing)}"))
        else:
            by_name = {each.name: each for each in writer.fields}
            for index, field in enumerate(reader.fields):
                found += self._field(field, writer, by_name, f"{path}/fields/{index}")
        return found

    def _of_writers_union(self, reader: Schema, writer: Schema, path: str) -> list[Problem]:
        if reader.group != "union":
            branches = enumerate(writer.types)
            return [problem for index, each in branches for problem in self.pair(reader, each, f"{path}/{index}")]
        return [
            _lacking(each, f"{path}/{index}")
            for index, each in enumerate(writer.types)
            if self.pair(reader, each, "")
        ]  # fmt: skip

    def _field(self, field: Field, writer: Schema, by_name: dict[str, Field], path: str) -> list[Problem]:
        written = [by_name[name] for name in (field.name, *field.aliases) if name in by_name]
        if len(written) > 1:
            raise InvalidSchema(f"field {field.name} is several fields of {writer.name} by its aliases")
        if written:
            return self.pair(field.type, written[0].type, f"{path}/type")
        if field.has_default:
            return []
        if field.type.kind == "enum" and field.type.default is not None:
            return self.pair(field.type, writer, f"{path}/type")
        words = f"the field {field.name} has no default value and was not written"
        return [Problem("READER_FIELD_MISSING_DEFAULT_VALUE", path, words)]


def _lacking(writer: Schema, path: str) -> Problem:
    return Problem("MISSING_UNION_BRANCH", path or "/", f"the union lacks {writer.name or writer.kind}")
