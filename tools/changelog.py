"""Puts the fragments of changes/ into CHANGELOG.md under a version, and removes them.

    python tools/changelog.py 0.2.0 2027-01-15     writes the section
    python tools/changelog.py --check              only looks whether every fragment is well named

A fragment is changes/<topic>.<kind>.md, where kind is one of KINDS, with a sentence or two for users.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KINDS = {"added": "Added", "changed": "Changed", "fixed": "Fixed", "removed": "Removed"}
MARK = "<!-- releases below, newest first -->\n"


def fragments(folder: Path) -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = {kind: [] for kind in KINDS}
    for path in sorted(folder.glob("*.md")):
        if path.name == "README.md":
            continue
        kind = path.name.removesuffix(".md").rpartition(".")[2]
        if kind not in found:
            raise SystemExit(f"{path.name}: name it <topic>.<kind>.md with a kind of {', '.join(KINDS)}")
        if not path.read_text(encoding="utf-8").strip():
            raise SystemExit(f"{path.name}: is empty")
        found[kind].append(path)
    return found


def section(version: str, date: str, found: dict[str, list[Path]]) -> str:
    lines = [f"## {version} ({date})", ""]
    for kind, title in KINDS.items():
        if found[kind]:
            lines += [f"### {title}", ""]
            for path in found[kind]:
                text = path.read_text(encoding="utf-8").strip().replace("\n", "\n  ")
                lines.append(f"- {text}")
            lines.append("")
    return "\n".join(lines) + "\n"


def main(arguments: list[str], *, root: Path = ROOT) -> None:
    found = fragments(root / "changes")
    if arguments == ["--check"]:
        return
    if len(arguments) != 2:
        raise SystemExit(__doc__)
    if not any(found.values()):
        raise SystemExit("changes/ has no fragments: nothing that users notice has changed")
    version, date = arguments
    changelog = root / "CHANGELOG.md"
    head, mark, rest = changelog.read_text(encoding="utf-8").partition(MARK)
    if not mark:
        raise SystemExit(f"CHANGELOG.md lacks the line {MARK!r}")
    changelog.write_text(f"{head}{mark}\n{section(version, date, found)}{rest.lstrip()}", encoding="utf-8")
    for path in (path for paths in found.values() for path in paths):
        path.unlink()


if __name__ == "__main__":
    main(sys.argv[1:])
