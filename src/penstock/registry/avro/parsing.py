"""Avro's JSON to a schema, with the checks that Java's parser makes: names, doubles, defaults."""

import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from penstock.registry.avro.schema import NAMED, PRIMITIVES, TOO_DEEP, Field, InvalidSchema, Schema, qualified

# Everything else on a type, or on a field, is a property that is kept as it is.
_OF_A_TYPE: Final = frozenset(
    {"doc", "fields", "items", "name", "namespace", "size", "symbols", "values", "type", "aliases"}
)
_OF_A_FIELD: Final = frozenset({"default", "doc", "name", "order", "type", "aliases"})
_ORDERS: Final = ("ascending", "descending", "ignore")
_LETTERS: Final = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo"})
_CHECKS_MAX: Final = 1_000_000
"""Of parts of defaults. With unions in unions each level may double them."""
_INT_MAX, _LONG_MAX = 2**31 - 1, 2**63 - 1


def parse(text: str, references: Iterable[str] = ()) -> tuple[Schema, frozenset[str]]:
    """The schema, and the full names of the types that came from `references`: schemas that are read before it."""
    names: dict[str, Schema] = {}
    try:
        for each in references:
            _Parser(names).type(_json(each), "")
        outside = frozenset(names)
        return _Parser(names).type(_json(text), ""), outside
    except RecursionError:
        raise InvalidSchema(TOO_DEEP) from None


