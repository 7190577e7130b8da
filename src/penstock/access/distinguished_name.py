"""A certificate's subject in the words that Java has for it: X500Principal.getName(), after RFC 2253.

Kafka's `ssl.principal.mapping.rules` and the names in its access rules are written for these words, so every quirk
counts: attributes go from the last to the first, only nine kinds of them have names, others are written as their number
with the DER of the value in hex. Pure: bytes in, a string out.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

_NAMES: Final = {
    "2.5.4.3": "CN",
    "2.5.4.6": "C",
    "2.5.4.7": "L",
    "2.5.4.8": "ST",
    "2.5.4.9": "STREET",
    "2.5.4.10": "O",
    "2.5.4.11": "OU",
    "0.9.2342.19200300.100.1.25": "DC",
    "0.9.2342.19200300.100.1.1": "UID",
}
_STRINGS: Final = frozenset((0x0C, 0x13, 0x14, 0x16, 0x1B, 0x1E))
"""UTF8String, PrintableString, T61String, IA5String, GeneralString, BMPString: those that Java takes for text. It
reads each as UTF-8.
"""
_ESCAPED: Final = frozenset(',=+<>#;"\\')
_EDGES: Final = " \r"
_SEQUENCE: Final = 0x30
_SET: Final = 0x31
_OBJECT_IDENTIFIER: Final = 0x06
_VERSION: Final = 0xA0
_BEFORE_SUBJECT: Final = 4
"""Serial number, signature's algorithm, issuer, validity."""


class _Element(NamedTuple):
    tag: int
    content: bytes
    whole: bytes


def subject_of(certificate: bytes) -> str:
    """Of a certificate in DER. ValueError where that is none."""
    outer = _first(certificate, _SEQUENCE)
    signed = list(_elements(_first(outer.content, _SEQUENCE).content))
    if signed and signed[0].tag == _VERSION:
        del signed[0]
    if len(signed) <= _BEFORE_SUBJECT or signed[_BEFORE_SUBJECT].tag != _SEQUENCE:
        raise ValueError("a certificate without a subject")
    return java_name(signed[_BEFORE_SUBJECT].content)


def java_name(name: bytes) -> str:
    """Of the content of a Name: a set of attributes after the other."""
    sets = [each for each in _elements(name) if each.tag == _SET]
    return ",".join("+".join(map(_attribute, _elements(each.content))) for each in reversed(sets))


def _attribute(pair: _Element) -> str:
    kind, value = _elements(pair.content)
    if kind.tag != _OBJECT_IDENTIFIER:
        raise ValueError("an attribute without a kind")
    number = _number(kind.content)
    name = _NAMES.get(number)
    if name is None or value.tag not in _STRINGS:
        return f"{name or number}=#{value.whole.hex()}"
    return f"{name}={_escaped(value.content.decode(errors='replace'))}"


def _escaped(text: str) -> str:
    middle = text.strip(_EDGES)
    begin = text.find(middle) if middle else len(text)
    written = []
    for place, character in enumerate(text):
        if character == "\0":
            written.append("\\00")
        elif character in _ESCAPED or not begin <= place < begin + len(middle):
            written.append("\\" + character)
        else:
            written.append(character)
    return "".join(written)


# DER ------------------------------------------------------------------------------------------------------------------


def _first(data: bytes, tag: int) -> _Element:
    for element in _elements(data):
        if element.tag == tag:
            return element
        break
    raise ValueError("not the DER of a certificate")


def _elements(data: bytes) -> Iterator[_Element]:
    position = 0
    while position < len(data):
        begin = position
        if len(data) - position < 2:
            raise ValueError("DER that ends early")
        tag, size = data[position], data[position + 1]
        position += 2
        if size & 0x80:
            digits = size & 0x7F
            size = int.from_bytes(data[position : position + digits], "big")
            position += digits
        if not 0 <= size <= len(data) - position:
            raise ValueError("DER that ends early")
        position += size
        yield _Element(tag, data[position - size : position], data[begin:position])


def _number(content: bytes) -> str:
    """An object identifier with dots."""
    numbers, current = [], 0
    for byte in content:
        current = current << 7 | byte & 0x7F
        if not byte & 0x80:
            numbers.append(current)
            current = 0
    if not numbers:
        raise ValueError("an object identifier without numbers")
    first = min(numbers[0] // 40, 2)
    return ".".join(map(str, (first, numbers[0] - 40 * first, *numbers[1:])))
