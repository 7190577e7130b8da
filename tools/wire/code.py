"""Lines of Python in the making: indentation, struct formats in use, names that do not clash."""

import keyword
from collections.abc import Iterator
from contextlib import contextmanager

from tools.wire.facts import Field
from tools.wire.layout import FIXED

# Locals and builtins of the generated functions, which a field of the same name must not hide.
_TAKEN = {
    "data", "pos", "n", "end", "tags", "tag", "tag_end", "push", "this", "item", "tagged", "part", "uvarint",
    "len", "range", "list", "bytes", "str", "memoryview", "msgspec",
}  # fmt: skip
_FORMAT_LETTERS = str.maketrans({"?": "t"})


class Code:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self._depth = 0

    def line(self, text: str = "") -> None:
        self.lines.append("    " * self._depth + text if text else "")

    @contextmanager
    def block(self, opening: str) -> Iterator[None]:
        self.line(opening)
        self._depth += 1
        yield
        self._depth -= 1


class Formats:
    """The precompiled structs that a module's functions use."""

    def __init__(self) -> None:
        self._readers: set[str] = set()
        self._packers: set[str] = set()

    def reader(self, codes: list[str]) -> str:
        return self._name("_read_", codes, self._readers)

    def packer(self, codes: list[str]) -> str:
        return self._name("_pack_", codes, self._packers)

    def declarations(self) -> Iterator[str]:
        for codes in sorted(self._readers):
            yield f'_read_{_letters(codes)} = Struct(">{codes}").unpack_from'
        for codes in sorted(self._packers):
            yield f'_pack_{_letters(codes)} = Struct(">{codes}").pack'

    def _name(self, prefix: str, codes: list[str], used: set[str]) -> str:
        joined = "".join(codes)
        used.add(joined)
        return prefix + _letters(joined)


def _letters(codes: str) -> str:
    return codes.replace("16s", "u").translate(_FORMAT_LETTERS)


def local_name(field: Field) -> str:
    name = field.python_name
    return f"{name}_" if name in _TAKEN or keyword.iskeyword(name) else name


def size_of(codes: list[str]) -> int:
    sizes = dict(FIXED.values()) | {"B": 1, "x": 1}
    return sum(sizes[code] for code in codes)


def python_type(field: Field) -> str:
    """The field's type in the struct: None is allowed where any version allows null."""
    base = {
        "bool": "bool",
        "string": "str",
        "bytes": "bytes",
        "uuid": "bytes",
        "float64": "float",
        "records": "bytes | bytearray | memoryview",
    }.get(field.type, field.type if field.is_struct else "int")
    if field.is_array:
        base = f"list[{base}]"
    return f"{base} | None" if field.nullable else base


def default_of(field: Field) -> str:
    """The default as an expression for a class body."""
    if field.is_array:
        return "None" if field.default is None else "msgspec.field(default_factory=list)"
    if field.default is None:
        return "None"
    if field.is_struct:
        return f"msgspec.field(default_factory={field.type})"
    if field.type == "uuid":
        return "ZERO_UUID"
    return 'b""' if field.type in ("bytes", "records") else repr(field.default)
