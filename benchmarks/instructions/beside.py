"""`python -m benchmarks.instructions.beside COMMIT`: instructions of each step here, beside those at a commit before.

The commit is checked out for the time of the run and counted with its own steps, in this environment. Steps that only
one of the two has are left out. Asserts nothing.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import click

REPOSITORY = Path(__file__).resolve().parents[2]


def counted(folder: Path) -> dict[str, float]:
    """Of the tree in this folder, whatever else is installed."""
    with tempfile.TemporaryDirectory(prefix="penstock-bench-") as name:
        kept = Path(name) / "steps.json"
        environment = {**os.environ, "PYTHONPATH": f"{folder / 'src'}{os.pathsep}{folder}"}
        subprocess.run([sys.executable, "-m", "compileall", "-q", str(folder / "src")], check=True)
        command = [sys.executable, "-m", "benchmarks.instructions", "--last", str(kept)]
        subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
        steps: dict[str, float] = json.loads(kept.read_text())
        return steps


def counted_at(commit: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="penstock-bench-") as name:
        tree = Path(name) / "tree"
        git = ["git", "-C", str(REPOSITORY), "worktree"]
        subprocess.run([*git, "add", "--detach", str(tree), commit], check=True, capture_output=True)
        try:
            return counted(tree)
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True, capture_output=True)


def changes(before: Mapping[str, float], after: Mapping[str, float]) -> dict[str, float]:
    """In percent, by step."""
    return {step: (after[step] / then - 1) * 100 for step, then in before.items() if step in after}


@click.command(help=__doc__)
@click.argument("commit")
@click.option("--json", "as_json", is_flag=True)
def main(*, commit: str, as_json: bool) -> None:
    found = changes(counted_at(commit), counted(REPOSITORY))
    worst = max(found, key=lambda step: found[step])
    if as_json:
        print(json.dumps({"worst_percent": found[worst], **{f"step {step}": change for step, change in found.items()}}))
        return
    for step, change in found.items():
        print(f"{change:+6.2f} %  {step}")
    print(f"the worst: {worst}, {found[worst]:+.2f} %")


if __name__ == "__main__":
    main()
