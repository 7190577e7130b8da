"""Values that stand elsewhere, so that a file of settings holds no secrets.

    ${env:NAME}         a variable
    ${file:PATH}        all of a file, without the line's end
    ${file:PATH:NAME}   one property of a file

The first and the last are those of Kafka's EnvVarConfigProvider and FileConfigProvider. Any other kind is refused:
taken as it stands, the reference itself would be the secret.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from penstock.settings.properties import parse_properties

_REFERENCE = re.compile(r"\$\{(?P<kind>[A-Za-z][\w.-]*):(?P<what>[^}]*)\}")


def resolve(text: str, environment: Mapping[str, str]) -> str:
    """ValueError, in words, where there is nothing to put in."""
    return _REFERENCE.sub(lambda found: _value(found["kind"], found["what"], environment), text)


def _value(kind: str, what: str, environment: Mapping[str, str]) -> str:
    if kind == "env":
        if what not in environment:
            raise ValueError(f"${{env:{what}}}: there is no such variable")
        return environment[what]
    if kind != "file":
        raise ValueError(f"${{{kind}:…}}: only ${{file:…}} and ${{env:…}} are read")
    path, _, name = what.partition(":")
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "it is not text"
        raise ValueError(f"${{file:{what}}}: {path} cannot be read: {reason}") from None
    if not name:
        return text.rstrip("\r\n")
    found = [line.value for line in parse_properties(text) if line.name == name]
    if not found:
        raise ValueError(f"${{file:{what}}}: {path} has no {name}")
    return found[-1]
