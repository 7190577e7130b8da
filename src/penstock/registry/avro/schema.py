"""What an Avro schema is once it is read. Names are full names; a named type that is used again is the same object."""

from typing import Any, Final

from penstock.registry.refusals import INVALID_SCHEMA, RegistryRefusal

PRIMITIVES: Final = frozenset({"null", "boolean", "int", "long", "float", "double", "bytes", "string"})
NAMED: Final = frozenset({"record", "error", "enum", "fixed"})
TOO_DEEP: Final = "it is nested too deeply"
TYPE_WORDS: Final = PRIMITIVES | NAMED | {"array", "map", "union"}


class InvalidSchema(RegistryRefusal):
    """The text is no schema, or refers to what is not there, or there is too much of it."""

    def __init__(self, words: str) -> None:
        super().__init__(INVALID_SCHEMA, f"Invalid schema: {words}")


class Field:
    __slots__ = ("aliases", "default", "doc", "has_default", "name", "order", "props", "type")

    def __init__(self, name: str, type_: "Schema") -> None:
        self.name = name
        self.type = type_
        self.doc: str | None = None
        self.has_default = False
        self.default: Any = None
        self.order = "ascending"
        self.aliases: list[str] = []
        self.props: dict[str, Any] = {}


class Schema:
    """One type. Its `kind` says what counts: a primitive's name, record, error, enum, fixed, array, map or union."""

    __slots__ = ("aliases", "default", "doc", "fields", "inner", "kind", "name", "props", "size", "symbols", "types")

    def __init__(self, kind: str, name: str = "") -> None:
        self.kind = kind
        self.name = name
        """The full name of a named type."""
        self.doc: str | None = None
        self.aliases: list[str] = []
        """Full names."""
        self.fields: list[Field] = []
        self.symbols: list[str] = []
        self.default: str | None = None
        """What readers take an unknown symbol of an enum for."""
        self.size = 0
        self.inner: Schema | None = None
        """The items of an array, the values of a map."""
        self.types: list[Schema] = []
        """The branches of a union."""
        self.props: dict[str, Any] = {}

    @property
    def simple_name(self) -> str:
        return self.name.rpartition(".")[2]

    @property
    def namespace(self) -> str:
        return self.name.rpartition(".")[0]

    @property
    def group(self) -> str:
        """What compatibility goes by: an error is a record."""
        return "record" if self.kind == "error" else self.kind


def qualified(name: str, namespace: str) -> str:
    """The full name. A leading dot says that there is no namespace."""
    if "." in name:
        return name.removeprefix(".")
    return f"{namespace}.{name}" if namespace else name
