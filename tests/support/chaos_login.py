"""How the clients of a chaos run come in, and which of their errors have nothing to do with a broker that is away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

_SIGNS: Final = ("certificate", "authentic", "authoriz", "sasl")
_AWAY: Final = ("local:", "disconnect", "timed out", "timeout", "transport")


@dataclass(frozen=True)
class Login:
    """What a client of each kind needs."""

    librdkafka: Mapping[str, str] = field(default_factory=dict)
    aiokafka: Mapping[str, Any] = field(default_factory=dict)
    java: Mapping[str, str] = field(default_factory=dict)

    def java_lines(self) -> str:
        escaped = {name: value.replace("\\", "\\\\") for name, value in self.java.items()}
        return "".join(f"{name}={value}\n" for name, value in escaped.items())


OPEN: Final = Login()


def is_refusal(said: str) -> bool:
    """Whether an error is one of security."""
    said = said.lower()
    return any(sign in said for sign in _SIGNS) and not any(sign in said for sign in _AWAY)
