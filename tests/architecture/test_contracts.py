"""Imports point down, machines are pure, and the map names everything there is."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "penstock"


def packages() -> list[str]:
    return sorted(
        path.name if path.is_dir() else path.stem
        for path in SOURCE.iterdir()
        if (path / "__init__.py").exists() or (path.suffix == ".py" and not path.name.startswith("__"))
    )


def test_import_contracts_are_kept() -> None:
    """The contracts are in pyproject.toml: layers, exhaustive, and what pure code may not import."""
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_architecture_page_names_every_package() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text()
    missing = [name for name in packages() if name not in page.split()]
    assert not missing, f"ARCHITECTURE.md does not say what these are for: {', '.join(missing)}"


def test_every_package_says_what_it_is_for() -> None:
    silent = [name for name in packages() if (SOURCE / name).is_dir() and not _opens_with_words(SOURCE / name)]
    assert not silent, f"the __init__.py of these begins without a docstring: {', '.join(silent)}"


def _opens_with_words(package: Path) -> bool:
    return (package / "__init__.py").read_text().lstrip().startswith(('"""', "#"))
