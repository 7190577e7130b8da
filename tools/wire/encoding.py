"""Write the functions that put one layout on the wire: pieces pushed onto a list that is joined once at the end."""

from dataclasses import replace

from tools.wire.code import Code, Formats, local_name
from tools.wire.facts import Field
from tools.wire.layout import FIXED, Layout, Slot

_INTS = {"int8": "b", "int16": "h", "uint16": "H", "int64": "q"}


class Writer:
    """Gathers fixed-size fields, and the length that follows them, into runs packed with one struct."""

    def __init__(self, code: Code, formats: Formats) -> None:
        self._code = code
        self._formats = formats
        self._codes: list[str] = []
        self._values: list[str] = []
        self._push = "push"

    def function(self, layout: Layout) -> None:
        with self._code.block(f"def _encode_{layout.suffix}(push: Push, this: {layout.struct}) -> None:"):
            started = len(self._code.lines)
            for field in layout.refused:
                with self._code.block(f"if {differs_from_default(field)}:"):
                    self._code.line(f'raise field_refused("{field.python_name}")')
            for slot in layout.slots:
                self._slot(slot)
            if layout.tagged:
                self._flush()
                self._tags(layout)
            elif layout.flexible:
                self._codes.append("x")  # no tagged fields: a zero byte
            self._flush()
            if len(self._code.lines) == started:
                self._code.line("pass")

    def _tags(self, layout: Layout) -> None:
        self._code.line("tagged: list[bytes] = []")
        self._code.line("part: list[Buffer]")
        for slot in layout.tagged:
            with self._code.block(f"if {differs_from_default(slot.field)}:"):
                self._code.line("part = []")
                self._push = "part.append"
                # What is not the default is not null where null is the default: nothing left to ask.
                self._slot(replace(slot, nullable=slot.nullable and slot.field.default is not None))
                self._flush()
                self._push = "push"
                self._code.line(f"tagged.append(tagged_field({slot.field.tag}, part))")
        self._code.line('push(tag_section(tagged) if tagged else b"\\0")')

    def _fixed(self, code: str, value: str) -> None:
        self._codes.append(code)
        self._values.append(value)

    def _flush(self) -> None:
        if self._codes:
            if self._codes == ["x"]:
                self._code.line(f'{self._push}(b"\\0")')
            else:
                self._code.line(f"{self._push}({self._packed()})")
        self._codes, self._values = [], []

    def _packed(self) -> str:
        return f"{self._formats.packer(self._codes)}({', '.join(self._values)})"

    def _flush_with_compact_length(self, *, is_string: bool) -> None:
        """One byte where n is below 128, which it nearly always is: then it joins the run before it."""
        longer = "string_length(n)" if is_string else "uvarint(n)"
        if self._codes:
            apart = f"{self._packed()} + {longer}"
            self._fixed("B", "n")
            together = self._packed()
        else:
            apart, together = longer, "BYTE[n]"
        self._codes, self._values = [], []
        self._code.line(f"{self._push}({together} if n < 128 else {apart})")

    def _slot(self, slot: Slot) -> None:
        name = local_name(slot.field)
        value = f"this.{slot.field.python_name}"
        if slot.is_fixed:
            self._fixed(FIXED[slot.field.type][0], value)
            return
        if slot.field.nullable:
            self._code.line(f"{name} = {value}")
            if not slot.nullable and not slot.tagged:
                with self._code.block(f"if {name} is None:"):
                    self._code.line(f'raise null_unsayable("{slot.field.python_name}")')
            value = name
        if slot.inner is not None and not slot.field.is_array:
            self._struct(slot, slot.inner, value)
        elif slot.field.is_array and slot.inner is None:
            self._flush()
            self._plain_array(slot, name, value)
        elif slot.field.is_array:
            self._structs(slot, name, value)
        else:
            self._sliced(slot, name, value)

    def _struct(self, slot: Slot, inner: Layout, value: str) -> None:
        write = f"_encode_{inner.suffix}({self._push}, {value})"
        if not slot.nullable:
            if slot.tagged and slot.field.nullable:
                self._code.line(f"{self._push}(BYTE[1])")
            self._flush()
            self._code.line(write)
            return
        self._fixed("b", f"{0 if slot.tagged else -1} if {value} is None else 1")
        self._flush()
        with self._code.block(f"if {value} is not None:"):
            self._code.line(write)

    def _sliced(self, slot: Slot, name: str, value: str) -> None:
        """A string, bytes or records: the length, then the thing itself."""
        is_string = slot.field.type == "string"
        source = f"{value}.encode()" if is_string else value
        sent = f"{name}_sent"
        if slot.nullable:
            with self._code.block(f"if {value} is None:"):
                declared = f"{sent}: Buffer" if slot.field.type == "records" else sent
                self._code.line(f'{declared} = b""')
                self._code.line(f"n = {0 if slot.compact else -1}")
            with self._code.block("else:"):
                self._code.line(f"{sent} = {source}")
                self._code.line(f"n = len({sent}) + 1" if slot.compact else f"n = len({sent})")
        else:
            self._code.line(f"{sent} = {source}")
            self._code.line(f"n = len({sent}) + 1" if slot.compact else f"n = len({sent})")
        if slot.compact:
            self._flush_with_compact_length(is_string=is_string)
        else:
            self._fixed("h" if is_string else "i", "n")
            self._flush()
        self._code.line(f"{self._push}({sent})")

    def _structs(self, slot: Slot, name: str, value: str) -> None:
        if value != name:
            self._code.line(f"{name} = {value}")
        count = f"len({name}) + 1" if slot.compact else f"len({name})"
        if slot.nullable:
            count = f"{0 if slot.compact else -1} if {name} is None else {count}"
        self._code.line(f"n = {count}")
        if slot.compact:
            self._flush_with_compact_length(is_string=False)
        else:
            self._fixed("i", "n")
            self._flush()
        inner = slot.inner
        if inner is None:
            raise TypeError(f"{slot.field.name} is no array of structs")
        if slot.nullable:
            with self._code.block(f"if {name}:"):
                self._each(name, inner)
        else:
            self._each(name, inner)

    def _each(self, name: str, inner: Layout) -> None:
        with self._code.block(f"for {name}_item in {name}:"):
            self._code.line(f"_encode_{inner.suffix}({self._push}, {name}_item)")

    def _plain_array(self, slot: Slot, name: str, value: str) -> None:
        kind = "compact" if slot.compact else "plain"
        if value != name:
            self._code.line(f"{name} = {value}")
        if not slot.nullable:
            self._elements(slot, name, kind)
            return
        with self._code.block(f"if {name} is None:"):
            self._code.line(f"{self._push}({'BYTE[0]' if slot.compact else 'NULL_COUNT'})")
        with self._code.block("else:"):
            self._elements(slot, name, kind)

    def _elements(self, slot: Slot, name: str, kind: str) -> None:
        match slot.field.type:
            case "int32":
                self._code.line(f"n = len({name})")
                count = "n + 1" if slot.compact else "n"
                table = f"{kind.upper()}_INT32S"
                self._code.line(f"{self._push}({table}[n]({count}, *{name}) if n < 17 else {kind}_ints('i', {name}))")
            case "string":
                self._code.line(f"{self._push}({kind}_strings({name}))")
            case "uuid":
                self._code.line(f"{self._push}({kind}_uuids({name}))")
            case integer:
                self._code.line(f"{self._push}({kind}_ints('{_INTS[integer]}', {name}))")


def differs_from_default(field: Field) -> str:
    """The condition under which a field says something that its absence would not."""
    value = f"this.{field.python_name}"
    if field.default is None:
        return f"{value} is not None"
    if field.is_array or field.type in ("bytes", "records"):
        return f"{value} is None or len({value})" if field.nullable else f"len({value})"
    if field.is_struct:
        return f"{value} != _DEFAULT_{field.python_name.upper()}"
    if field.type == "bool":
        return f"not {value}" if field.default else value
    if field.type == "uuid":
        return f"{value} != ZERO_UUID"
    return f"{value} != {field.default!r}"
