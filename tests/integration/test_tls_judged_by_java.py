"""Names of certificates and Kafka's mapping rules, beside Java and Kafka themselves."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

from tests.support import java

from penstock.access.distinguished_name import java_name
from penstock.access.principal_mapping import NoRuleMatches, PrincipalMapping

SOURCE = Path(__file__).parents[1] / "java" / "TlsNames.java"
KINDS = (
    "2.5.4.3", "2.5.4.6", "2.5.4.7", "2.5.4.8", "2.5.4.9", "2.5.4.10", "2.5.4.11", "0.9.2342.19200300.100.1.25",
    "0.9.2342.19200300.100.1.1", "1.2.840.113549.1.9.1", "2.5.4.5", "2.5.4.4", "2.5.4.42", "1.3.6.1.4.1.99999.1",
)  # fmt: skip
ENCODINGS = {
    0x0C: "utf-8", 0x12: "ascii", 0x13: "ascii", 0x14: "latin-1", 0x16: "ascii", 0x1B: "ascii", 0x1C: "utf-32-be",
    0x1E: "utf-16-be",
}  # fmt: skip
CHARACTERS = "abcXYZ019 ,=+<>#;\"\\\r'()./:?-@_*!~é中\0"
RULES = (
    "DEFAULT", "", ",DEFAULT,", "DEFAUL", "RULE:.*/X/", "RULE:^CN=(.*?),O.*$/$1/L,DEFAULT",
    "RULE:CN=(.*?)/$1x/,DEFAULT",
    "RULE:^(.*)$/$1@$4/U", "RULE:^(.*)$/$12/", "RULE:^.*$/$1/", "RULE:^.*$/$0z/", "RULE:^.*$/$/", "RULE:^.*$/a\\/b/U",
    "RULE:(.)(.)(.*)/$10-$07$3/L", "RULE:^(?<n>[A-Z]+)=(.*)$/${n}/, DEFAULT", "RULE:^x$/y/ ",
    "RULE:^.*$/$0/Lfoo,DEFAULT",
    "RULE:(x)?.*/<$1>/", "RULE:^(.*)$/\\$1\\t/", "RULE:^(.*)$/$99$1/", "RULE:^(CN|UID)=([^,]*).*$/$2/,RULE:^.*$/other/",
    "RULE:^(.*)$/$$1/", "RULE:^(.*)$/$1/ RULE:^(.*)$/$1/",
)  # fmt: skip


def der(tag: int, content: bytes) -> bytes:
    size = len(content)
    return (
        bytes([tag, size] if size < 128 else [tag, 0x81, size] if size < 256 else [tag, 0x82, *divmod(size, 256)])
        + content
    )


def kind(number: str) -> bytes:
    first, second, *rest = map(int, number.split("."))
    content = b""
    for each in (40 * first + second, *rest):
        digits = [each & 127]
        while each := each >> 7:
            digits.append(each & 127 | 128)
        content += bytes(reversed(digits))
    return der(0x06, content)


def a_name(dice: random.Random) -> bytes:
    name = b""
    for _ in range(dice.randrange(4)):
        pairs = []
        for _ in range(dice.choice((1, 1, 1, 2, 3))):
            tag = dice.choice(tuple(ENCODINGS))
            text = "".join(dice.choice(CHARACTERS) for _ in range(dice.randrange(9)))
            pairs.append(der(0x30, kind(dice.choice(KINDS)) + der(tag, text.encode(ENCODINGS[tag], "replace"))))
        name += der(0x31, b"".join(pairs))
    return name


def mapped(rules: str, name: str) -> str:
    try:
        return "=" + PrincipalMapping(rules).name(name).encode().hex()
    except (NoRuleMatches, ValueError):
        return "-"


def test_names_and_rules_are_read_as_java_and_kafka_read_them(tmp_path: Path) -> None:
    dice = random.Random(4090)
    asked = [(rules, a_name(dice)) for rules in RULES for _ in range(100)]
    program = java.command("TlsNames", also=java.compiled(SOURCE, tmp_path))
    lines = "".join(f"{rules}\t{der(0x30, name).hex()}\n" for rules, name in asked)
    done = subprocess.run(program, input=lines, capture_output=True, text=True, check=True, timeout=200)
    answers = [tuple(line.split("\t")) for line in done.stdout.splitlines()]
    ours = [(java_name(name).encode().hex(), mapped(rules, java_name(name))) for rules, name in asked]
    different = [
        (rules, bytes.fromhex(theirs[0]), theirs[1], mine)
        for (rules, _), theirs, mine in zip(asked, answers, ours, strict=True)
        if theirs != mine
    ]
    assert not different, different[:5]
