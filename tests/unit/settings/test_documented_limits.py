"""docs/operate/limits.md names settings that exist, with the defaults that they have."""

import re
from pathlib import Path

import pytest

from penstock.settings import Scope, settings_of

PAGE = (Path(__file__).parents[3] / "docs" / "operate" / "limits.md").read_text()
ROWS = [line.strip("|").split("|") for line in PAGE.splitlines() if line.startswith("| `")]
SCOPES = (Scope.BROKER, Scope.TOPIC, Scope.GROUP)
UNITS = {
    "ms": {
        "ms": 1,
        "s": 1_000,
        "minutes": 60_000,
        "hour": 3_600_000,
        "day": 86_400_000,
        "days": 86_400_000,
        "years": 365 * 86_400_000,
    },
    "bytes": {"MiB": 1 << 20, "GiB": 1 << 30},
}


def known(name: str) -> bool:
    return any(name in settings_of(scope) for scope in SCOPES)


@pytest.mark.parametrize("name", sorted({name for row in ROWS for name in re.findall(r"`([a-z.]+)`", row[0])}))
def test_a_limit_is_a_setting(name: str) -> None:
    assert known(name), f"there is no setting {name}"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].strip())
def test_a_limit_has_the_default_that_the_page_says(row: list[str]) -> None:
    name = re.findall(r"`([a-z.]+)`", row[0])[0]
    scope = next(scope for scope in SCOPES if name in settings_of(scope))
    default = settings_of(scope)[name].default
    said = re.match(r" ([\d,]+)(?: (MiB|GiB|ms|s|minutes|hour|days?)\b)?", row[1])
    if said is None:
        assert row[1].strip() in ("none", "half of `ulimit -n`")
        return
    number = int(said[1].replace(",", ""))
    factor = {**UNITS["ms"], **UNITS["bytes"]}.get(said[2], 1)
    assert abs(default - number * factor) <= 12, f"{name} is {default} by default"