def _json(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise InvalidSchema(f"it is not JSON: {error}") from None


class _Parser:
    def __init__(self, names: dict[str, Schema]) -> None:
        self._names = names
        self._open: set[str] = set()
        """Records whose fields are being read: no default can be one of them."""
        self._checks = 0

    def type(self, json: Any, namespace: str) -> Schema:
        if isinstance(json, str):
            return Schema(json) if json in PRIMITIVES else self._named(json, namespace)
        if isinstance(json, list):
            return self._union(json, namespace)
        if not isinstance(json, dict):
            raise InvalidSchema(f"a type is a name, an object or a list, not {json!r}")
        kind = json.get("type")
        if not isinstance(kind, str):
            raise InvalidSchema(f"no type: {_short(json)}")
        if kind in PRIMITIVES:
            schema = Schema(kind)
        elif kind in NAMED:
            return self._definition(kind, json, namespace)
        elif kind in {"array", "map"}:
            schema = Schema(kind)
            inner = "items" if kind == "array" else "values"
            if inner not in json:
                raise InvalidSchema(f"{kind} has no {inner}: {_short(json)}")
            schema.inner = self.type(json[inner], namespace)
        else:
            return self._named(kind, namespace)
        schema.props = {key: value for key, value in json.items() if key not in _OF_A_TYPE}
        return schema

    def _named(self, name: str, namespace: str) -> Schema:
        found = self._names.get(qualified(name, namespace))
        if found is None or name.startswith("."):
            raise InvalidSchema(f'"{name}" is no defined name')
        return found

    def _union(self, json: list[Any], namespace: str) -> Schema:
        union = Schema("union")
        seen = set()
        for each in json:
            branch = self.type(each, namespace)
            if branch.kind == "union":
                raise InvalidSchema("a union directly within a union")
            what = branch.name or branch.kind
            if what in seen:
                raise InvalidSchema(f"twice in a union: {what}")
            seen.add(what)
            union.types.append(branch)
        return union

    def _definition(self, kind: str, json: dict[str, Any], namespace: str) -> Schema:
        name = json.get("name")
        if not isinstance(name, str):
            raise InvalidSchema(f"no name in {kind}: {_short(json)}")
        space = _text(json, "namespace")
        full = qualified(name, namespace if space is None else space)
        *_, simple = full.split(".")
        if full in PRIMITIVES or full in self._names:
            raise InvalidSchema(f"can't redefine {full}")
        _check_name(simple)
        schema = Schema(kind, full)
        schema.doc = _text(json, "doc")
        schema.aliases = list(dict.fromkeys(qualified(each, schema.namespace) for each in _aliases(json)))
        self._names[full] = schema
        if kind == "enum":
            self._enum(schema, json)
        elif kind == "fixed":
            size = json.get("size")
            if not isinstance(size, int) or isinstance(size, bool) or not 0 <= size <= _INT_MAX:
                raise InvalidSchema(f"invalid or no size: {_short(json)}")
            schema.size = size
        else:
            fields = json.get("fields")
            if not isinstance(fields, list):
                raise InvalidSchema(f"record has no fields: {_short(json)}")
            self._open.add(full)
            for each in fields:
                self._field(schema, each)
            if len({each.name for each in schema.fields}) < len(fields):
                raise InvalidSchema(f"a field of {full} is there twice")
            self._open.remove(full)
        reserved = _OF_A_TYPE | {"default"} if kind == "enum" else _OF_A_TYPE
        schema.props = {key: value for key, value in json.items() if key not in reserved}
        return schema

    def _enum(self, schema: Schema, json: dict[str, Any]) -> None:
        symbols = json.get("symbols")
        if not isinstance(symbols, list) or not all(isinstance(each, str) for each in symbols):
            raise InvalidSchema(f"enum has no symbols: {_short(json)}")
        for each in symbols:
            _check_name(each)
        if len(set(symbols)) < len(symbols):
            raise InvalidSchema(f"duplicate enum symbol in {schema.name}")
        default = _text(json, "default")
        if default is not None and default not in symbols:
            raise InvalidSchema(f"the enum default {default} is not in the symbols of {schema.name}")
        schema.symbols, schema.default = symbols, default

    def _field(self, record: Schema, json: Any) -> None:
        name = json.get("name") if isinstance(json, dict) else None
        if not isinstance(name, str):
            raise InvalidSchema(f"no field name: {_short(json)}")
        _check_name(name)
        if "type" not in json:
            raise InvalidSchema(f"no field type: {_short(json)}")
        field = Field(name, self.type(json["type"], record.namespace))
        field.doc = _text(json, "doc")
        order = _text(json, "order") or "ascending"
        if order.lower() not in _ORDERS:
            raise InvalidSchema(f"{order} is no order of a field")
        field.order = order.lower()
        field.aliases = _aliases(json)
        if "default" in json:
            field.has_default, field.default = True, json["default"]
            if field.type.kind in {"float", "double"} and isinstance(field.default, str):
                try:
                    field.default = float(field.default)
                except ValueError:
                    pass
            if not self._fits(field.type, field.default):
                raise InvalidSchema(f"invalid default for field {name}: {msgspec.json.encode(field.default).decode()}")
        field.props = {key: value for key, value in json.items() if key not in _OF_A_FIELD}
        record.fields.append(field)

    def _fits(self, schema: Schema, value: Any) -> bool:
        """Whether a default is a value of its type. That of a union may be of any branch."""
        self._checks += 1
        if self._checks > _CHECKS_MAX:
            raise InvalidSchema("its defaults take too long to check")
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        match schema.kind:
            case "string" | "bytes" | "enum" | "fixed":
                return isinstance(value, str)
            case "int":
                return is_number and isinstance(value, int) and -_INT_MAX - 1 <= value <= _INT_MAX
            case "long":
                return is_number and isinstance(value, int) and -_LONG_MAX - 1 <= value <= _LONG_MAX
            case "float" | "double":
                return is_number
            case "boolean":
                return isinstance(value, bool)
            case "null":
                return value is None
            case "array":
                return isinstance(value, list) and all(self._fits(_inner(schema), each) for each in value)
            case "map":
                return isinstance(value, dict) and all(self._fits(_inner(schema), each) for each in value.values())
            case "union":
                return any(self._fits(each, value) for each in schema.types)
        if not isinstance(value, dict):
            return False
        if schema.name in self._open:
            raise InvalidSchema(f"a default of {schema.name} within {schema.name}")
        return all(
            self._fits(each.type, value[each.name]) if each.name in value else each.has_default
            for each in schema.fields
        )


def _inner(schema: Schema) -> Schema:
    assert schema.inner is not None
    return schema.inner


def _text(json: Mapping[str, Any], key: str) -> str | None:
    value = json.get(key)
    return value if isinstance(value, str) else None


def _aliases(json: Mapping[str, Any]) -> list[str]:
    aliases = json.get("aliases", [])
    if not isinstance(aliases, list) or not all(isinstance(each, str) for each in aliases):
        raise InvalidSchema(f"aliases are a list of names, not {_short(aliases)}")
    return list(dict.fromkeys(aliases))


def _check_name(name: str) -> None:
    """Letters of any alphabet, as Java's parser takes them."""
    if not name or not all(_is_letter(each, first=not index) for index, each in enumerate(name)):
        raise InvalidSchema(f"{name!r} is no name: letters, digits and _, and no digit first")


def _is_letter(char: str, *, first: bool) -> bool:
    category = unicodedata.category(char)
    return char == "_" or category in _LETTERS or (category == "Nd" and not first)


def _short(json: Any) -> str:
    text = msgspec.json.encode(json).decode()
    return text if len(text) <= 200 else text[:200] + "…"
