"""Write the functions that read one layout.

Positions may run past the end of the data without a check for each field: the next read then fails, or the message ends
past the data. Only counts are checked at once, for they decide how much memory is taken.
"""

from tools.wire.code import Code, Formats, local_name, size_of
from tools.wire.facts import Field
from tools.wire.layout import FIXED, Layout, Slot

_INTS = {"int8": "b", "int16": "h", "uint16": "H", "int64": "q"}


class Reader:
    """Gathers fixed-size fields into runs, each read with one struct."""

    def __init__(self, code: Code, formats: Formats, *, views: bool) -> None:
        self._code = code
        self._formats = formats
        self._views = views  # data may be a memoryview: the message carries records, which are not copied
        self._codes: list[str] = []
        self._names: list[str] = []

    def function(self, layout: Layout, fields: tuple[Field, ...]) -> None:
        data_type = "bytes | memoryview" if self._views else "bytes"
        with self._code.block(
            f"def _decode_{layout.suffix}(data: {data_type}, pos: int) -> tuple[{layout.struct}, int]:"
        ):
            for slot in layout.slots:
                self._slot(slot)
            if layout.flexible:
                self._fixed("B", "tags")
            self._flush()
            made = f"{layout.struct}({_arguments(layout, fields)})"
            if layout.tagged:
                self._code.line(f"item = {made}")
                self._tags(layout)
                self._code.line("return item, pos")
            else:
                if layout.flexible:
                    with self._code.block("if tags:"):
                        self._code.line("pos = skip_tags(data, pos, tags)")
                self._code.line(f"return {made}, pos")

    def _tags(self, layout: Layout) -> None:
        with self._code.block("if tags:"):
            with self._code.block("if tags > 127:"):
                self._code.line("tags, pos = long_varint(data, pos)")
            with self._code.block("for _ in range(tags):"):
                self._code.line("tag, tag_end, pos = read_tag(data, pos)")
                for index, slot in enumerate(layout.tagged):
                    with self._code.block(f"{'elif' if index else 'if'} tag == {slot.field.tag}:"):
                        self._slot(slot)
                        self._flush()
                        self._code.line(f"item.{slot.field.python_name} = {local_name(slot.field)}")
                        with self._code.block("if pos != tag_end:"):
                            self._code.line(f'raise wrong_tag_size("{slot.field.python_name}")')
                with self._code.block("else:"):
                    self._code.line("pos = tag_end")

    def _fixed(self, code: str, name: str) -> None:
        self._codes.append(code)
        self._names.append(name)

    def _flush(self) -> None:
        codes, names = self._codes, self._names
        self._codes, self._names = [], []
        if not codes:
            return
        if codes == ["B"]:
            self._code.line(f"{names[0]} = data[pos]")
        else:
            targets = ", ".join(names) if len(names) > 1 else f"({names[0]},)"
            self._code.line(f"{targets} = {self._formats.reader(codes)}(data, pos)")
        self._code.line(f"pos += {size_of(codes)}")

    def _slot(self, slot: Slot) -> None:
        name = local_name(slot.field)
        if slot.is_fixed:
            self._fixed(FIXED[slot.field.type][0], name)
        elif slot.inner is not None and not slot.field.is_array:
            self._struct(slot, slot.inner, name)
        else:
            self._length(slot)
            if slot.field.is_array:
                self._array(slot, name)
            else:
                self._sliced(slot, name)

    def _struct(self, slot: Slot, inner: Layout, name: str) -> None:
        read = f"{name}, pos = _decode_{inner.suffix}(data, pos)"
        if not slot.nullable:
            self._flush()
            self._code.line(read)
            return
        self._fixed("b", "n")
        self._flush()
        self._code.line(f"{name}: {slot.field.type} | None = None")
        with self._code.block("if n > 0:" if slot.tagged else "if n >= 0:"):
            self._code.line(read)

    def _length(self, slot: Slot) -> None:
        """Leave in n the length of a string, or the count of an array: plus one where compact, so that 0 is null."""
        is_string = slot.field.type == "string" and not slot.field.is_array
        if slot.compact:
            self._fixed("B", "n")
            self._flush()
            with self._code.block("if n > 127:"):
                self._code.line(f"n, pos = {'long_string_length' if is_string else 'long_varint'}(data, pos)")
        else:
            self._fixed("h" if is_string else "i", "n")
            self._flush()

    def _refuse_null(self, slot: Slot) -> None:
        with self._code.block("if not n:" if slot.compact else "if n < 0:"):
            self._code.line(f'raise null_refused("{slot.field.python_name}")')

    def _refuse_negative(self, slot: Slot) -> None:
        if not slot.compact:
            with self._code.block("elif n != -1:"):
                self._code.line(f'raise negative_length("{slot.field.python_name}", n)')

    def _sliced(self, slot: Slot, name: str) -> None:
        piece = "data[pos:end]"
        match slot.field.type:
            case "string":
                base, value = "str", f'str({piece}, "utf-8")' if self._views else f"{piece}.decode()"
            case "bytes":
                base, value = "bytes", f"bytes({piece})" if self._views else piece
            case _:
                base, value = "bytes | memoryview", piece
        end = "end = pos + n - 1" if slot.compact else "end = pos + n"
        if not slot.nullable:
            self._refuse_null(slot)
            self._lines(end, f"{name} = {value}", "pos = end")
            return
        self._code.line(f"{name}: {base} | None = None")
        with self._code.block("if n:" if slot.compact else "if n >= 0:"):
            self._lines(end, f"{name} = {value}", "pos = end")
        self._refuse_negative(slot)

    def _array(self, slot: Slot, name: str) -> None:
        element = {"string": "str", "uuid": "bytes"}.get(slot.field.type, slot.field.type if slot.inner else "int")
        if not slot.nullable:
            self._refuse_null(slot)
            self._elements(slot, name, f"{name}: list[{element}]")
            return
        self._code.line(f"{name}: list[{element}] | None = None")
        with self._code.block("if n:" if slot.compact else "if n >= 0:"):
            self._elements(slot, name, name)
        self._refuse_negative(slot)

    def _elements(self, slot: Slot, name: str, target: str) -> None:
        if slot.compact:
            self._code.line("n -= 1")
        if slot.inner is not None:
            self._structs(slot, slot.inner, name, target)
        elif slot.field.type == "string":
            kind = "compact_" if slot.compact else ""
            self._code.line(f"{target.partition(':')[0]}, pos = read_{kind}strings(data, pos, n)")
        elif slot.field.type == "uuid":
            self._lines(f"{target.partition(':')[0]} = read_uuids(data, pos, n)", "pos += 16 * n")
        elif slot.field.type == "int32":
            read = "list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints('i', data, pos, n)"
            self._lines(f"{target.partition(':')[0]} = {read}", "pos += 4 * n")
        else:
            letter = _INTS[slot.field.type]
            size = FIXED[slot.field.type][1]
            self._lines(f"{target.partition(':')[0]} = read_ints('{letter}', data, pos, n)", f"pos += {size} * n")

    def _structs(self, slot: Slot, inner: Layout, name: str, target: str) -> None:
        least = max(inner.least_size, 1)
        needed = "n" if least == 1 else f"n * {least}"
        with self._code.block(f"if {needed} > len(data) - pos:"):
            self._code.line(f'raise absurd_count("{slot.field.python_name}", n)')
        self._code.line(f"{target} = []")
        with self._code.block("for _ in range(n):"):
            self._code.line(f"{name}_item, pos = _decode_{inner.suffix}(data, pos)")
            self._code.line(f"{name}.append({name}_item)")

    def _lines(self, *lines: str) -> None:
        for line in lines:
            self._code.line(line)


def _arguments(layout: Layout, fields: tuple[Field, ...]) -> str:
    """Positional for as long as no field is missing, which is faster; by keyword from there on."""
    present = {slot.field.python_name for slot in layout.slots}
    arguments = []
    positional = True
    for field in fields:
        if field.python_name not in present:
            positional = False
            continue
        local = local_name(field)
        arguments.append(local if positional else f"{field.python_name}={local}")
    return ", ".join(arguments)
