"""Branch coverage by package, then the thinnest files, of what `make coverage` measured (JSON on standard input)."""

import json
import sys
from collections import defaultdict
from pathlib import Path

THINNEST = 25
SMALL = 30
"""Statements and branches: below this a file's share says little."""


def main() -> None:
    packages: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    files: list[tuple[float, int, str]] = []
    for path, measured in json.load(sys.stdin)["files"].items():
        inside = Path(path).relative_to("src/penstock")
        summary = measured["summary"]
        covered = summary["covered_lines"] + summary["covered_branches"]
        size = summary["num_statements"] + summary["num_branches"]
        for counts in (packages[inside.parts[0]], packages["all"]):
            counts[0] += covered
            counts[1] += size
        if size >= SMALL:
            files.append((covered / size, size, str(inside)))
    for name, (covered, size) in sorted(packages.items()):
        print(f"{name:16} {covered / max(size, 1):5.0%} of {size}")
    for share, size, path in sorted(files)[:THINNEST]:
        print(f"{share:5.0%} of {size:4}  {path}")


main()
