"""The command's beginning, run as a program: each case has its own path with its own package `penstock`."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import penstock
import penstock_mq

ROOT = Path(__file__).parents[2]
OURS = ROOT / "src"
COMMAND = "import penstock_mq; penstock_mq.main()"


def run(*path: Path, options: tuple[str, ...] = ("-I",)) -> subprocess.CompletedProcess[str]:
    code = (
        f"import sys; sys.path[:0] = {[str(each) for each in path]!r}; sys.argv = ['penstock', '--version']; {COMMAND}"
    )
    return subprocess.run([sys.executable, *options, "-c", code], capture_output=True, text=True, check=False)


def test_the_command_runs_where_the_package_is_ours() -> None:
    done = run(OURS)
    assert (done.returncode, done.stdout) == (0, f"penstock {penstock.__version__}\n"), done.stderr


@pytest.mark.parametrize(
    ("contents", "said"),
    [
        ("__version__ = '7'", "It is at {place}"),
        ("raise ImportError('no module named pumps')", "It cannot be imported: no module named pumps"),
        (None, "It is at {place}"),
    ],
    ids=["another project", "another project that lacks something", "our __init__.py is gone"],
)
def test_another_package_of_that_name_is_told(tmp_path: Path, contents: str | None, said: str) -> None:
    place, command = tmp_path / "site" / "penstock", tmp_path / "ours"
    place.mkdir(parents=True)
    if contents is not None:
        (place / "__init__.py").write_text(contents)
    command.mkdir()
    (command / "penstock_mq").symlink_to(OURS / "penstock_mq")
    done = run(tmp_path / "site", command, options=("-I", "-S"))  # without the packages of this Python, ours among them
    assert done.returncode == 1
    assert said.format(place=place) in done.stderr and "pip uninstall penstock penstock-mq" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_names_and_versions_agree() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["name"] == penstock.DISTRIBUTION == penstock_mq.DISTRIBUTION
    assert project["version"] == penstock.__version__
