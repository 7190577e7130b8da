"""Write the table by which penstock.wire.tables reads and writes a message."""

from tools.wire.code import Code
from tools.wire.facts import Field, Message


def add_table(code: Code, message: Message, fields_of: dict[str, tuple[Field, ...]]) -> None:
    code.line("DECODERS, ENCODERS = by_table(")
    code.line(f"    {message.name},")
    with code.block("    {"):
        for name, fields in fields_of.items():
            code.line(f"    {name}: (")
            for field in fields:
                code.line(f"        {_row(message, field)},")
            code.line("    ),")
    code.line("    },")
    code.line(")")


def _row(message: Message, field: Field) -> str:
    """What the message's own versions do not say already."""
    if field.always_plain or field.tagged not in (field.versions, type(field.versions)(1, 0)):
        raise ValueError(f"a table cannot say {field.name} of {message.name}")
    low, high = message.versions.low, message.versions.high
    facts = [f'"{field.python_name}"', f'"{"[]" if field.is_array else ""}{field.type}"']
    if field.versions.low > low:
        facts.append(f"since={field.versions.low}")
    if field.versions.high < high:
        facts.append(f"until={field.versions.high}")
    if field.nullable:
        facts.append(f"null_since={field.nullable.low}")
        if field.nullable.high < high:
            facts.append(f"null_until={field.nullable.high}")
    if field.tag is not None:
        facts.append(f"tag={field.tag}")
    if field.ignorable and (field.versions.low > low or field.versions.high < high):
        facts.append("ignorable=True")
    return f"Field({', '.join(facts)})"
