"""A schema as text, as Java's Schema.toString writes it: clients of registries hold two schemas equal by that."""

import json
from typing import Any

from penstock.registry.avro.schema import NAMED, TOO_DEEP, TYPE_WORDS, Field, InvalidSchema, Schema


def written(schema: Schema, outside: frozenset[str] = frozenset(), *, normalized: bool = False) -> str:
    """`outside`: types of other schemas, which are named only. `normalized`: schemas that differ in the order of
    properties, or in where a namespace stands, get one text."""
    try:
        form = _Writer(set(outside), is_normalized=normalized).type(schema, "")
        return json.dumps(form, ensure_ascii=False, separators=(",", ":"))
    except RecursionError:
        raise InvalidSchema(TOO_DEEP) from None


class _Writer:
    def __init__(self, known: set[str], *, is_normalized: bool) -> None:
        self._known = known
        self._is_normalized = is_normalized

    def type(self, schema: Schema, namespace: str) -> Any:
        if schema.kind in NAMED:
            return self._named(schema, namespace)
        if schema.kind == "union":
            return [self.type(each, namespace) for each in schema.types]
        if schema.inner is None and not schema.props:
            return schema.kind
        form: dict[str, Any] = {"type": schema.kind}
        if schema.inner is not None:
            form["items" if schema.kind == "array" else "values"] = self.type(schema.inner, namespace)
        return form | self._props(schema.props)

    def _named(self, schema: Schema, namespace: str) -> Any:
        if schema.name in self._known:
            return self._name(schema.name, namespace)
        self._known.add(schema.name)
        form: dict[str, Any] = {"type": schema.kind, "name": schema.name if self._is_normalized else schema.simple_name}
        if schema.namespace != namespace and not (self._is_normalized and schema.namespace):
            form["namespace"] = schema.namespace
        if schema.doc is not None:
            form["doc"] = schema.doc
        if schema.kind == "enum":
            form["symbols"] = schema.symbols
            if schema.default is not None:
                form["default"] = schema.default
        elif schema.kind == "fixed":
            form["size"] = schema.size
        else:
            form["fields"] = [self._field(each, schema.namespace) for each in schema.fields]
        form |= self._props(schema.props)
        if schema.aliases:
            form["aliases"] = [self._name(each, schema.namespace) for each in schema.aliases]
        return form

    def _field(self, field: Field, namespace: str) -> dict[str, Any]:
        form: dict[str, Any] = {"name": field.name, "type": self.type(field.type, namespace)}
        if field.doc is not None:
            form["doc"] = field.doc
        if field.has_default:
            form["default"] = field.default
        if field.order != "ascending":
            form["order"] = field.order
        if field.aliases:
            form["aliases"] = field.aliases
        return form | self._props(field.props)

    def _name(self, full: str, namespace: str) -> str:
        space, _, simple = full.rpartition(".")
        is_clear = space == namespace and simple not in TYPE_WORDS
        return simple if is_clear and not self._is_normalized else full

    def _props(self, props: dict[str, Any]) -> dict[str, Any]:
        return dict(sorted(props.items())) if self._is_normalized else props
