"""One message, two modules: its structs, and how they are read and written, by functions for each layout or by a table.

Apart, as whoever names a message need not have the functions in memory: see penstock.wire.primitives.Codec.
"""

import re

from tools.wire.code import Code, Formats, default_of, python_type
from tools.wire.decoding import Reader
from tools.wire.encoding import Writer
from tools.wire.facts import Field, Message
from tools.wire.layout import Layouts
from tools.wire.tabling import add_table

MADE_BY = "# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again."
_METHODS = {"api_key", "versions", "flexible_from", "codec", "encode", "decode"}
_RUNTIME = (
    "BYTE", "Buffer", "COMPACT_INT32S", "Codec", "Message", "NULL_COUNT", "PLAIN_INT32S", "Push", "UNPACK_INT32S",
    "ZERO_UUID", "compact_ints", "compact_strings", "compact_uuids", "long_string_length", "long_varint", "plain_ints",
    "plain_strings", "plain_uuids", "read_compact_strings", "read_ints", "read_strings", "read_tag", "read_uuids",
    "skip_tags", "string_length", "tag_section", "tagged_field", "uvarint",
)  # fmt: skip
_FAILURES = ("absurd_count", "field_refused", "negative_length", "null_refused", "null_unsayable", "wrong_tag_size")


def structs_text(message: Message) -> str:
    code = Code()
    structs = _structs(message)
    for name in _inner_first(message, structs):
        _struct_class(code, name, structs[name])
    _message_class(code, message)
    body = "\n".join(code.lines)
    imports = ["import msgspec", ""] if "msgspec." in body else []
    return "\n".join([MADE_BY, *imports, _runtime_imports(body), "", body, ""])


def codec_text(message: Message, *, unrolled_since: int | None = 0) -> str:
    """Straight-line functions from a version on, None being no version; a table for those before it."""
    code = Code()
    formats = Formats()
    since = message.versions.high + 1 if unrolled_since is None else unrolled_since
    reading, writing = Layouts(message, writing=False, since=since), Layouts(message, writing=True, since=since)
    fields_of = _structs(message) | {message.name: message.fields}
    if since > message.versions.low:
        add_table(code, message, fields_of)
    for layout in reading:
        Reader(code, formats, views=_carries_records(message)).function(layout, fields_of[layout.struct])
    for layout in writing:
        Writer(code, formats).function(layout)
    _by_version(code, "DECODERS", "_decode_", reading)
    _by_version(code, "ENCODERS", "_encode_", writing)
    body = "\n".join([*code.lines, "", *_defaults_used(code, fields_of)])
    structs = f"from penstock.wire.messages.{message.module} import {', '.join(fields_of)}"
    declared = list(formats.declarations())
    lines = [MADE_BY, *(["from struct import Struct", ""] if declared else []), structs, _runtime_imports(body), ""]
    return "\n".join([*lines, *declared, "", body, ""])


def _structs(message: Message) -> dict[str, tuple[Field, ...]]:
    used = {layout.struct for layout in Layouts(message, writing=False)}
    return {name: fields for name, fields in message.structs.items() if name in used}


def _carries_records(message: Message) -> bool:
    return any(field.type == "records" for fields in _all_fields(message) for field in fields)


def _all_fields(message: Message) -> list[tuple[Field, ...]]:
    return [message.fields, *message.structs.values()]


def _inner_first(message: Message, structs: dict[str, tuple[Field, ...]]) -> list[str]:
    ordered: list[str] = []

    def visit(fields: tuple[Field, ...]) -> None:
        for field in fields:
            if field.is_struct and field.type in structs and field.type not in ordered:
                visit(structs[field.type])
                ordered.append(field.type)

    visit(message.fields)
    return ordered


def _struct_class(code: Code, name: str, fields: tuple[Field, ...]) -> None:
    with code.block(f"class {name}(msgspec.Struct, gc=False):"):
        for field in fields:
            code.line(f"{field.python_name}: {python_type(field)} = {default_of(field)}")
        if not fields:
            code.line("pass")
    code.line()


def _message_class(code: Code, message: Message) -> None:
    clashing = {field.python_name for field in message.fields} & _METHODS
    if clashing:
        raise ValueError(f"{message.name} has fields named like its methods: {clashing}")
    with code.block(f"class {message.name}(Message, gc=False):"):
        if message.key is not None:
            code.line(f"api_key = {message.key}")
        code.line(f"versions = ({message.versions.low}, {message.versions.high})")
        flexible = message.flexible.low if message.flexible else None
        code.line(f"flexible_from = {flexible}")
        code.line(f'codec = Codec("{message.module}"{", memoryview" if _carries_records(message) else ""})')
        for field in message.fields:
            code.line(f"{field.python_name}: {python_type(field)} = {default_of(field)}")
    code.line()


def _by_version(code: Code, name: str, prefix: str, layouts: Layouts) -> None:
    if not layouts.by_version:
        return
    is_whole = len(layouts.by_version) == len(list(layouts.message.versions))
    with code.block(f"{name} {'=' if is_whole else '|='} {{"):
        for version, layout in layouts.by_version.items():
            code.line(f"{version}: {prefix}{layout.suffix},")
    code.line("}")


def _defaults_used(code: Code, fields_of: dict[str, tuple[Field, ...]]) -> list[str]:
    text = "\n".join(code.lines)
    found = []
    for fields in fields_of.values():
        for field in fields:
            name = f"_DEFAULT_{field.python_name.upper()}"
            line = f"{name} = {field.type}()"
            if re.search(rf"\b{name}\b", text) and line not in found:
                found.append(line)
    return found


def _runtime_imports(body: str) -> str:
    lines = []
    for module, names in (
        ("fields", ("Field",)),
        ("malformed", _FAILURES),
        ("primitives", _RUNTIME),
        ("tables", ("by_table",)),
    ):
        used = [name for name in names if re.search(rf"\b{name}\b", body)]
        if used:
            lines.append(f"from penstock.wire.{module} import {', '.join(used)}")
    return "\n".join(lines)
